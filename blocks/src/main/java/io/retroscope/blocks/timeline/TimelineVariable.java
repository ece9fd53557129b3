// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.timeline;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The LONGs that were written to one variable, by node and bin of time. Used by one thread. */
public final class TimelineVariable {
  private final int size;
  private final TreeMap<String, Extremes> nodes = new TreeMap<>();
  private @Nullable Extremes others;

  TimelineVariable(int size) {
    this.size = size;
  }

  /** Extremes of the values of one node, or of several, by bin. */
  public static final class Extremes {
    final long[] writes;
    final long[] min;
    final long[] max;
    final long[] last;
    final long[] lastHlc;

    Extremes(int size) {
      writes = new long[size];
      min = new long[size];
      max = new long[size];
      last = new long[size];
      lastHlc = new long[size];
    }

    /** The number of writes in a bin; the other numbers have no meaning if it is 0. */
    public long writes(int bin) {
      return writes[bin];
    }

    /** The smallest value written in a bin. */
    public long min(int bin) {
      return min[bin];
    }

    /** The largest value written in a bin. */
    public long max(int bin) {
      return max[bin];
    }

    /** The value with the highest stamp in a bin; of several, the largest. */
    public long last(int bin) {
      return last[bin];
    }

    void add(int bin, long count, long low, long high, long latest, long latestHlc) {
      boolean isFirst = writes[bin] == 0;
      boolean isLater =
          latestHlc > lastHlc[bin] || (latestHlc == lastHlc[bin] && latest > last[bin]);
      min[bin] = isFirst ? low : Math.min(min[bin], low);
      max[bin] = isFirst ? high : Math.max(max[bin], high);
      if (isFirst || isLater) {
        last[bin] = latest;
        lastHlc[bin] = latestHlc;
      }
      writes[bin] += count;
    }

    /** Adds writes, of which there is at least one, in the order of their stamps. */
    void add(int bin, long[] stamps, long[] numbers, int from, int to) {
      long low = Long.MAX_VALUE;
      long high = Long.MIN_VALUE;
      for (int i = from; i < to; i++) {
        low = Math.min(low, numbers[i]);
        high = Math.max(high, numbers[i]);
      }
      long latestHlc = stamps[to - 1];
      long latest = numbers[to - 1];
      for (int i = to - 2; i >= from && stamps[i] == latestHlc; i--) {
        latest = Math.max(latest, numbers[i]);
      }
      add(bin, to - from, low, high, latest, latestHlc);
    }

    void add(Extremes part, int from, int to) {
      add(
          to,
          part.writes[from],
          part.min[from],
          part.max[from],
          part.last[from],
          part.lastHlc[from]);
    }
  }

  /** The extremes of each node by its name; without the writes of {@link #others}. */
  public SortedMap<String, Extremes> nodes() {
    return Collections.unmodifiableSortedMap(nodes);
  }

  /** Whether there are writes of which it is not known which node wrote what. */
  public boolean hasOthers() {
    return others != null;
  }

  /** The extremes of all nodes together, at present. */
  public Extremes all() {
    Extremes all = new Extremes(size);
    nodes.values().forEach(part -> addAll(part, all));
    if (others != null) {
      addAll(others, all);
    }
    return all;
  }

  private void addAll(Extremes part, Extremes to) {
    for (int bin = 0; bin < size; bin++) {
      if (part.writes[bin] > 0) {
        to.add(part, bin, bin);
      }
    }
  }

  boolean has(String node) {
    return nodes.containsKey(node);
  }

  Extremes node(String node) {
    return nodes.computeIfAbsent(node, name -> new Extremes(size));
  }

  /** The extremes of the writes that no node is known for. */
  Extremes others() {
    Extremes known = others == null ? new Extremes(size) : others;
    others = known;
    return known;
  }

  @Nullable Extremes othersOrNull() {
    return others;
  }
}
