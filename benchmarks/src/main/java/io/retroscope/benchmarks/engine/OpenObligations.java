// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The rate at which a query with FOR EACH VALUE and THEN walks while many requests wait for their
 * answers, in CPU time of one thread.
 */
public final class OpenObligations {
  private static final String QUERY =
      "SELECT r FROM http FOR EACH VALUE r IN request WHEN TRUE NOT THEN r IN answer WITHIN 1h;";

  private OpenObligations() {}

  /** Takes the number of requests that are open at once, of events after these, and of rounds. */
  public static void main(String[] args) {
    Arguments given = new Arguments(args, "open requests, events, rounds");
    int open = given.number(0);
    int events = given.number(1);
    QueryEngine first = engine(events(open, 0));
    QueryEngine all = engine(events(open, events));
    for (int round = 0; round < given.number(2); round++) {
      double seconds = seconds(all, open) - seconds(first, open);
      System.out.printf(
          Locale.ROOT,
          "%,d events while %,d requests are open: %.2f s, %,.0f events per CPU-second%n",
          events,
          open,
          seconds,
          events / seconds);
    }
  }

  private static QueryEngine engine(List<Event> events) {
    return new QueryEngine(
        new InMemoryEventSource(events, ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
  }

  /** The requests, then answers to the oldest and new requests in turns. */
  private static List<Event> events(int open, int more) {
    List<Event> events = new ArrayList<>();
    Deque<String> waiting = new ArrayDeque<>();
    events.add(line(-1, "answer", "none"));
    for (int i = 0; i < open + more; i++) {
      boolean isAnswer = i >= open && (i - open) % 2 == 0;
      String id = isAnswer ? waiting.remove() : "request-" + i;
      if (!isAnswer) {
        waiting.add(id);
      }
      events.add(line(i, isAnswer ? "answer" : "request", id));
    }
    return events;
  }

  private static Event line(int i, String pair, String id) {
    LogLine line = new LogLine("", Map.of(pair, Value.of(id)));
    return new Event("web" + (i + 3) % 3, "http", HlcTimestamp.pack(1_000_000L + 10L * i), line);
  }

  private static double seconds(QueryEngine engine, int open) {
    Warnings warnings = new Warnings();
    long began = CpuTime.ofThread();
    engine.run(engine.prepare(QUERY), warnings);
    long nanos = CpuTime.ofThread() - began;
    if (!warnings.all.contains(open + " triggers are open")) {
      throw new AssertionError("expected " + open + " open requests: " + warnings.all);
    }
    return nanos / 1e9;
  }

  /** The warnings of an answer that has no row. */
  private static final class Warnings implements RowSink {
    private String all = "";

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      throw new AssertionError("no request is overdue: " + row);
    }

    @Override
    public void warning(String message) {
      all += message;
    }
  }
}
