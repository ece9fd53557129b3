// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.store;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.Samples;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.EventBody.Start;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A comparison of queries about a small part of a store on disk with hours of events, run
 * alternately on the store and on the same store with full scans: from the first event on,
 * regardless of the names in the query. Both results are checked to be equal.
 */
public final class StartOfRange {
  private static final int BLOCK_EVENTS = 4096;
  private static final int VARIABLES = 10;
  private static final long START_MICROS = 1_790_000_000_000_000L;

  /**
   * The time between two events; each node's events are so frequent that it is never silent for 100
   * ms.
   */
  private static final long STEP_MICROS = 2_000;

  /** The number of events per write of the rarely written variable. */
  private static final int RARE_EVERY = 1_000_000;

  /** {@code %s} is a stamp in the middle. */
  private static final List<String> QUESTIONS =
      List.of(
          "SELECT SPREAD(v1) FROM log ON TIME LAST 10s",
          "SELECT v1 FROM log ON TIME %s",
          "SELECT v1, AGE(v1) FROM log ON TIME NOW",
          "SELECT * FROM log ON TIME NOW",
          "SELECT rare FROM log ON TIME LAST 10s",
          "SELECT rare FROM log");

  private StartOfRange() {}

  /**
   * Runs the comparison. The arguments are the number of events in millions, the number of nodes,
   * and the number of rounds.
   */
  public static void main(String[] args) throws IOException {
    Arguments given = new Arguments(args, "millions of events, nodes, rounds");
    int millions = given.number(0, 10);
    int nodes = given.number(1, 3);
    int rounds = given.number(2, 5);
    int events = millions * 1_000_000;
    HlcTimestamp middle = new HlcTimestamp(HlcTimestamp.pack(START_MICROS + events * 1_000L));
    try (ScratchFolder scratch = ScratchFolder.create("start")) {
      Path folder = scratch.path();
      try (EventStore store = open(folder)) {
        fill(store, nodes, events);
      }
      // Reopened, so that its cache is empty.
      try (EventStore store = open(folder)) {
        System.out.printf(
            "%d events of %d nodes in %d blocks%n", events, nodes, store.figures().blockCount());
        for (String question : QUESTIONS) {
          compare(store, question.formatted(middle), rounds);
        }
      }
    }
  }

  private static EventStore open(Path folder) {
    return EventStore.open(folder.resolve("data"), StoreOptions.DEFAULT, () -> 2 * START_MICROS);
  }

  private static void fill(EventStore store, int nodes, int events) {
    int perNode = events / nodes;
    for (int from = 0; from < perNode; from += BLOCK_EVENTS) {
      int to = Math.min(perNode, from + BLOCK_EVENTS);
      List<Submission.EncodedFrame> frames = new ArrayList<>();
      for (int node = 0; node < nodes; node++) {
        EventBlock block = block(node, nodes, from, to);
        frames.add(new Submission.EncodedFrame(block, EventBlockCodec.encode(block)));
      }
      store.append(new Submission.Frames(frames)).join();
    }
  }

  private static EventBlock block(int node, int nodes, int from, int to) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", 1 + from / BLOCK_EVENTS);
    String name = "n" + node;
    long hlc = 0;
    for (int i = from; i < to; i++) {
      hlc = HlcTimestamp.pack(START_MICROS + ((long) i * nodes + node) * STEP_MICROS);
      if (i == 0) {
        Start start = new Start("i", HlcTimestamp.MIN_PACKED, "", Spill.COMPLETE);
        builder.add(new Event(name, "", hlc, start));
      } else {
        String variable = i % RARE_EVERY == 1 ? "rare" : "v" + i % VARIABLES;
        Change change = new Change(Operation.SET, variable, Value.of(i / VARIABLES));
        builder.add(new Event(name, "log", hlc, new StateChange(List.of(change))));
      }
    }
    return builder.promise(hlc, 0).build();
  }

  private static void compare(EventStore store, String question, int rounds) {
    EventSource own = () -> store.open(ClockOffsets.UNKNOWN);
    EventSource plain = () -> plainly(own.open());
    double[] ownMillis = new double[rounds];
    double[] plainMillis = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      Answer before = new Answer(plain, question);
      Answer after = new Answer(own, question);
      if (!before.rows.equals(after.rows)) {
        throw new AssertionError("the answers to " + question + " differ");
      }
      plainMillis[round] = before.millis;
      ownMillis[round] = after.millis;
    }
    System.out.printf(
        Locale.ROOT,
        "%s%n  plainly %s%n  store   %s%n  %.0f times as fast; blocks: %s, plainly %s%n",
        question,
        spread(new Samples(plainMillis)),
        spread(new Samples(ownMillis)),
        new Samples(plainMillis).median() / new Samples(ownMillis).median(),
        new Answer(own, "EXPLAIN ANALYZE " + question).blocks(),
        new Answer(plain, "EXPLAIN ANALYZE " + question).blocks());
  }

  private static String spread(Samples millis) {
    return String.format(
        Locale.ROOT, "%.2f ms (%.2f .. %.2f)", millis.median(), millis.lowest(), millis.highest());
  }

  /** A view in which every scan reads whole logs. */
  private static View plainly(View stored) {
    return (View)
        Proxy.newProxyInstance(
            View.class.getClassLoader(),
            new Class<?>[] {View.class},
            (proxy, method, arguments) -> {
              try {
                if (arguments == null || !(arguments[0] instanceof Interest interest)) {
                  return method.invoke(stored, arguments);
                }
                HlcRange range =
                    arguments[1] instanceof HlcRange given
                        ? given
                        : new HlcRange(HlcTimestamp.MIN_PACKED, (Long) arguments[1] - 1);
                return stored.scan(new WholeLogs(interest), range);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** An interest in everything in the logs of another one, so that no block can be skipped. */
  private record WholeLogs(Interest interest) implements Interest {
    @Override
    public Set<String> logs() {
      return interest.logs();
    }

    @Override
    public boolean follows(String log, String variable) {
      return true;
    }

    @Override
    public boolean counts(String node) {
      return true;
    }

    @Override
    public boolean usesAges() {
      return true;
    }

    @Override
    public boolean isCancelled() {
      return interest.isCancelled();
    }
  }

  /** The rows of one run, and the time from the text of the query to the last row. */
  private static final class Answer implements RowSink {
    private final List<List<Value>> rows = new ArrayList<>();
    private final double millis;

    Answer(EventSource source, String question) {
      QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
      long start = System.nanoTime();
      engine.run(engine.prepare(question), this);
      millis = (System.nanoTime() - start) / 1e6;
    }

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return rows.add(row.values());
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }

    String blocks() {
      return rows.stream()
          .map(row -> ((Value.StringValue) row.get(0)).value())
          .filter(line -> line.startsWith("blocks: "))
          .map(line -> line.substring("blocks: ".length()))
          .findFirst()
          .orElseThrow();
    }
  }
}
