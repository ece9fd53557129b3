package io.retroscope.server.align;

import java.util.Arrays;

/**
 * The evidence over time for the bound between one ordered pair of nodes, reduced to a bounded
 * number of points. Not thread-safe.
 */
final class EvidenceTrail {
  /*
   * Time is divided into slices. Of all evidence (bound, time) in a slice, two points can matter to
   * an instant outside it: for later instants the one with the least bound - rho * time, for
   * earlier ones the one with the least bound + rho * time; all others are weaker by a constant
   * amount. Both are kept as points and not as sums, so each may also serve instants inside its
   * slice.
   *
   * HAZARD: the sums themselves must not serve instants inside the slice: there they would tighten
   * a bound by rho times the time to a point on the other side.
   *
   * A slice may begin with a barrier, across which no evidence counts. A clock that stepped at some
   * instant between two others makes a gap: a slice between two barriers that stays empty, because
   * it is unknown which of its instants were before the step.
   */

  /** Evidence at a larger distance is used only if there is none closer. */
  static final double REACH_MICROS = 600e6;

  private static final double FIRST_SLICE_MICROS = 1e6;
  private static final int MAX_SLICES_SEARCHED = 256;

  private final double rho;
  private double sliceMicros = FIRST_SLICE_MICROS;

  /** No evidence was ever tighter at its own time. */
  private double least = Double.POSITIVE_INFINITY;

  private int count;
  private double[] start = new double[2];
  private double[] laterBound = new double[2];
  private double[] laterTime = new double[2];
  private double[] earlierBound = new double[2];
  private double[] earlierTime = new double[2];
  private boolean[] barrier = new boolean[2];

  /**
   * An empty trail.
   *
   * @param rho the rate at which bounds loosen, as a ratio
   */
  EvidenceTrail(double rho) {
    this.rho = rho;
  }

  /**
   * Adds evidence, in any order of time.
   *
   * @param lagMicros the largest amount by which the evidence may be later than {@code timeMicros}
   * @param maxSlices the number of slices above which neighbours are merged, 2 or more
   */
  void add(double boundMicros, double timeMicros, double lagMicros, int maxSlices) {
    least = Math.min(least, boundMicros);
    int slice = sliceOf(timeMicros);
    if (slice < 0 || !sameSlice(slice, timeMicros)) {
      slice++;
      insert(slice, timeMicros, false);
    }
    if (boundMicros - rho * timeMicros < laterBound[slice] - rho * laterTime[slice]) {
      laterBound[slice] = boundMicros;
      laterTime[slice] = timeMicros;
    }
    double lagged = boundMicros + rho * lagMicros;
    if (lagged + rho * timeMicros < earlierBound[slice] + rho * earlierTime[slice]) {
      earlierBound[slice] = lagged;
      earlierTime[slice] = timeMicros;
    }
    if (count > maxSlices) {
      coarsen(maxSlices);
    }
  }

  /**
   * Removes the evidence within an interval, and prevents evidence on one side of it from counting
   * on the other.
   *
   * @param fromMicros the last instant before the interval, negative infinity for all before it
   * @param toMicros the last instant of the interval, not before {@code fromMicros}
   */
  void addGap(double fromMicros, double toMicros, int maxSlices) {
    addBarrier(Math.nextUp(fromMicros));
    addBarrier(Math.nextUp(toMicros));
    forget(fromMicros, toMicros);
    if (count > maxSlices) {
      coarsen(maxSlices);
    }
  }

  private void addBarrier(double instant) {
    int slice = sliceOf(instant);
    if (slice >= 0 && start[slice] == instant) {
      barrier[slice] = true;
      return;
    }
    insert(slice + 1, instant, true);
    if (slice < 0) {
      return;
    }
    if (laterTime[slice] >= instant) {
      laterBound[slice + 1] = laterBound[slice];
      laterTime[slice + 1] = laterTime[slice];
      laterBound[slice] = Double.POSITIVE_INFINITY;
    }
    if (earlierTime[slice] >= instant) {
      earlierBound[slice + 1] = earlierBound[slice];
      earlierTime[slice + 1] = earlierTime[slice];
      earlierBound[slice] = Double.POSITIVE_INFINITY;
    }
  }

