// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;

/**
 * Whether the client of a request is still connected while its answer is computed. Used by the
 * thread that computes the answer.
 *
 * <p>With HTTP/2 the server is notified when a client disconnects. With HTTP/1 nothing reads the
 * connection meanwhile, so it is read here. Its end is treated as a disconnected client, as in
 * other servers, although the client may have closed only its own side. Bytes mean that the next
 * request was sent before the answer to this one. They are lost, so the connection is closed after
 * the answer, and the client has to send them again.
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

  /** The presence of the client whose request a handler answers. */
  static ClientPresence of(Context context) {
    if (context.req().getAttribute(ATTRIBUTE) instanceof ClientPresence presence) {
      return presence;
    }
    throw new AssertionError("nobody watches the client of " + context.path());
  }

  /** Whether it has disconnected; costs a system call. */
  boolean isGone() {
    if (mayRead && !gone.get()) {
      EndPoint connection = request.getConnectionMetaData().getConnection().getEndPoint();
      try {
        // In fill mode, as Jetty's buffers are.
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
