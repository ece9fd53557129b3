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
 * {@code /v1/events/socket}: a node's connection. The node sends batches; the server sends the
 * answers to them, and whether the node should send without delay. Thread-safe.
 *
 * <p>A connection has no thread of its own. It uses one of the ingest threads while its batches are
 * stored, one after the other. Heartbeats without events are not waited for.
 */
final class EventSocketEndpoint {
  /** The longest message; senders use POST for batches of more than 33 MiB. */
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

  /** A connection's session, with the messages that wait for earlier ones. */
  private static final class Connection implements Consumer<String> {
    private final Session session;
    private final Deque<Message> waiting = new ArrayDeque<>();
    private boolean busy;

    /** Owned by the thread that receives the session's messages, one after the other. */
    private long messages;

    Connection(Session session) {
      this.session = session;
    }

    /** Queues a text; it is dropped if the node does not read. */
    @Override
    public void accept(String text) {
      if (session.isOpen()) {
        session.sendText(text, Callback.NOOP);
      }
    }

    /** Returns whether the caller has to begin processing the queue. */
    synchronized boolean add(Message message) {
      waiting.add(message);
      boolean isFirst = !busy;
      busy = true;
      return isFirst;
    }

    /** The next message; null if there is none, and then the next caller of {@link #add} begins. */
    synchronized @Nullable Message next() {
      Message next = waiting.poll();
      busy = next != null;
      return next;
    }
  }

  /**
   * A received batch.
   *
   * @param bytes empty if there was no memory for it
   */
  private record Message(long number, Caller caller, Optional<byte[]> bytes, Charge charge) {}

  /**
   * The endpoint.
   *
   * @param workers the threads that store batches
   * @param maxCount concurrent connections; further nodes use POST
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
            ProblemException.of(500, "The server failed", "see the server's log"));
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

  /** Stores a message, which has the format of a POST's body, compressed or not. */
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

  /**
   * Stores a heartbeat without events. It may be dropped if there is no room, because the next one
   * replaces it.
   */
  private void keepInTime(Submission heartbeat) {
    if (heartbeat instanceof Submission.Frames frames) {
      heartbeats.add(frames.frames());
    }
  }
}