  /**
   * Removes the evidence within an interval.
   *
   * @param fromMicros the last instant before the interval
   * @param toMicros the last instant of the interval
   */
  void forget(double fromMicros, double toMicros) {
    for (int i = Math.max(0, sliceOf(fromMicros)); i < count && start[i] <= toMicros; i++) {
      if (laterTime[i] > fromMicros && laterTime[i] <= toMicros) {
        laterBound[i] = Double.POSITIVE_INFINITY;
      }
      if (earlierTime[i] > fromMicros && earlierTime[i] <= toMicros) {
        earlierBound[i] = Double.POSITIVE_INFINITY;
      }
    }
  }

  /** Removes one piece of evidence if it is still kept. */
  void forgetPoint(double boundMicros, double timeMicros) {
    int slice = sliceOf(timeMicros);
    if (slice < 0) {
      return;
    }
    if (laterBound[slice] == boundMicros && laterTime[slice] == timeMicros) {
      laterBound[slice] = Double.POSITIVE_INFINITY;
    }
    if (earlierTime[slice] == timeMicros) {
      earlierBound[slice] = Double.POSITIVE_INFINITY;
    }
  }

  /**
   * The last time at which the evidence was at least as tight as a bound.
   *
   * @param lessThanMicros an upper limit for the bound at {@code instant}
   * @return negative infinity if none of the newest slices, up to the search limit, was
   */
  double lastTighter(double lessThanMicros, double instant) {
    int least = Math.max(0, count - MAX_SLICES_SEARCHED);
    for (int i = count - 1; i >= least; i--) {
      if (later(i, instant) < lessThanMicros) {
        return laterTime[i];
      }
      if (barrier[i]) {
        break;
      }
    }
    return Double.NEGATIVE_INFINITY;
  }

  /**
   * The tightest bound that the evidence gives at an instant.
   *
   * @param lagMicros the largest amount by which the actual moment may be later than {@code
   *     instant}
   * @return positive infinity if there is no evidence
   */
  double boundAt(double instant, double lagMicros) {
    int own = sliceOf(instant);
    double best = Double.POSITIVE_INFINITY;
    if (own >= 0) {
      best = Math.min(later(own, instant), earlier(own, instant));
    }
    for (int i = own; i > 0 && !barrier[i] && !isBeyond(best, instant - start[i]); i--) {
      best = Math.min(best, later(i - 1, instant));
    }
    for (int i = own + 1; i < count && !barrier[i] && !isBeyond(best, start[i] - instant); i++) {
      best = Math.min(best, earlier(i, instant));
    }
    return best + rho * lagMicros;
  }

  /**
   * The time of the evidence that gives the tightest bound at an instant; meaningless without any.
   */
  double tightestTime(double instant) {
    double best = Double.POSITIVE_INFINITY;
    double time = instant;
    int own = sliceOf(instant);
    for (int i = Math.max(own, 0); i >= 0; i--) {
      for (int side = 0; side < 2; side++) {
        double bound = side == 0 ? later(i, instant) : earlier(i, instant);
        if (bound < best) {
          best = bound;
          time = side == 0 ? laterTime[i] : earlierTime[i];
        }
      }
      if (barrier[i]) {
        break;
      }
    }
    for (int i = own + 1; i < count && !barrier[i]; i++) {
      if (earlier(i, instant) < best) {
        best = earlier(i, instant);
        time = earlierTime[i];
      }
    }
    return time;
  }

  /** The approximate distance of an instant from the nearest slice with evidence. */
  double distanceTo(double instant) {
    int own = sliceOf(instant);
    double before = own >= 0 ? Math.abs(instant - laterTime[own]) : Double.POSITIVE_INFINITY;
    double after = own + 1 < count ? start[own + 1] - instant : Double.POSITIVE_INFINITY;
    return Math.min(before, after);
  }

