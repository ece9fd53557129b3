package io.retroscope.blocks;

import io.retroscope.blocks.TimelineBins.Extremes;
import io.retroscope.blocks.TimelineBins.Lane;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** The serialized form of the {@link TimelineBins} of a sealed block. */
public final class TimelineCodec {
  /*
   *   version 1 | level | first bin | number of bins
   *   | nodes: id, which of sends, receives and lines follow, for each bin the events and these
   *   | variables: id, for each bin the writes, min - min before, max - min, last - min,
   *     stamp of the last write - begin of the bin
   *   | for each bin 1 + the slowest message | for each bin the unmatched receives
   *
   * After a bin without events, writes or messages, the number of further such bins follows.
   */
  private static final int VERSION = 1;

  /** The level is the lowest with at most this number of bins, unless they take too many bytes. */
  private static final int BINS = 256;

  private static final int MAX_VARIABLES = 8;

  private static final int SENDS = 1;
  private static final int RECEIVES = 2;
  private static final int LINES = 4;

  private TimelineCodec() {}

  /**
   * The bins of the rows of a sealed block, at the lowest level at which they take no more than 128
   * bytes and a third of a byte per row, or if there is none, with one or two bins, or at the
   * highest level.
   *
   * @param log the block's log
   * @param names those of the nodes and variables are known, or are added
   */
  public static byte[] encode(EventBlock rows, String log, StoreNames names) {
    int level = 0;
    while (level < TimelineBins.MAX_LEVEL && lastBin(rows, level) - firstBin(rows, level) >= BINS) {
      level++;
    }
    TimelineBins bins = bins(rows, level);
    bins.add(List.of(rows), log);
    while (true) {
      byte[] bytes = encode(bins, names);
      if (bytes.length <= 128 + rows.size() / 3
          || bins.size() <= 2
          || level == TimelineBins.MAX_LEVEL) {
        return bytes;
      }
      level++;
      TimelineBins longer = bins(rows, level);
      longer.add(bins);
      bins = longer;
    }
  }

  private static long firstBin(EventBlock rows, int level) {
    return TimelineBins.binOf(rows.firstHlc(), level);
  }

  private static long lastBin(EventBlock rows, int level) {
    return TimelineBins.binOf(rows.lastHlc(), level);
  }

  private static TimelineBins bins(EventBlock rows, int level) {
    long first = firstBin(rows, level);
    int size = (int) (lastBin(rows, level) - first) + 1;
    return new TimelineBins(level, first, size, Integer.MAX_VALUE);
  }

  private static byte[] encode(TimelineBins bins, StoreNames names) {
    WireWriter out = new WireWriter();
    out.putByte(VERSION);
    out.putByte(bins.level());
    out.putVarint(bins.firstBin());
    out.putVarint(bins.size());
    out.putVarint(bins.lanes().size());
    bins.lanes().forEach((node, lane) -> write(lane, names.nodes().idOf(node), out));
    Set<String> dense = dense(bins);
    out.putVarint(dense.size());
    for (String name : dense) {
      out.putVarint(names.variables().idOf(name));
      write(bins.extremes(name), bins, out);
    }
    putBins(bins.size(), bin -> new long[] {bins.slowest[bin] + 1}, out);
    putBins(bins.size(), bin -> new long[] {bins.unmatched[bin]}, out);
    return out.toByteArray();
  }

