package io.retroscope.server.api;

import io.javalin.http.Context;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;

/**
 * Whether the client of a request is still there while its answer is made. Used by the thread that
 * makes the answer.
 *
 * <p>With HTTP/2 the server hears of a client that goes. With HTTP/1 nobody reads the connection
 * meanwhile, so it is read here: its end means that the client has gone, as it does to other
 * servers, although the client might only have closed its own side. Bytes mean that the next
 * request came before the answer to this one; they are lost, so the connection is closed after the
 * answer, and whoever sent them has to send them again.
 */
final class ClientPresence {
  private static final String ATTRIBUTE = ClientPresence.class.getName();

  private final Request request;
  private final AtomicBoolean gone = new AtomicBoolean();
  private boolean mayRead;

  private ClientPresence(Request request) {
    this.request = request;
    HttpVersion version = request.getConnectionMetaData().getHttpVersion();
    this.mayRead = version.getVersion() < HttpVersion.HTTP_2.getVersion();
    request.addFailureListener(failure -> gone.set(true));
  }

  /** Watches a request whose body has been read. */
  static void watch(Request request) {
    request.setAttribute(ATTRIBUTE, new ClientPresence(request));
  }

  /** What is known of the client of the request that a handler answers. */
  static ClientPresence of(Context context) {
    if (context.req().getAttribute(ATTRIBUTE) instanceof ClientPresence presence) {
      return presence;
    }
    throw new AssertionError("nobody watches the client of " + context.path());
  }

  /** Whether it has gone; costs a call of the operating system. */
  boolean isGone() {
    if (mayRead && !gone.get()) {
      EndPoint connection = request.getConnectionMetaData().getConnection().getEndPoint();
      try {
        // Flipped for filling, as Jetty's buffers are.
        int read = connection.fill(ByteBuffer.allocate(1).limit(0));
        if (read < 0) {
          gone.set(true);
        } else if (read > 0) {
          mayRead = false;
          Request.addCompletionListener(request, failure -> connection.close());
        }
      } catch (IOException e) {
        gone.set(true);
      }
    }
    return gone.get();
  }
}
