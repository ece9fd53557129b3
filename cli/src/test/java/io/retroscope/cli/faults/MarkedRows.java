// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.faults;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.cut.HlcRange;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rows of a live query of one variable that were shown and not retracted, as a client of the
 * shell sees them through all faults. Thread-safe.
 */
final class MarkedRows implements RowSink, AutoCloseable {
  private static final Pattern LOST = Pattern.compile("rows from ([0-9.]+) to ([0-9.]+) may be");

  /** A row by its stamp and its value. */
  record Shown(long hlc, Value value) {}

  private final RqlClient client;
  private final Thread thread;
  private final boolean takesMarks;

  /* Guarded by this. */
  private final List<Shown> rows = new ArrayList<>();
  private final List<HlcRange> lost = new ArrayList<>();
  private final List<String> notices = new ArrayList<>();
  private Optional<String> failure = Optional.empty();
  private Optional<Long> begin = Optional.empty();
  private long reached = HlcTimestamp.MIN_PACKED;
  private int column;
  private int lateCount;
  private int retractedCount;

  private volatile boolean closed;

  /**
   * Follows a query.
   *
   * @param takesMarks whether late and retracted rows count; otherwise they are ignored
   */
  MarkedRows(URI server, String query, boolean takesMarks) {
    this.client = new RqlClient(server);
    this.takesMarks = takesMarks;
    this.thread = new Thread(() -> follow(query), "live");
    thread.setDaemon(true);
    thread.start();
  }

  private void follow(String query) {
    try {
      client.run(query, this);
    } catch (IOException | RuntimeException e) {
      fail(e.toString());
    }
  }

  private synchronized void fail(String reason) {
    failure = closed ? failure : Optional.of(reason);
  }

  @Override
  public synchronized void columns(List<Column> columns) {
    column = columnOf(columns);
  }

  /** The first column that the query selects. */
  static int columnOf(List<Column> columns) {
    int first = 0;
    while (columns.get(first).automatic()) {
      first++;
    }
    return first;
  }

  @Override
  public synchronized boolean row(Row row) {
    rows.add(new Shown(row.hlc(), row.values().get(column)));
    return true;
  }

  @Override
  public synchronized boolean late(Row row) {
    lateCount++;
    return !takesMarks || row(row);
  }

  /** What is taken back came before the row that replaces it. */
  @Override
  public synchronized void retracted(long digest, long hlc) {
    retractedCount++;
    for (int i = 0; takesMarks && i < rows.size(); i++) {
      if (rows.get(i).hlc() == hlc) {
        rows.remove(i);
        return;
      }
    }
  }

  @Override
  public synchronized void warning(String message) {
    Matcher range = LOST.matcher(message);
    if (range.find()) {
      lost.add(
          new HlcRange(HlcTimestamp.parse(range.group(1)), HlcTimestamp.parse(range.group(2))));
    }
  }

  @Override
  public synchronized void notice(String sentence) {
    notices.add(sentence);
  }

  @Override
  public synchronized void progress(long cuts, long hlc) {
    begin = begin.or(() -> Optional.of(hlc));
    reached = hlc;
  }

  @Override
  public boolean cancelled() {
    return closed;
  }

  /** The stamp after which rows are live; empty before the stream has begun. */
  synchronized Optional<Long> begin() {
    return begin;
  }

  /** Packed: all rows up to here have been sent. */
  synchronized long reached() {
    return reached;
  }

  /** The rows that hold, outside the ranges that were reported as lost. */
  synchronized List<Shown> known() {
    return known(rows);
  }

  /** Of some rows, those that the client should have been shown. */
  synchronized List<Shown> known(List<Shown> all) {
    return all.stream()
        .filter(row -> row.hlc() > begin.orElseThrow() && row.hlc() <= reached)
        .filter(row -> lost.stream().noneMatch(range -> range.contains(row.hlc())))
        .toList();
  }

  synchronized List<String> notices() {
    return List.copyOf(notices);
  }

  /** Why the query ended by itself; empty if it did not. */
  synchronized Optional<String> failure() {
    return failure;
  }

  synchronized String summary() {
    return "%d rows hold, %d were late, %d were retracted, %d ranges are lost"
        .formatted(rows.size(), lateCount, retractedCount, lost.size());
  }

  synchronized int markCount() {
    return lateCount + retractedCount;
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }
}
