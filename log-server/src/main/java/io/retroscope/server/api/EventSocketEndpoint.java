// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.rql.json.JsonText;
import io.retroscope.server.api.NodeSocket.Message;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.run.StoreConflictException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.ee10.websocket.server.JettyServerUpgradeRequest;
import org.eclipse.jetty.websocket.api.Configurable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /v1/events/socket}: a node's connection. The node sends batches; the server sends the
 * answers to them, and whether the node should send without delay. Thread-safe.
 *
 * <p>A connection has no thread of its own. It uses one of the ingest threads while its batches are
 * decoded, one after the other; several of them may be stored at a time, with one sync. Heartbeats
 * without events are not waited for.
 */
final class EventSocketEndpoint implements NodeSocket.Listener {
  /** The longest message; senders use POST for batches of more than 33 MiB. */
  private static final long MAX_MESSAGE_BYTES = 34L << 20;

  private static final int PIECE_BYTES = 64 * 1024;
  private static final int MAX_OUTGOING_FRAMES = 64;
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);
  private static final Logger logger = LoggerFactory.getLogger(EventSocketEndpoint.class);

  private final EventsEndpoint events;
  private final LiveListeners listeners;
  private final MemoryBudget memory;
  private final MonotonicClock clock;
  private final Executor workers;
  private final IdleHeartbeats heartbeats;
  private final int maxCount;
  private final Set<NodeSocket> sockets = ConcurrentHashMap.newKeySet();

  /**
   * The endpoint.
   *
   * @param workers the threads that store batches
   * @param maxCount concurrent connections; further nodes use POST
   */
  EventSocketEndpoint(
      EventsEndpoint events,
      SenderParts parts,
      LiveListeners listeners,
      Executor workers,
      int maxCount) {
    this.clock = parts.clock();
    this.events = events;
    this.workers = workers;
    this.memory = parts.memory();
    this.listeners = listeners;
    this.heartbeats = new IdleHeartbeats(parts.intake(), parts.memory(), listeners);
    this.maxCount = maxCount;
  }

  static void configure(Configurable sockets) {
    // A longer frame comes in pieces.
    sockets.setMaxFrameSize(PIECE_BYTES);
    sockets.setAutoFragment(true);
    sockets.setMaxOutgoingFrames(MAX_OUTGOING_FRAMES);
    sockets.setIdleTimeout(IDLE_TIMEOUT);
  }

  /** The endpoint of a new connection. */
  NodeSocket socket(JettyServerUpgradeRequest request) {
    return new NodeSocket(Admission.of(request), this, memory, clock, MAX_MESSAGE_BYTES);
  }

  int openCount() {
    return sockets.size();
  }

  /** Ends the connections whose tokens are no longer valid. */
  void refresh() {
    sockets.forEach(NodeSocket::closeIfNotAllowed);
  }

  @Override
  public boolean opened(NodeSocket socket) {
    if (sockets.size() >= maxCount) {
      return false;
    }
    sockets.add(socket);
    listeners.connected(socket);
    return true;
  }

  @Override
  public void closed(NodeSocket socket) {
    if (sockets.remove(socket)) {
      listeners.disconnected(socket);
    }
  }

  @Override
  public void waiting(NodeSocket socket) {
    try {
      workers.execute(() -> storeAll(socket));
    } catch (RejectedExecutionException e) {
      for (Message message = socket.next(); message != null; message = socket.next()) {
        refuse(socket, message, busy());
      }
    }
  }

  private void storeAll(NodeSocket socket) {
    for (Message message = socket.next(); message != null; message = socket.next()) {
      try {
        store(socket, message);
      } catch (RuntimeException | Error e) {
        FatalErrors.check(e);
        refuse(socket, message, problem(e));
      }
    }
  }

  private static ProblemException busy() {
    return ProblemException.of(
        503, "The server is busy", "too many batches wait; try again in a second");
  }

  private static void refuse(NodeSocket socket, Message message, ProblemException problem) {
    socket.answer(message, ofBatch(message, problem.json()));
  }

  private ProblemException problem(Throwable reason) {
    if (reason instanceof ProblemException problem) {
      return problem;
    }
    if (reason instanceof OverBudgetException memory) {
      return ProblemException.of(memory);
    }
    if (reason instanceof StoreConflictException conflict) {
      return events.contradicting(conflict);
    }
    logger.error("a batch of a node's connection failed", reason);
    return ProblemException.of(500, "The server failed", "see the server's log");
  }

  /**
   * Begins to store a message, which has the format of a POST's body, compressed or not. It is
   * answered once it is durable or has failed.
   */
  private void store(NodeSocket socket, Message message) {
    Charge charge = message.content().charge();
    byte[] bytes = message.content().bytes();
    boolean packed = bytes.length > 1 && bytes[0] == (byte) 0x1f && bytes[1] == (byte) 0x8b;
    events.admit(message.caller(), bytes.length);
    Submission batch =
        events.read(
            Optional.of(EventBlockCodec.CONTENT_TYPE),
            packed ? Optional.of("gzip") : Optional.empty(),
            bytes,
            charge);
    if (isBareHeartbeat(batch)) {
      keepInTime(batch);
      socket.answer(message, "");
    } else {
      CompletableFuture<Receipt> unused =
          events
              .begin(batch, message.caller(), charge)
              .whenCompleteAsync(
                  (receipt, failure) -> answer(socket, message, receipt, failure), this::offWriter);
    }
  }

  private void answer(
      NodeSocket socket, Message message, Receipt receipt, @Nullable Throwable failure) {
    if (failure != null) {
      refuse(socket, message, problem(events.refusal(failure)));
    } else {
      socket.answer(message, ofBatch(message, EventsEndpoint.json(receipt)));
    }
  }

  private static String ofBatch(Message message, String answer) {
    return JsonText.before(answer, out -> out.writeNumberProperty("batch", message.number()));
  }

  /** Answers are not written by the store's writing thread, unless the others have no room. */
  private void offWriter(Runnable answer) {
    try {
      workers.execute(answer);
    } catch (RejectedExecutionException e) {
      answer.run();
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