  /** The number of slices that are kept. */
  int sliceCount() {
    return count;
  }

  /** Whether evidence at that distance cannot be tighter, or is beyond the search limit. */
  private boolean isBeyond(double best, double distance) {
    return best <= least + rho * distance
        || (distance > REACH_MICROS && best < Double.POSITIVE_INFINITY);
  }

  private double later(int slice, double instant) {
    return laterBound[slice] + rho * Math.abs(instant - laterTime[slice]);
  }

  private double earlier(int slice, double instant) {
    return earlierBound[slice] + rho * Math.abs(instant - earlierTime[slice]);
  }

  /** The last slice that starts at or before an instant, -1 if none does. */
  private int sliceOf(double instant) {
    if (count > 0 && start[count - 1] <= instant) {
      return count - 1;
    }
    int found = Arrays.binarySearch(start, 0, count, instant);
    return found >= 0 ? found : -found - 2;
  }

  private boolean sameSlice(int slice, double instant) {
    return Math.floor(start[slice] / sliceMicros) == Math.floor(instant / sliceMicros);
  }

  private void insert(int slice, double timeMicros, boolean isBarrier) {
    if (count == start.length) {
      grow();
    }
    for (double[] column :
        new double[][] {start, laterBound, laterTime, earlierBound, earlierTime}) {
      System.arraycopy(column, slice, column, slice + 1, count - slice);
    }
    System.arraycopy(barrier, slice, barrier, slice + 1, count - slice);
    count++;
    start[slice] = isBarrier ? timeMicros : Math.floor(timeMicros / sliceMicros) * sliceMicros;
    laterBound[slice] = Double.POSITIVE_INFINITY;
    earlierBound[slice] = Double.POSITIVE_INFINITY;
    laterTime[slice] = timeMicros;
    earlierTime[slice] = timeMicros;
    barrier[slice] = isBarrier;
  }

  private void grow() {
    int length = 2 * start.length;
    start = Arrays.copyOf(start, length);
    laterBound = Arrays.copyOf(laterBound, length);
    laterTime = Arrays.copyOf(laterTime, length);
    earlierBound = Arrays.copyOf(earlierBound, length);
    earlierTime = Arrays.copyOf(earlierTime, length);
    barrier = Arrays.copyOf(barrier, length);
  }

  /**
   * Doubles the length of slices until a quarter is free, or otherwise drops the oldest quarter.
   */
  private void coarsen(int maxSlices) {
    int enough = maxSlices - maxSlices / 4;
    while (count > enough && sliceMicros < start[count - 1] - start[0]) {
      sliceMicros *= 2;
      mergeNeighbours();
    }
    if (count > maxSlices) {
      dropOldest(count - enough);
    }
  }

  private void mergeNeighbours() {
    int kept = 0;
    for (int i = 1; i < count; i++) {
      if (barrier[i] || !sameSlice(kept, start[i])) {
        kept++;
        copy(i, kept);
      } else {
        merge(i, kept);
      }
    }
    count = kept + 1;
  }

  private void merge(int from, int into) {
    if (laterBound[from] - rho * laterTime[from] < laterBound[into] - rho * laterTime[into]) {
      laterBound[into] = laterBound[from];
      laterTime[into] = laterTime[from];
    }
    if (earlierBound[from] + rho * earlierTime[from]
        < earlierBound[into] + rho * earlierTime[into]) {
      earlierBound[into] = earlierBound[from];
      earlierTime[into] = earlierTime[from];
    }
  }

  private void copy(int from, int to) {
    start[to] = start[from];
    laterBound[to] = laterBound[from];
    laterTime[to] = laterTime[from];
    earlierBound[to] = earlierBound[from];
    earlierTime[to] = earlierTime[from];
    barrier[to] = barrier[from];
  }

  private void dropOldest(int dropped) {
    for (int i = dropped; i < count; i++) {
      copy(i, i - dropped);
    }
    count -= dropped;
  }
}
