package io.retroscope.benchmarks.engine;

import com.sun.management.ThreadMXBean;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * A measurement of queries over a log in a store on disk and in memory, in million events per
 * second of the query's CPU time, beside a loop over arrays that answers the staleness question.
 * The store's cache of decoded blocks is off, so that every block is read, checked and decoded.
 */
public final class CutRates {
  private static final int SEED = 7;
  private static final int FRAMES_PER_APPEND = 64;
  private static final long NOW_MICROS = 1_900_000_000_000_000L;

  /** The first query is the question that the loop answers. */
  private static final List<String> QUERIES =
      List.of(
          "SELECT r1 FROM setd WHEN EXISTS a, b IN r1 : (a - b > 12)",
          "SELECT r1 FROM setd WHEN MAX(r1) < 0",
          "SELECT r1 FROM setd WHEN COUNT(r1) > 5000",
          "SELECT r1 FROM setd WHEN r1@zk1 - r1@zk0 > 12",
          "SELECT r1 FROM setd WHEN COUNT n IN NODES : (r1@n < 0) > 0",
          "SELECT r1 FROM setd WHEN SPREAD(r1) > 12 EMIT INTERVALS",
          "SELECT r1 FROM setd WHEN r1@zk1 * 3 - r1@zk0 * 2 > 1000000000");

  private final StalenessLog.Columns log;
  private final int rounds;
  private final double loop;
  private final int stale;

  private CutRates(StalenessLog.Columns log, int rounds) {
    this.log = log;
    this.rounds = rounds;
    this.stale = log.countStale();
    this.loop = measure(log::countStale)[0];
  }

  /** Takes the number of events in thousands, of rounds, of events of a block, and of nodes. */
  public static void main(String[] args) throws IOException {
    int events = 1_000 * Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    int rows = Integer.parseInt(args[2]);
    for (String nodes : Arrays.asList(args).subList(3, args.length)) {
      StalenessLog written = new StalenessLog(Integer.parseInt(nodes), events, SEED);
      CutRates rates = new CutRates(written.columns(), rounds);
      System.out.printf(
          Locale.ROOT,
          "%d events of %s nodes in blocks of %d; plain loop %.1f M/s%n",
          events,
          nodes,
          rows,
          rates.loop);
      rates.memory(written.events());
      rates.disk(rows);
    }
  }

  private void memory(List<Event> events) {
    questions("memory", new InMemoryEventSource(events, ClockOffsets.UNKNOWN));
  }

  private void disk(int rows) throws IOException {
    Path folder = Files.createTempDirectory("retroscope-cuts");
    try {
      try (EventStore store = open(folder)) {
        fill(store, rows);
        store.compact();
      }
      try (EventStore store = open(folder)) {
        questions("disk  ", () -> store.open(ClockOffsets.UNKNOWN));
        seal(store);
      }
      try (EventStore store = open(folder)) {
        questions("sealed", () -> store.open(ClockOffsets.UNKNOWN));
      }
    } finally {
      delete(folder);
    }
  }

  private void seal(EventStore store) {
    long before = store.figures().fileBytes();
    long began = System.nanoTime();
    while (store.seal(HlcTimestamp.MAX_PACKED) > 0) {
      // The next batch.
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    store.compact();
    int events = log.micros().length;
    System.out.printf(
        Locale.ROOT,
        "sealing: %.2f M events/s, %d of %d blocks sealed, %.2f B/event before, %.2f after%n",
        events / seconds / 1e6,
        store.figures().sealedBlockCount(),
        store.figures().blockCount(),
        (double) before / events,
        (double) store.figures().fileBytes() / events);
  }

  private static EventStore open(Path folder) {
    StoreOptions options = new StoreOptions(0, new MemoryBudget(256 << 20), 0);
    return EventStore.open(folder.resolve("data"), options, () -> NOW_MICROS);
  }

  /** Each node's events in blocks of their own, as its recorder sends them. */
  private void fill(EventStore store, int rows) {
    Map<String, EventBlockBuilder> builders = new HashMap<>();
    Map<String, Long> numbers = new HashMap<>();
    List<Submission.EncodedFrame> frames = new ArrayList<>();
    for (int i = 0; i < log.micros().length; i++) {
      Event event = log.event(i);
      EventBlockBuilder builder =
          builders.computeIfAbsent(event.node(), node -> new EventBlockBuilder());
      builder.add(event);
      if (builder.size() == rows) {
        frames.add(frame(builder, numbers.merge(event.node(), 1L, Long::sum)));
        if (frames.size() == FRAMES_PER_APPEND) {
          store.append(new Submission.Frames(frames)).join();
          frames.clear();
        }
      }
    }
    builders.forEach(
        (node, rest) -> {
          if (rest.size() > 0) {
            frames.add(frame(rest, numbers.merge(node, 1L, Long::sum)));
          }
        });
    store.append(new Submission.Frames(frames)).join();
  }

  private static Submission.EncodedFrame frame(EventBlockBuilder builder, long number) {
    EventBlock block = builder.incarnation("5f2c", number).build();
    builder.clear();
    return new Submission.EncodedFrame(block, EventBlockCodec.encode(block));
  }

  private void questions(String where, EventSource source) {
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    for (int i = 0; i < QUERIES.size(); i++) {
      PreparedQuery query = engine.prepare(QUERIES.get(i) + ";");
      int expected = i == 0 ? stale : count(engine, query);
      double[] figures =
          measure(
              () -> {
                int rows = count(engine, query);
                if (rows != expected) {
                  throw new AssertionError(rows + " rows instead of " + expected);
                }
                return rows;
              });
      System.out.printf(
          Locale.ROOT,
          "  %s %7.2f M/s, %.3f of the loop, %5.1f B/event, %d rows: %s%n",
          where,
          figures[0],
          figures[0] / loop,
          figures[1],
          expected,
          QUERIES.get(i).substring("SELECT r1 FROM setd WHEN ".length()));
    }
  }

  private static int count(QueryEngine engine, PreparedQuery query) {
    RowCount rows = new RowCount();
    engine.run(query, rows);
    return rows.count;
  }

  /** The median rate in millions per second of the thread's CPU time, and the bytes allocated. */
  private double[] measure(IntSupplier work) {
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    double[] rates = new double[rounds];
    double bytes = 0;
    int sum = 0;
    for (int round = 0; round < rounds; round++) {
      long allocated = thread.getCurrentThreadAllocatedBytes();
      long began = thread.getCurrentThreadCpuTime();
      sum += work.getAsInt();
      long nanos = thread.getCurrentThreadCpuTime() - began;
      bytes = thread.getCurrentThreadAllocatedBytes() - allocated;
      rates[round] = 1e3 * log.micros().length / (double) nanos;
    }
    if (sum == Integer.MIN_VALUE) {
      System.out.println(); // the result is used
    }
    Arrays.sort(rates);
    return new double[] {rates[rounds / 2], bytes / log.micros().length};
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** Counts rows. */
  private static final class RowCount implements RowSink {
    private int count;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      count++;
      return true;
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }
  }
}
