// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A live query that is followed on a separate thread, and its results. Thread-safe. */
public final class LiveMatches implements AutoCloseable {
  /** The maximum number of matches; a demo has some hundred. */
  static final int MAX_MATCH_COUNT = 1_000_000;

  private static final Duration JOIN_PATIENCE = Duration.ofSeconds(5);

  private final RqlClient client;
  private final Thread thread;
  private volatile boolean cancelled;

  /* Guarded by `this`. */
  private final List<Match> matches = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private long reached = HlcTimestamp.MIN_PACKED;
  private boolean begun;
  private @Nullable Exception failure;

  private LiveMatches(URI server, String query, Consumer<Match> onMatch) {
    this.client = new RqlClient(server);
    this.thread = new Thread(() -> follow(query, onMatch), "live-query");
  }

  /**
   * Subscribes, and returns when the server has accepted the query.
   *
   * @param onMatch called with each match by the following thread
   */
  public static LiveMatches follow(
      URI server, String query, Consumer<Match> onMatch, Duration patience)
      throws StageException, InterruptedException {
    LiveMatches live = new LiveMatches(server, query, onMatch);
    live.thread.setDaemon(true);
    live.thread.start();
    Deadline deadline = Deadline.in(patience);
    while (!live.hasBegun()) {
      live.checkAlive();
      if (deadline.hasPassed()) {
        throw new StageException("the log server does not answer the live query");
      }
      Deadline.sleep(Duration.ofMillis(20));
    }
    return live;
  }

  private void follow(String query, Consumer<Match> onMatch) {
    try {
      client.run(query, new Sink(onMatch));
    } catch (IOException | RuntimeException e) {
      fail(e);
    }
  }

  private synchronized void fail(Exception e) {
    failure = e;
  }

  private synchronized boolean hasBegun() {
    return begun;
  }

  /**
   * Checks that the query still runs.
   *
   * @throws StageException if it ended or failed
   */
  public synchronized void checkAlive() throws StageException {
    if (failure != null) {
      throw new StageException("the live query failed: " + failure.getMessage(), failure);
    }
    if (!thread.isAlive()) {
      throw new StageException("the live query ended by itself");
    }
  }

  /** The matches so far, in order. */
  public synchronized List<Match> matches() {
    return List.copyOf(matches);
  }

  /** The server's warnings. */
  public synchronized List<String> warnings() {
    return List.copyOf(warnings);
  }

  /**
   * Waits until the results are complete up to a stamp.
   *
   * @return false if the timeout elapsed first
   */
  public boolean awaitReached(long hlc, Duration patience)
      throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(patience);
    while (reached() < hlc) {
      checkAlive();
      if (deadline.hasPassed()) {
        return false;
      }
      Deadline.sleep(Duration.ofMillis(20));
    }
    return true;
  }

  private synchronized long reached() {
    return reached;
  }

  /** Ends the subscription. */
  @Override
  public void close() {
    cancelled = true;
    thread.interrupt();
    try {
      thread.join(JOIN_PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }

  private final class Sink implements RowSink {
    private final Consumer<Match> onMatch;
    private List<Column> columns = List.of();

    Sink(Consumer<Match> onMatch) {
      this.onMatch = onMatch;
    }

    @Override
    public void columns(List<Column> newColumns) {
      columns = newColumns;
      markBegun();
    }

    @Override
    public boolean row(Row row) {
      Match match = Match.of(columns, row);
      if (!add(match)) {
        return false;
      }
      onMatch.accept(match);
      return true;
    }

    @Override
    public void warning(String message) {
      synchronized (LiveMatches.this) {
        warnings.add(message);
      }
    }

    /**
     * Nodes that start after the query are unknown, and then briefly missing: that is no trouble.
     */
    @Override
    public void notice(String sentence) {}

    @Override
    public void progress(long cuts, long hlc) {
      synchronized (LiveMatches.this) {
        begun = true;
        reached = Math.max(reached, hlc);
      }
    }

    @Override
    public boolean cancelled() {
      return cancelled;
    }

    private void markBegun() {
      synchronized (LiveMatches.this) {
        begun = true;
      }
    }

    private boolean add(Match match) {
      synchronized (LiveMatches.this) {
        reached = Math.max(reached, match.hlc());
        return matches.size() < MAX_MATCH_COUNT && matches.add(match);
      }
    }
  }
}
