// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.batch;

import io.retroscope.blocks.zone.LongZone;
import io.retroscope.rql.cut.state.VariableColumn;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of the numbers of one variable that hold at every cut of a part of a batch, or of a block
 * that is not read, in which numbers replace numbers. Found when they are first requested. Used by
 * one thread.
 */
final class Range {
  /* The loops are small static methods over arrays, which the compiler keeps in registers. */
  private final BatchColumn writes;
  private boolean isFound;

  /* The zone of a block that is not read, of which either the early or the late cuts are meant. */
  private LongZone.@Nullable Variable zone;
  private boolean isEarly;
  private int[] zoneNodes = {};

  private long low;
  private long high;
  private long minHigh;
  private long maxLow;
  private long spreadLow;
  private long spreadHigh;

  Range(BatchColumn writes) {
    this.writes = writes;
  }

  /** Begins the bounds over the selected writes. */
  void begin() {
    isFound = false;
    zone = null;
  }

  /** Begins the bounds over the early or the late cuts of a block whose nodes have these ids. */
  void begin(LongZone.Variable ofBlock, boolean early, int[] nodesOfBlock) {
    isFound = false;
    zone = ofBlock;
    isEarly = early;
    zoneNodes = nodesOfBlock;
  }

  /** The smallest number is within the result. */
  long[] ofMin(long[] into) {
    find();
    into[0] = low;
    into[1] = minHigh;
    return into;
  }

  /** The largest number is within the result. */
  long[] ofMax(long[] into) {
    find();
    into[0] = maxLow;
    into[1] = high;
    return into;
  }

  /** All numbers are within the result. */
  long[] ofAll(long[] into) {
    find();
    into[0] = low;
    into[1] = high;
    return into;
  }

  /** A lower bound of the difference between the largest and the smallest LONG. */
  long spreadLow() {
    find();
    return spreadLow;
  }

  /** An upper bound of this difference; negative if it may not fit into a LONG. */
  long spreadHigh() {
    find();
    return Math.min(spreadHigh, high - low);
  }

  /** The number of a node, which has one, is within the result. */
  long[] at(int node, long[] into) {
    long now = writes.column().number(node);
    into[0] = now;
    into[1] = now;
    if (zone == null) {
      findAt(node, now, writes.nodes(), writes.numbers(), writes.from(), writes.to(), into);
    } else if (isOfZone(node)) {
      into[0] = isEarly ? Math.min(now, zone.early().min()) : zone.late().min();
      into[1] = isEarly ? Math.max(now, zone.early().max()) : zone.late().max();
    }
    return into;
  }

  private boolean isOfZone(int node) {
    boolean is = false;
    for (int other : zoneNodes) {
      is |= other == node;
    }
    return is;
  }

  private static void findAt(
      int node, long now, int[] nodes, long[] numbers, int from, int to, long[] into) {
    long lowest = now;
    long highest = now;
    for (int i = from; i < to; i++) {
      // Without a branch, which the order of nodes decides.
      long mask = (Integer.toUnsignedLong(nodes[i] ^ node) - 1) >> (Long.SIZE - 1);
      long number = now ^ ((numbers[i] ^ now) & mask);
      lowest = Math.min(lowest, number);
      highest = Math.max(highest, number);
    }
    into[0] = lowest;
    into[1] = highest;
  }

  private void find() {
    if (isFound) {
      return;
    }
    isFound = true;
    spreadLow = 0;
    spreadHigh = Long.MAX_VALUE;
    if (zone != null && !isEarly) {
      findLate(zone.late());
      return;
    }
    low = writes.column().min();
    high = writes.column().max();
    boolean isConstant = zone == null && writes.from() == writes.to();
    if (zone != null) {
      low = Math.min(low, zone.early().min());
      high = Math.max(high, zone.early().max());
    } else if (!isConstant) {
      widen(writes.numbers(), writes.from(), writes.to());
    }
    minHigh = isConstant ? low : high;
    maxLow = isConstant ? high : low;
  }

  private void widen(long[] numbers, int from, int to) {
    long lowest = low;
    long highest = high;
    for (int i = from; i < to; i++) {
      lowest = Math.min(lowest, numbers[i]);
      highest = Math.max(highest, numbers[i]);
    }
    low = lowest;
    high = highest;
  }

  /** Joins the bounds of the zone with the numbers of the nodes that the block does not write. */
  private void findLate(LongZone.Late late) {
    low = late.min();
    high = late.max();
    minHigh = late.highestMin();
    maxLow = late.lowestMax();
    spreadLow = late.minSpread();
    spreadHigh = late.maxSpread();
    VariableColumn column = writes.column();
    if (zoneNodes.length < column.packedCount()) {
      spreadHigh = Long.MAX_VALUE;
      joinOthers(column);
    }
  }

  private void joinOthers(VariableColumn column) {
    boolean[] areOfZone = new boolean[column.kinds().length];
    for (int node : zoneNodes) {
      areOfZone[node] = true;
    }
    for (int node = 0; node < areOfZone.length; node++) {
      if (!areOfZone[node] && column.isPacked(node)) {
        long number = column.number(node);
        low = Math.min(low, number);
        high = Math.max(high, number);
        minHigh = Math.min(minHigh, number);
        maxLow = Math.max(maxLow, number);
      }
    }
  }
}
