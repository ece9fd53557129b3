package io.retroscope.server.api;

import io.javalin.websocket.WsBinaryMessageContext;
import io.javalin.websocket.WsConfig;
import io.javalin.websocket.WsConnectContext;
import io.javalin.websocket.WsContext;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.Submission;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Configurable;
import org.eclipse.jetty.websocket.api.Session;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /v1/events/socket}: a node's connection, on which batches come up and the answers to them
 * and the server's wish to be kept up to date go down. Thread-safe.
 *
 * <p>A connection has no thread of its own. A thread of the HTTP server is busy with it only while
 * a batch is stored; a bare heartbeat is not waited for.
 */
final class EventSocketEndpoint {
  /** The longest message; a sender posts what is longer than 33 MiB. */
  private static final long MAX_MESSAGE_BYTES = 34L << 20;

  private static final int MAX_OUTGOING_FRAMES = 64;
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);
  private static final int TRY_AGAIN_LATER = 1013;
  private static final int NOT_UNDERSTOOD = 1003;
  private static final Logger logger = LoggerFactory.getLogger(EventSocketEndpoint.class);

  private final EventsEndpoint events;
  private final EventStore store;
  private final LiveListeners listeners;
  private final int maxCount;
  private final Map<String, Connection> connections = new ConcurrentHashMap<>();

  /** A connection's session, and the number of messages on it so far. */
  private static final class Connection implements Consumer<String> {
    private final Session session;

    /** Of the thread that the session's messages come on, one after the other. */
    private long messages;

    Connection(Session session) {
      this.session = session;
    }

    /** Queues a text; one that a node does not read is dropped. */
    @Override
    public void accept(String text) {
      if (session.isOpen()) {
        session.sendText(text, Callback.NOOP);
      }
    }
  }

  /**
   * The endpoint.
   *
   * @param maxCount connections at the same time; further nodes post
   */
  EventSocketEndpoint(
      EventsEndpoint events, EventStore store, LiveListeners listeners, int maxCount) {
    this.events = events;
    this.store = store;
    this.listeners = listeners;
    this.maxCount = maxCount;
  }

  static void configure(Configurable sockets) {
    sockets.setMaxBinaryMessageSize(MAX_MESSAGE_BYTES);
    sockets.setMaxFrameSize(MAX_MESSAGE_BYTES);
    sockets.setMaxOutgoingFrames(MAX_OUTGOING_FRAMES);
    sockets.setIdleTimeout(IDLE_TIMEOUT);
  }

  void configure(WsConfig socket) {
    socket.onConnect(this::connected);
    socket.onBinaryMessage(this::message);
    socket.onMessage(context -> context.session.close(NOT_UNDERSTOOD, "text", Callback.NOOP));
    socket.onClose(this::disconnected);
    socket.onError(this::disconnected);
  }

  int openCount() {
    return connections.size();
  }

  private void connected(WsConnectContext context) {
    if (connections.size() >= maxCount) {
      context.session.close(TRY_AGAIN_LATER, "too many connections", Callback.NOOP);
      return;
    }
    Connection connection = new Connection(context.session);
    connections.put(context.sessionId(), connection);
    listeners.connected(connection);
  }

  private void disconnected(WsContext context) {
    Connection connection = connections.remove(context.sessionId());
    if (connection != null) {
      listeners.disconnected(connection);
    }
  }

  private void message(WsBinaryMessageContext context) {
    Connection connection = connections.get(context.sessionId());
    if (connection == null) {
      return;
    }
    long number = ++connection.messages;
    String prefix = "{\"batch\":" + number + ",";
    try {
      Submission batch = read(context.data());
      if (isBareHeartbeat(batch)) {
        keepInTime(batch);
      } else {
        connection.accept(prefix + events.store(batch) + "}");
      }
    } catch (ProblemException e) {
      connection.accept(prefix + e.json().substring(1));
    } catch (IOException | RuntimeException e) {
      logger.error("a batch of a node's connection failed", e);
      String problem =
          ProblemJson.text(500, "The server failed", "the server's log says what went wrong");
      connection.accept(prefix + problem.substring(1));
    }
  }

  /** A message is what the body of a POST is, compressed or not. */
  private Submission read(ByteBuffer data) throws IOException {
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    boolean packed = bytes.length > 1 && bytes[0] == (byte) 0x1f && bytes[1] == (byte) 0x8b;
    return events.read(
        Optional.of(EventBlockCodec.CONTENT_TYPE),
        packed ? Optional.of("gzip") : Optional.empty(),
        new ByteArrayInputStream(bytes));
  }

  private static boolean isBareHeartbeat(Submission batch) {
    return batch instanceof Submission.Frames frames
        && frames.frames().stream()
            .allMatch(frame -> frame.content() instanceof EventBlock block && block.isEmpty());
  }

  /** The next heartbeat says as much: one that there is no room for may be left out. */
  private void keepInTime(Submission heartbeat) {
    try {
      var unused = store.append(heartbeat);
    } catch (StoreBusyException e) {
      // As said above.
    }
  }
}
