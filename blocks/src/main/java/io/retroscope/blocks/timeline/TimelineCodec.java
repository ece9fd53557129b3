// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.timeline;

import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.timeline.TimelineBins.Lane;
import io.retroscope.blocks.timeline.TimelineBins.Limits;
import io.retroscope.blocks.timeline.TimelineVariable.Extremes;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.ValueType;
import io.retroscope.event.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The serialized form of the {@link TimelineBins} of a sealed block. */
public final class TimelineCodec {
  /*
   *   version 2 | level | first bin | number of bins
   *   | nodes: id, which of sends, receives and lines follow, for each bin the events and these
   *   | variables: id, 1 + index of its node if only one wrote it or else 0, extremes
   *   | for each bin 1 + the slowest message | for each bin the unmatched receives
   *   | variables whose nodes have extremes each; if there are any: the level of their bins, and for
   *     each: index of the variable, the number of nodes, and for each: index of the node, extremes
   *
   *   extremes: for each bin the writes, min - min before; of several writes max - min, last - min;
   *     microseconds from the begin of the bin to the last write, in bits from 1 on; if bit 0 is
   *     set, the logical part of that write's stamp
   *
   * After a bin without events, writes or messages, the number of further such bins follows.
   */
  static final int VERSION = 2;

  /** The level is the lowest with at most this number of bins, unless they take too many bytes. */
  private static final int BINS = 256;

  /** A bound on the pairs of a node and a bin, of which most have no place in the bytes. */
  private static final int MAX_CELLS = 1 << 14;

  static final int MAX_VARIABLES = 8;

  /** About as many pairs of a variable and a node as fit into the bytes of a full block. */
  private static final int MAX_SERIES = 256;

  static final int SENDS = 1;
  static final int RECEIVES = 2;
  static final int LINES = 4;

  private static final int LOGICAL_MASK = HlcTimestamp.MAX_LOGICAL;

  private TimelineCodec() {}

  /**
   * The bins of the rows of a sealed block, at the lowest level at which they take no more than 128
   * bytes and a third of a byte per row, or if there is none, with one or two bins, or at the
   * highest level. The nodes of variables have extremes each at the same or a higher level, within
   * 64 bytes and a quarter of a byte per row, or none.
   *
   * @param log the block's log
   * @param names those of the nodes and variables are known, or are added
   */
  public static byte[] encode(EventBlock rows, String log, StoreNames names) {
    int maxBins = Math.max(2, Math.min(BINS, MAX_CELLS / Math.max(1, rows.nodes().size())));
    int level = 0;
    while (level < TimelineBins.MAX_LEVEL
        && lastBin(rows, level) - firstBin(rows, level) >= maxBins) {
      level++;
    }
    Set<String> dense = dense(rows);
    TimelineBins counted = bins(rows, level, new Limits(dense.size(), MAX_SERIES, dense));
    counted.add(List.of(rows), log);
    WireWriter out = new WireWriter();
    TimelineBins bins = counted;
    int maxBytes = 128 + rows.size() / 3;
    while (true) {
      int minBytes = minBytes(bins);
      boolean isLast = bins.size() <= 2 || bins.level() == TimelineBins.MAX_LEVEL;
      if (isLast || minBytes <= maxBytes) {
        out.clear();
        write(bins, names, out);
        if (isLast || out.length() <= maxBytes) {
          break;
        }
      }
      bins = longer(bins, rows, minBytes, maxBytes, 2);
    }
    out.putBytes(nodesApart(bins, rows));
    return out.toByteArray();
  }

  /** The extremes of each node, in bins of the level of others or longer ones. */
  private static byte[] nodesApart(TimelineBins shortest, EventBlock rows) {
    int maxBytes = 64 + rows.size() / 4;
    WireWriter out = new WireWriter();
    TimelineBins bins = shortest;
    while (true) {
      int minBytes = minBytesApart(bins);
      if (minBytes <= maxBytes) {
        out.clear();
        writeApart(bins, out);
        if (out.length() <= maxBytes) {
          return out.toByteArray();
        }
      }
      if (bins.size() == 1 || bins.level() == TimelineBins.MAX_LEVEL) {
        return new byte[] {0};
      }
      bins = longer(bins, rows, minBytes, maxBytes, 1);
    }
  }

