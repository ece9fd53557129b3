// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.blocks;

import io.retroscope.benchmarks.engine.StalenessLog;
import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * A measurement of packed columns, of the merge of arrived blocks and of sealing, in millions per
 * second of the thread's CPU time, and of the bytes per event. The plain loop over arrays of the
 * same run, which answers a question about staleness at 3 nodes, is the unit of the ratios.
 */
public final class SealingRates {
  private static final int ROUNDS = 9;
  private static final int COLUMN = 8_192;
  private static final int COLUMNS_PER_ROUND = 500;
  private static final int SEED = 7;
  private static final Comparator<Run> TIES = Comparator.comparing(Run::node);

  private final double loop;

  private SealingRates(double loop) {
    this.loop = loop;
  }

  /** Takes the number of events, and of events of an arrived block. */
  public static void main(String[] args) throws CorruptBlockException {
    int events = Integer.parseInt(args[0]);
    int rows = Integer.parseInt(args[1]);
    StalenessLog.Columns columns = new StalenessLog(3, events, SEED).columns();
    double loop = rate(events, columns::countStale);
    System.out.printf(Locale.ROOT, "plain loop, 3 nodes: %.0f M events/s%n", loop);
    SealingRates rates = new SealingRates(loop);
    for (int width : new int[] {0, 2, 6, 11, 14, 20, 28, 40, 64}) {
      rates.decode(width, false);
    }
    rates.decode(11, true);
    for (int nodes : new int[] {3, 30, 64, 1_000}) {
      rates.arrivals(nodes, events, rows);
    }
  }

  private void decode(int width, boolean ascending) throws CorruptBlockException {
    Random random = new Random(SEED);
    long[] values = new long[COLUMN];
    long last = 0;
    for (int i = 0; i < COLUMN; i++) {
      long draw = width == 0 ? 5 : random.nextLong() >>> (Long.SIZE - width);
      last = ascending ? last + draw : draw;
      values[i] = last;
    }
    WireWriter out = new WireWriter();
    PackedColumn.write(values, COLUMN, out);
    byte[] bytes = out.toByteArray();
    PackedColumn column = PackedColumn.read(new WireReader(bytes, 0, bytes.length, 0), COLUMN);
    long[] to = new long[COLUMN];
    double rate =
        rate(
            COLUMN * COLUMNS_PER_ROUND,
            () -> {
              for (int i = 0; i < COLUMNS_PER_ROUND; i++) {
                column.decode(to);
              }
              return to[COLUMN / 2];
            });
    print(
        "decode %2d bits%s (%.2f B/value)"
            .formatted(width, ascending ? " of delta" : "", (double) bytes.length / COLUMN),
        rate);
  }

  private void arrivals(int nodes, int count, int rows) {
    List<EventBlock> blocks = blocks(new StalenessLog(nodes, count, SEED).events(), rows);
    long arrived = 0;
    for (EventBlock block : blocks) {
      arrived += EventBlockCodec.encode(block).length;
    }
    double merge = rate(count, () -> merge(blocks));
    print("merge %d nodes, blocks of %d".formatted(nodes, rows), merge);
    long[] sealedBytes = new long[1];
    double seal =
        rate(
            count,
            () -> {
              List<SealedBlock> sealed =
                  new Sealing("setd", new StoreNames(), TIES, Sealing.ROWS).seal(blocks);
              sealedBytes[0] = sealed.stream().mapToLong(block -> block.bytes().length).sum();
              return sealedBytes[0];
            });
    print("seal  %d nodes, blocks of %d".formatted(nodes, rows), seal);
    System.out.printf(
        Locale.ROOT,
        "  encoded, not compressed: %.2f B/event arrived, %.2f B/event sealed%n",
        (double) arrived / count,
        (double) sealedBytes[0] / count);
  }

  private static long merge(List<EventBlock> blocks) {
    ArrivalWindow window = new ArrivalWindow(blocks, "setd", TIES);
    long sum = 0;
    while (window.next()) {
      for (int i = 0; i < window.size(); i++) {
        sum += window.hlc(i) ^ window.row(i) ^ window.block(i).size();
      }
    }
    return sum;
  }

  /** Each node's events in blocks, as its recorder sends them: with sequences and readings. */
  private static List<EventBlock> blocks(List<Event> events, int rows) {
    Map<String, EventBlockBuilder> builders = new LinkedHashMap<>();
    Map<String, long[]> counts = new LinkedHashMap<>();
    Random random = new Random(SEED);
    List<EventBlock> blocks = new ArrayList<>();
    for (Event event : events) {
      EventBlockBuilder builder =
          builders.computeIfAbsent(event.node(), node -> new EventBlockBuilder());
      long[] count = counts.computeIfAbsent(event.node(), node -> new long[1]);
      builder.add(
          new Event(
              event.node(),
              event.log(),
              event.hlc(),
              HlcTimestamp.micros(event.hlc()) - random.nextInt(50),
              ++count[0],
              event.marks(),
              event.body()));
      if (builder.size() == rows) {
        blocks.add(builder.incarnation("5f2c", count[0] / rows).build());
        builder.clear();
      }
    }
    builders.values().stream()
        .filter(builder -> builder.size() > 0)
        .forEach(builder -> blocks.add(builder.incarnation("5f2c", 1 << 20).build()));
    return blocks;
  }

  /** The median of the rounds' rates, in millions per second of CPU time. */
  private static double rate(long count, LongSupplier work) {
    double[] rates = new double[ROUNDS];
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long began = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      sum += work.getAsLong();
      rates[round] =
          1e3
              * (double) count
              / (double) (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - began);
    }
    if (sum == 42) {
      System.out.println(); // the result is used
    }
    Arrays.sort(rates);
    return rates[ROUNDS / 2];
  }

  private void print(String what, double rate) {
    System.out.printf(Locale.ROOT, "%s: %.1f M/s, %.2f of the loop%n", what, rate, rate / loop);
  }
}
