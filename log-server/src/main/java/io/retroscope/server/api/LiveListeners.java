package io.retroscope.server.api;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The live queries and followed logs that are open on this server, and the connected nodes, which
 * are to hurry while there is any. Thread-safe.
 *
 * <p>Nodes get the wish when they connect, when it changes, and every so often: by that they know a
 * connection that has gone dead.
 */
final class LiveListeners implements AutoCloseable {
  private static final long REPEAT_SECONDS = 15;

  private final Set<Consumer<String>> nodes = new HashSet<>();
  private final ScheduledExecutorService repeating;
  private int listeners;

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
            this::say, REPEAT_SECONDS, REPEAT_SECONDS, TimeUnit.SECONDS);
  }

  /** Somebody who listens until it is closed. */
  interface Listener extends AutoCloseable {
    @Override
    void close();
  }

  /** Lets all nodes hurry until the result is closed; once. */
  synchronized Listener listen() {
    if (++listeners == 1) {
      say();
    }
    return this::leave;
  }

  /** Whether there is any. */
  synchronized boolean isAnyone() {
    return listeners > 0;
  }

  /** Runs something after a while, on a thread that wishes are sent from. */
  void later(Runnable task, long millis) {
    try {
      ScheduledFuture<?> unused = repeating.schedule(task, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The server goes down.
      task.run();
    }
  }

  private synchronized void leave() {
    if (--listeners == 0) {
      say();
    }
  }

  /** Adds a node; what it is sent must neither block nor throw. */
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

  /** In order for each node, so that none is left with an earlier wish. */
  private synchronized void say() {
    nodes.forEach(node -> node.accept(wish()));
  }

  private String wish() {
    return "{\"listen\":" + (listeners > 0) + "}";
  }

  @Override
  public void close() {
    repeating.shutdownNow();
  }
}