  /**
   * The bins of the next level that may be short enough, which takes at least half of the bytes.
   *
   * @param minSize no level with fewer bins than needed is left out
   */
  private static TimelineBins longer(
      TimelineBins bins, EventBlock rows, int minBytes, int maxBytes, int minSize) {
    int level = bins.level() + 1;
    for (long least = minBytes / 2;
        least > maxBytes
            && level < TimelineBins.MAX_LEVEL
            && lastBin(rows, level) - firstBin(rows, level) >= minSize;
        least /= 2) {
      level++;
    }
    TimelineBins longer = bins(rows, level, Limits.NONE);
    longer.add(bins);
    return longer;
  }

  private static long firstBin(EventBlock rows, int level) {
    return TimelineBins.binOf(rows.firstHlc(), level);
  }

  private static long lastBin(EventBlock rows, int level) {
    return TimelineBins.binOf(rows.lastHlc(), level);
  }

  private static TimelineBins bins(EventBlock rows, int level, Limits limits) {
    long first = firstBin(rows, level);
    int size = (int) (lastBin(rows, level) - first) + 1;
    return new TimelineBins(level, first, size, limits);
  }

  /** The variables with the most writes among those of which all writes are LONGs. */
  private static Set<String> dense(EventBlock rows) {
    if (rows.writesLongsOnly() && rows.variables().size() == 1) {
      return Set.copyOf(rows.variables());
    }
    long[] writes = new long[rows.variables().size()];
    boolean[] hasOtherTypes = new boolean[writes.length];
    for (int row = 0; row < rows.size(); row++) {
      if (rows.kind(row) == EventKind.STATE_CHANGE) {
        for (int change = rows.firstChange(row); change < rows.endChange(row); change++) {
          int variable = rows.nameIndex(change);
          writes[variable]++;
          hasOtherTypes[variable] |=
              rows.operation(change) != Operation.SET || rows.type(change) != ValueType.LONG;
        }
      }
    }
    return IntStream.range(0, writes.length)
        .filter(variable -> writes[variable] > 0 && !hasOtherTypes[variable])
        .boxed()
        .sorted(
            Comparator.comparingLong((Integer variable) -> -writes[variable])
                .thenComparing(rows.variables()::get))
        .limit(MAX_VARIABLES)
        .map(rows.variables()::get)
        .collect(Collectors.toSet());
  }

  /** Whether the extremes of nodes are not all that is known of a variable. */
  private static boolean isApart(TimelineVariable variable) {
    return variable.nodes().size() > 1 && !variable.hasOthers();
  }

  /** A lower limit of the bytes of counts, without writing them. */
  private static int minBytes(TimelineBins bins) {
    int bytes = 0;
    for (Lane lane : bins.lanes().values()) {
      bytes += filled(lane.events);
    }
    return bytes;
  }

  /** A lower limit of the bytes of extremes, without writing them. */
  private static int minBytesApart(TimelineBins bins) {
    int bytes = 0;
    for (TimelineVariable variable : bins.variables().values()) {
      if (isApart(variable)) {
        for (Extremes extremes : variable.nodes().values()) {
          bytes += 3 * filled(extremes.writes);
        }
      }
    }
    return bytes;
  }

  private static int filled(long[] counts) {
    int filled = 0;
    for (long count : counts) {
      filled += count > 0 ? 1 : 0;
    }
    return filled;
  }

  private static void write(TimelineBins bins, StoreNames names, WireWriter out) {
    out.putByte(VERSION);
    writeLanes(bins, node -> out.putVarint(names.nodes().idOf(node)), out);
    List<String> nodes = new ArrayList<>(bins.lanes().keySet());
    out.putVarint(bins.variables().size());
    bins.variables()
        .forEach(
            (name, variable) -> {
              boolean isOfOne = variable.nodes().size() == 1 && !variable.hasOthers();
              out.putVarint(names.variables().idOf(name));
              out.putVarint(isOfOne ? 1 + nodes.indexOf(variable.nodes().firstKey()) : 0);
              write(variable.all(), bins, out);
            });
    writeMessages(bins, out);
  }

