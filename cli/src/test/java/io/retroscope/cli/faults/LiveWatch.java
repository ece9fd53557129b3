// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.faults;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** A live query that is followed through all faults, as in the shell. Thread-safe. */
final class LiveWatch implements RowSink, AutoCloseable {
  private final RqlClient client;
  private final Thread thread;

  /* Guarded by this. */
  private final NavigableMap<Long, Value> rows = new TreeMap<>();
  private final StringBuilder troubles = new StringBuilder();
  private int column;
  private Optional<Long> from = Optional.empty();
  private long to = Long.MIN_VALUE;

  private volatile boolean cancelled;

  LiveWatch(URI server, String variable, String log) {
    client = new RqlClient(server);
    thread =
        new Thread(() -> follow("SELECT STREAM " + variable + " FROM " + log), "live-" + variable);
    thread.setDaemon(true);
    thread.start();
  }

  private void follow(String query) {
    try {
      client.run(query, this);
      trouble("the live query ended by itself");
    } catch (IOException | RuntimeException e) {
      trouble("the live query failed: " + e);
    }
  }

  private synchronized void trouble(String text) {
    if (!cancelled) {
      troubles.append(text).append('\n');
    }
  }

  @Override
  public synchronized void columns(List<Column> columns) {
    column = 0;
    while (columns.get(column).automatic()) {
      column++;
    }
  }

  @Override
  public synchronized boolean row(Row row) {
    if (rows.put(row.hlc(), row.values().get(column)) != null) {
      trouble("two rows at " + row.hlc());
    }
    if (row.hlc() <= to) {
      trouble("a row at " + row.hlc() + " although all had come up to " + to);
    }
    return true;
  }

  @Override
  public synchronized void progress(long cuts, long hlc) {
    from = from.or(() -> Optional.of(hlc));
    if (hlc < to) {
      trouble("the watermark fell from " + to + " to " + hlc);
    }
    to = hlc;
  }

  @Override
  public void warning(String message) {
    System.out.println("live: " + message);
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  /** The rows since the start, up to the last watermark. */
  synchronized NavigableMap<Long, Value> rows() {
    return new TreeMap<>(rows.subMap(from(), false, to, true));
  }

  synchronized long from() {
    return from.orElseThrow();
  }

  /** The last watermark. */
  synchronized long to() {
    return to;
  }

  synchronized boolean hasBegun() {
    return from.isPresent();
  }

  /** Unexpected occurrences, one per line. */
  synchronized String troubles() {
    return troubles.toString();
  }

  @Override
  public void close() {
    cancelled = true;
    thread.interrupt();
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }
}
