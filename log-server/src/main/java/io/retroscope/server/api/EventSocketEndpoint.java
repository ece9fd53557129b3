package io.retroscope.server.api;

import io.javalin.websocket.WsBinaryMessageContext;
import io.javalin.websocket.WsConfig;
import io.javalin.websocket.WsConnectContext;
import io.javalin.websocket.WsContext;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.server.access.Caller;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Submission;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Configurable;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /v1/events/socket}: a node's connection, on which batches come up and the answers to them
 * and the server's wish to be kept up to date go down. Thread-safe.
 *
 * <p>A connection has no thread of its own. It holds one of those of POSTs while batches of it are
 * stored, one after the other; a bare heartbeat is not waited for.
 */
final class EventSocketEndpoint {
  /** The longest message; a sender posts what is longer than 33 MiB. */
  private static final long MAX_MESSAGE_BYTES = 34L << 20;

  private static final int MAX_OUTGOING_FRAMES = 64;
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);
  private static final int TRY_AGAIN_LATER = 1013;
  private static final int NOT_UNDERSTOOD = 1003;
  private static final int NOT_ALLOWED = 1008;
  private static final Logger logger = LoggerFactory.getLogger(EventSocketEndpoint.class);

  private final Gate gate;
  private final EventsEndpoint events;
  private final LiveListeners listeners;
  private final MemoryBudget memory;
  private final Executor workers;
  private final IdleHeartbeats heartbeats;
  private final int maxCount;
  private final Map<String, Connection> connections = new ConcurrentHashMap<>();

  /** A connection's session, and the messages on it that wait for the ones before. */
  private static final class Connection implements Consumer<String> {
    private final Session session;
    private final Deque<Message> waiting = new ArrayDeque<>();
    private boolean busy;

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

    /** Whether somebody has to begin with what waits. */
    synchronized boolean add(Message message) {
      waiting.add(message);
      boolean isFirst = !busy;
      busy = true;
      return isFirst;
    }

    /** The next message; null if there is none, and then whoever adds one has to begin. */
    synchronized @Nullable Message next() {
      Message next = waiting.poll();
      busy = next != null;
      return next;
    }
  }

  /**
   * A batch on its way.
   *
   * @param bytes empty if there was no memory for it
   */
  private record Message(long number, Caller caller, Optional<byte[]> bytes, Charge charge) {}

  /**
   * The endpoint.
   *
   * @param workers on which batches are stored
   * @param maxCount connections at the same time; further nodes post
   */
  EventSocketEndpoint(
      Gate gate,
      EventsEndpoint events,
      EventStore store,
      LiveListeners listeners,
      Executor workers,
      int maxCount) {
    this.gate = gate;
    this.events = events;
    this.workers = workers;
    this.memory = store.memory();
    this.listeners = listeners;
    this.heartbeats = new IdleHeartbeats(store, listeners);
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
    Caller caller = gate.caller(context);
    if (!Access.WRITE.isGrantedTo(caller)) {
      context.session.close(NOT_ALLOWED, "the token is not valid any more", Callback.NOOP);
      return;
    }
    ByteBuffer data = context.data();
    Charge charge = memory.charge();
    Optional<byte[]> bytes = Optional.empty();
    if (charge.tryResize(data.remaining())) {
      byte[] copy = new byte[data.remaining()];
      data.get(copy);
      bytes = Optional.of(copy);
    }
    if (connection.add(new Message(++connection.messages, caller, bytes, charge))) {
      begin(connection);
    }
  }

  private void begin(Connection connection) {
    try {
      workers.execute(() -> storeAll(connection));
    } catch (RejectedExecutionException e) {
      for (Message message = connection.next(); message != null; message = connection.next()) {
        message.charge().close();
        refuse(connection, message, busy());
      }
    }
  }

  private void storeAll(Connection connection) {
    for (Message message = connection.next(); message != null; message = connection.next()) {
      try {
        store(connection, message);
      } catch (ProblemException e) {
        refuse(connection, message, e);
      } catch (RuntimeException e) {
        logger.error("a batch of a node's connection failed", e);
        refuse(
            connection,
            message,
            ProblemException.of(500, "The server failed", "the server's log says what went wrong"));
      }
    }
  }

  private static ProblemException busy() {
    return ProblemException.of(
        503, "The server is busy", "too many batches wait; try again in a second");
  }

  private static void refuse(Connection connection, Message message, ProblemException problem) {
    connection.accept("{\"batch\":" + message.number() + "," + problem.json().substring(1));
  }

  /** A message is what the body of a POST is, compressed or not. */
  private void store(Connection connection, Message message) {
    byte[] bytes = message.bytes().orElseThrow(EventSocketEndpoint::busy);
    boolean packed = bytes.length > 1 && bytes[0] == (byte) 0x1f && bytes[1] == (byte) 0x8b;
    try (Charge charge = message.charge()) {
      events.admit(message.caller(), bytes.length);
      Submission batch =
          events.read(
              Optional.of(EventBlockCodec.CONTENT_TYPE),
              packed ? Optional.of("gzip") : Optional.empty(),
              bytes,
              charge);
      if (isBareHeartbeat(batch)) {
        keepInTime(batch);
      } else {
        connection.accept(
            "{\"batch\":"
                + message.number()
                + ","
                + events.store(batch, message.caller(), charge)
                + "}");
      }
    }
  }

  private static boolean isBareHeartbeat(Submission batch) {
    return batch instanceof Submission.Frames frames
        && frames.frames().stream()
            .allMatch(frame -> frame.content() instanceof EventBlock block && block.isEmpty());
  }

  /** The next heartbeat says as much: one that there is no room for may be left out. */
  private void keepInTime(Submission heartbeat) {
    if (heartbeat instanceof Submission.Frames frames) {
      heartbeats.add(frames.frames());
    }
  }
}