  /** Writes which bins there are, and the events of each node in them. */
  static void writeLanes(TimelineBins bins, Consumer<String> nodeWriter, WireWriter out) {
    out.putByte(bins.level());
    out.putVarint(bins.firstBin());
    out.putVarint(bins.size());
    out.putVarint(bins.lanes().size());
    bins.lanes()
        .forEach(
            (node, lane) -> {
              nodeWriter.accept(node);
              write(lane, out);
            });
  }

  static void writeMessages(TimelineBins bins, WireWriter out) {
    long[] slowest = new long[bins.size()];
    Arrays.setAll(slowest, bin -> bins.slowest[bin] + 1);
    putBins(slowest, bin -> {}, out);
    putBins(bins.unmatched, bin -> {}, out);
  }

  private static void writeApart(TimelineBins bins, WireWriter out) {
    List<String> nodes = new ArrayList<>(bins.lanes().keySet());
    List<TimelineVariable> variables = new ArrayList<>(bins.variables().values());
    long count = variables.stream().filter(TimelineCodec::isApart).count();
    out.putVarint(count);
    if (count == 0) {
      return;
    }
    out.putByte(bins.level());
    for (int i = 0; i < variables.size(); i++) {
      TimelineVariable variable = variables.get(i);
      if (isApart(variable)) {
        out.putVarint(i);
        out.putVarint(variable.nodes().size());
        variable
            .nodes()
            .forEach(
                (node, extremes) -> {
                  out.putVarint(nodes.indexOf(node));
                  write(extremes, bins, out);
                });
      }
    }
  }

  private static void write(Lane lane, WireWriter out) {
    int kinds = has(lane.sends, SENDS) | has(lane.receives, RECEIVES) | has(lane.lines, LINES);
    out.putByte(kinds);
    putBins(
        lane.events,
        bin -> {
          if ((kinds & SENDS) != 0) {
            out.putVarint(lane.sends[bin]);
          }
          if ((kinds & RECEIVES) != 0) {
            out.putVarint(lane.receives[bin]);
          }
          if ((kinds & LINES) != 0) {
            out.putVarint(lane.lines[bin]);
          }
        },
        out);
  }

  private static int has(long[] counts, int flag) {
    return filled(counts) > 0 ? flag : 0;
  }

  static void write(Extremes extremes, TimelineBins bins, WireWriter out) {
    long[] before = {0};
    putBins(
        extremes.writes,
        bin -> {
          long min = extremes.min[bin];
          out.putZigzag(min - before[0]);
          before[0] = min;
          if (extremes.writes[bin] > 1) {
            out.putVarint(extremes.max[bin] - min);
            out.putVarint(extremes.last[bin] - min);
          }
          long stamp = extremes.lastHlc[bin] - beginOf(bins, bin);
          long logical = stamp & LOGICAL_MASK;
          out.putVarint(stamp >>> HlcTimestamp.LOGICAL_BITS << 1 | (logical > 0 ? 1 : 0));
          if (logical > 0) {
            out.putVarint(logical);
          }
        },
        out);
  }

  /** The lowest packed stamp in a bin. */
  static long beginOf(TimelineBins bins, int bin) {
    long micros = (bins.firstBin() + bin) << bins.level();
    return HlcTimestamp.fromWire(micros << HlcTimestamp.LOGICAL_BITS);
  }

  /** Writes the numbers of each bin, the first of which is 0 if the bin is empty. */
  private static void putBins(long[] firstNumbers, IntConsumer otherNumbers, WireWriter out) {
    int empty = 0;
    for (int bin = 0; bin < firstNumbers.length; bin++) {
      if (firstNumbers[bin] == 0) {
        empty++;
        continue;
      }
      putEmpty(empty, out);
      empty = 0;
      out.putVarint(firstNumbers[bin]);
      otherNumbers.accept(bin);
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
    return TimelineDecoder.decode(bytes, names);
  }
}