  /** The variables with the most writes among those of which all writes are counted. */
  private static Set<String> dense(TimelineBins bins) {
    return bins.variables().entrySet().stream()
        .filter(entry -> !bins.uncounted().contains(entry.getKey()))
        .sorted(
            Comparator.comparingLong((Map.Entry<String, Extremes> entry) -> -sum(entry.getValue()))
                .thenComparing(Map.Entry::getKey))
        .limit(MAX_VARIABLES)
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static long sum(Extremes extremes) {
    long sum = 0;
    for (long writes : extremes.writes) {
      sum += writes;
    }
    return sum;
  }

  private static void write(Lane lane, int id, WireWriter out) {
    int kinds = has(lane.sends, SENDS) | has(lane.receives, RECEIVES) | has(lane.lines, LINES);
    out.putVarint(id);
    out.putByte(kinds);
    int width = 1 + Integer.bitCount(kinds);
    putBins(
        lane.events.length,
        bin -> {
          long[] numbers = new long[width];
          int next = 0;
          numbers[next++] = lane.events[bin];
          if ((kinds & SENDS) != 0) {
            numbers[next++] = lane.sends[bin];
          }
          if ((kinds & RECEIVES) != 0) {
            numbers[next++] = lane.receives[bin];
          }
          if ((kinds & LINES) != 0) {
            numbers[next] = lane.lines[bin];
          }
          return numbers;
        },
        out);
  }

  private static int has(long[] counts, int flag) {
    for (long count : counts) {
      if (count > 0) {
        return flag;
      }
    }
    return 0;
  }

  private static void write(Extremes extremes, TimelineBins bins, WireWriter out) {
    long[] before = {0};
    putBins(
        bins.size(),
        bin -> {
          long min = extremes.min[bin];
          long step = min - before[0];
          before[0] = extremes.writes[bin] > 0 ? min : before[0];
          return new long[] {
            extremes.writes[bin],
            step << 1 ^ step >> 63,
            extremes.max[bin] - min,
            extremes.last[bin] - min,
            extremes.lastHlc[bin] - beginOf(bins, bin)
          };
        },
        out);
  }

  /** The lowest packed stamp in a bin. */
  private static long beginOf(TimelineBins bins, int bin) {
    long micros = (bins.firstBin() + bin) << bins.level();
    return HlcTimestamp.fromWire(micros << HlcTimestamp.LOGICAL_BITS);
  }

  /** Writes the numbers of each bin; a bin is empty if the first of them is 0. */
  private static void putBins(int size, IntFunction<long[]> numbersOf, WireWriter out) {
    int empty = 0;
    for (int bin = 0; bin < size; bin++) {
      long[] numbers = numbersOf.apply(bin);
      if (numbers[0] == 0) {
        empty++;
        continue;
      }
      putEmpty(empty, out);
      empty = 0;
      for (long number : numbers) {
        out.putVarint(number);
      }
    }
    putEmpty(empty, out);
  }

  private static void putEmpty(int count, WireWriter out) {
    if (count > 0) {
      out.putVarint(0);
      out.putVarint(count - 1);
    }
  }

  /**
   * Reads bins.
   *
   * @throws CorruptBlockException if the bytes are damaged
   */
  public static TimelineBins decode(byte[] bytes, StoreNames names) throws CorruptBlockException {
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    if (in.getByte() != VERSION) {
      throw in.corrupt("bins of an unknown version");
    }
    int level = in.getBounded("level", TimelineBins.MAX_LEVEL);
    long firstBin = in.getVarint();
    int size = in.getBounded("number of bins", TimelineBins.MAX_SIZE);
    long lastBin = HlcTimestamp.MAX_MICROS >>> level;
    if (size == 0 || firstBin < 0 || firstBin > lastBin - (size - 1)) {
      throw in.corrupt(size + " bins from bin " + firstBin);
    }
    TimelineBins bins = new TimelineBins(level, firstBin, size, Integer.MAX_VALUE);
    int nodes = in.getBounded("number of nodes", names.nodes().size());
    for (int i = 0; i < nodes; i++) {
      int id = in.getBounded("id of a node", names.nodes().size() - 1);
      read(bins.lane(names.nodes().name(id)), size, in);
    }
    int variables = in.getBounded("number of variables", MAX_VARIABLES);
    for (int i = 0; i < variables; i++) {
      int id = in.getBounded("id of a variable", names.variables().size() - 1);
      read(bins.extremes(names.variables().name(id)), bins, in);
    }
    getBins(size, 1, in, (bin, numbers) -> bins.slowest[bin] = numbers[0] - 1);
    getBins(size, 1, in, (bin, numbers) -> bins.unmatched[bin] = numbers[0]);
    return bins;
  }

  private static void read(Lane lane, int size, WireReader in) throws CorruptBlockException {
    int kinds = in.getBounded("kinds", SENDS | RECEIVES | LINES);
    getBins(
        size,
        1 + Integer.bitCount(kinds),
        in,
        (bin, numbers) -> {
          int next = 0;
          lane.events[bin] = numbers[next++];
          lane.sends[bin] = (kinds & SENDS) == 0 ? 0 : numbers[next++];
          lane.receives[bin] = (kinds & RECEIVES) == 0 ? 0 : numbers[next++];
          lane.lines[bin] = (kinds & LINES) == 0 ? 0 : numbers[next];
        });
  }

  private static void read(Extremes extremes, TimelineBins bins, WireReader in)
      throws CorruptBlockException {
    long[] before = {0};
    getBins(
        bins.size(),
        5,
        in,
        (bin, numbers) -> {
          long min = before[0] + (numbers[1] >>> 1 ^ -(numbers[1] & 1));
          before[0] = min;
          extremes.add(
              bin,
              numbers[0],
              min,
              min + numbers[2],
              min + numbers[3],
              beginOf(bins, bin) + numbers[4]);
        });
  }

  /** Receives the numbers of a bin that is not empty; they are overwritten by the next ones. */
  private interface BinNumbers {
    void accept(int bin, long[] numbers);
  }

  private static void getBins(int size, int width, WireReader in, BinNumbers receiver)
      throws CorruptBlockException {
    long[] numbers = new long[width];
    for (int bin = 0; bin < size; bin++) {
      numbers[0] = in.getVarint();
      if (numbers[0] == 0) {
        bin += in.getBounded("number of empty bins", size - bin - 1);
        continue;
      }
      for (int i = 1; i < width; i++) {
        numbers[i] = in.getVarint();
      }
      receiver.accept(bin, numbers);
    }
  }
}
