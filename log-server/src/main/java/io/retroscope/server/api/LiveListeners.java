// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.json.JsonText;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The open live queries and followed logs of this server, and the connected nodes, which should
 * send without delay while there are any. Thread-safe.
 *
 * <p>Nodes are notified when they connect, when this changes, and periodically, so that they can
 * detect a dead connection.
 */
final class LiveListeners implements AutoCloseable {
  private static final long REPEAT_SECONDS = 15;

  /** The frames a second of all nodes together for which shorter intervals are requested. */
  private static final int MOST_FRAMES_PER_SECOND = 2_000;

  private static final long LEAST_INTERVAL_MILLIS = 4;
  private static final long MOST_INTERVAL_MILLIS = 20;

  private final Set<Consumer<String>> nodes = new HashSet<>();
  private final ScheduledExecutorService repeating;
  private int listeners;
  private final Set<Other> others = EnumSet.noneOf(Other.class);

  LiveListeners() {
    repeating =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "live-listeners");
              thread.setDaemon(true);
              return thread;
            });
    ScheduledFuture<?> unused =
        repeating.scheduleWithFixedDelay(
            this::sendState, REPEAT_SECONDS, REPEAT_SECONDS, TimeUnit.SECONDS);
  }

  /** A live query or followed log, until it is closed. */
  interface Listener extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Lets all nodes send without delay until the result is closed. Closing it again has no effect.
   */
  synchronized Listener listen() {
    join();
    return this::leave;
  }

  /** What listens besides the clients of this server. */
  enum Other {
    /** The alerts that are evaluated here. */
    ALERTS,
    /** Another server of the cluster, where anything is followed. */
    SERVER
  }

  /** Lets all nodes send without delay while something else listens. */
  synchronized void listenFor(Other other, boolean isListening) {
    if (isListening && others.add(other)) {
      join();
    } else if (!isListening && others.remove(other)) {
      leave();
    }
  }

  /** Whether there is any listener at this server. */
  synchronized boolean isAnyoneHere() {
    return listeners > (others.contains(Other.SERVER) ? 1 : 0);
  }

  /** Whether there is any listener. */
  synchronized boolean isAnyone() {
    return listeners > 0;
  }

  /** Runs a task after a delay, on a thread that sends the notifications. */
  void later(Runnable task, long millis) {
    try {
      ScheduledFuture<?> unused = repeating.schedule(task, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The server is shutting down.
      task.run();
    }
  }

  private void join() {
    if (++listeners == 1) {
      sendState();
    }
  }

  private synchronized void leave() {
    if (--listeners == 0) {
      sendState();
    }
  }

  /** Adds a node; the consumer must neither block nor throw. */
  synchronized void connected(Consumer<String> node) {
    nodes.add(node);
    node.accept(wish());
  }

  synchronized void disconnected(Consumer<String> node) {
    nodes.remove(node);
  }

  synchronized int nodeCount() {
    return nodes.size();
  }

  /** Sends the current state, in order for each node, so that none is left with an earlier one. */
  private synchronized void sendState() {
    nodes.forEach(node -> node.accept(wish()));
  }

  private String wish() {
    return JsonText.object(
        out -> {
          out.writeBooleanProperty("listen", listeners > 0);
          if (listeners > 0) {
            out.writeNumberProperty("millis", intervalMillis(nodes.size()));
          }
        });
  }

  /** The interval at which nodes send while there are listeners: all of them, a bounded number. */
  static long intervalMillis(int nodeCount) {
    long needed = 1_000L * nodeCount / MOST_FRAMES_PER_SECOND;
    return Math.max(LEAST_INTERVAL_MILLIS, Math.min(MOST_INTERVAL_MILLIS, needed));
  }

  @Override
  public void close() {
    repeating.shutdownNow();
  }
}
