// SPDX-License-Identifier: Apache-2.0
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

  /** The rate at which bounds loosen, as a ratio. */
  private final double rho;

  private double sliceMicros = FIRST_SLICE_MICROS;

  /** No evidence was ever tighter at its own time. */
  private double leastMicros = Double.POSITIVE_INFINITY;

  private int count;
  private double[] startMicros = new double[2];
  private double[] laterBoundMicros = new double[2];
  private double[] laterTimeMicros = new double[2];
  private double[] earlierBoundMicros = new double[2];
  private double[] earlierTimeMicros = new double[2];
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
    leastMicros = Math.min(leastMicros, boundMicros);
    int slice = sliceOf(timeMicros);
    if (slice < 0 || !sameSlice(slice, timeMicros)) {
      slice++;
      insert(slice, timeMicros, false);
    }
    if (boundMicros - rho * timeMicros < laterBoundMicros[slice] - rho * laterTimeMicros[slice]) {
      laterBoundMicros[slice] = boundMicros;
      laterTimeMicros[slice] = timeMicros;
    }
    double laggedMicros = boundMicros + rho * lagMicros;
    if (laggedMicros + rho * timeMicros
        < earlierBoundMicros[slice] + rho * earlierTimeMicros[slice]) {
      earlierBoundMicros[slice] = laggedMicros;
      earlierTimeMicros[slice] = timeMicros;
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

  private void addBarrier(double instantMicros) {
    int slice = sliceOf(instantMicros);
    if (slice >= 0 && startMicros[slice] == instantMicros) {
      barrier[slice] = true;
      return;
    }
    insert(slice + 1, instantMicros, true);
    if (slice < 0) {
      return;
    }
    if (laterTimeMicros[slice] >= instantMicros) {
      laterBoundMicros[slice + 1] = laterBoundMicros[slice];
      laterTimeMicros[slice + 1] = laterTimeMicros[slice];
      laterBoundMicros[slice] = Double.POSITIVE_INFINITY;
    }
    if (earlierTimeMicros[slice] >= instantMicros) {
      earlierBoundMicros[slice + 1] = earlierBoundMicros[slice];
      earlierTimeMicros[slice + 1] = earlierTimeMicros[slice];
      earlierBoundMicros[slice] = Double.POSITIVE_INFINITY;
    }
  }

  /**
   * Removes the evidence within an interval.
   *
   * @param fromMicros the last instant before the interval
   * @param toMicros the last instant of the interval
   */
  void forget(double fromMicros, double toMicros) {
    for (int i = Math.max(0, sliceOf(fromMicros)); i < count && startMicros[i] <= toMicros; i++) {
      if (laterTimeMicros[i] > fromMicros && laterTimeMicros[i] <= toMicros) {
        laterBoundMicros[i] = Double.POSITIVE_INFINITY;
      }
      if (earlierTimeMicros[i] > fromMicros && earlierTimeMicros[i] <= toMicros) {
        earlierBoundMicros[i] = Double.POSITIVE_INFINITY;
      }
    }
  }

  /** Removes one piece of evidence if it is still kept. */
  void forgetPoint(double boundMicros, double timeMicros) {
    int slice = sliceOf(timeMicros);
    if (slice < 0) {
      return;
    }
    if (laterBoundMicros[slice] == boundMicros && laterTimeMicros[slice] == timeMicros) {
      laterBoundMicros[slice] = Double.POSITIVE_INFINITY;
    }
    if (earlierTimeMicros[slice] == timeMicros) {
      earlierBoundMicros[slice] = Double.POSITIVE_INFINITY;
    }
  }

  /**
   * The last time at which the evidence was at least as tight as a bound.
   *
   * @param lessThanMicros an upper limit for the bound at {@code instantMicros}
   * @return negative infinity if none of the newest slices, up to the search limit, was
   */
  double lastTighter(double lessThanMicros, double instantMicros) {
    int oldest = Math.max(0, count - MAX_SLICES_SEARCHED);
    for (int i = count - 1; i >= oldest; i--) {
      if (laterMicros(i, instantMicros) < lessThanMicros) {
        return laterTimeMicros[i];
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
   *     instantMicros}
   * @return positive infinity if there is no evidence
   */
  double boundAt(double instantMicros, double lagMicros) {
    int own = sliceOf(instantMicros);
    double bestMicros = Double.POSITIVE_INFINITY;
    if (own >= 0) {
      bestMicros = Math.min(laterMicros(own, instantMicros), earlierMicros(own, instantMicros));
    }
    for (int i = own;
        i > 0 && !barrier[i] && !isBeyond(bestMicros, instantMicros - startMicros[i]);
        i--) {
      bestMicros = Math.min(bestMicros, laterMicros(i - 1, instantMicros));
    }
    for (int i = own + 1;
        i < count && !barrier[i] && !isBeyond(bestMicros, startMicros[i] - instantMicros);
        i++) {
      bestMicros = Math.min(bestMicros, earlierMicros(i, instantMicros));
    }
    return bestMicros + rho * lagMicros;
  }

  /**
   * The time of the evidence that gives the tightest bound at an instant; meaningless without any.
   */
  double tightestTimeMicros(double instantMicros) {
    double bestMicros = Double.POSITIVE_INFINITY;
    double timeMicros = instantMicros;
    int own = sliceOf(instantMicros);
    for (int i = Math.max(own, 0); i >= 0; i--) {
      for (int side = 0; side < 2; side++) {
        double boundMicros =
            side == 0 ? laterMicros(i, instantMicros) : earlierMicros(i, instantMicros);
        if (boundMicros < bestMicros) {
          bestMicros = boundMicros;
          timeMicros = side == 0 ? laterTimeMicros[i] : earlierTimeMicros[i];
        }
      }
      if (barrier[i]) {
        break;
      }
    }
    for (int i = own + 1; i < count && !barrier[i]; i++) {
      if (earlierMicros(i, instantMicros) < bestMicros) {
        bestMicros = earlierMicros(i, instantMicros);
        timeMicros = earlierTimeMicros[i];
      }
    }
    return timeMicros;
  }

  /** The approximate distance of an instant from the nearest slice with evidence. */
  double distanceMicros(double instantMicros) {
    int own = sliceOf(instantMicros);
    double beforeMicros =
        own >= 0 ? Math.abs(instantMicros - laterTimeMicros[own]) : Double.POSITIVE_INFINITY;
    double afterMicros =
        own + 1 < count ? startMicros[own + 1] - instantMicros : Double.POSITIVE_INFINITY;
    return Math.min(beforeMicros, afterMicros);
  }

  /** The number of slices that are kept. */
  int sliceCount() {
    return count;
  }

  /** Whether evidence at that distance cannot be tighter, or is beyond the search limit. */
  private boolean isBeyond(double bestMicros, double distanceMicros) {
    return bestMicros <= leastMicros + rho * distanceMicros
        || (distanceMicros > REACH_MICROS && bestMicros < Double.POSITIVE_INFINITY);
  }

  private double laterMicros(int slice, double instantMicros) {
    return laterBoundMicros[slice] + rho * Math.abs(instantMicros - laterTimeMicros[slice]);
  }

  private double earlierMicros(int slice, double instantMicros) {
    return earlierBoundMicros[slice] + rho * Math.abs(instantMicros - earlierTimeMicros[slice]);
  }

  /** The last slice that starts at or before an instant, -1 if none does. */
  private int sliceOf(double instantMicros) {
    if (count > 0 && startMicros[count - 1] <= instantMicros) {
      return count - 1;
    }
    int found = Arrays.binarySearch(startMicros, 0, count, instantMicros);
    return found >= 0 ? found : -found - 2;
  }

  private boolean sameSlice(int slice, double instantMicros) {
    return Math.floor(startMicros[slice] / sliceMicros) == Math.floor(instantMicros / sliceMicros);
  }

  private void insert(int slice, double timeMicros, boolean isBarrier) {
    if (count == startMicros.length) {
      grow();
    }
    for (double[] column :
        new double[][] {
          startMicros, laterBoundMicros, laterTimeMicros, earlierBoundMicros, earlierTimeMicros
        }) {
      System.arraycopy(column, slice, column, slice + 1, count - slice);
    }
    System.arraycopy(barrier, slice, barrier, slice + 1, count - slice);
    count++;
    startMicros[slice] =
        isBarrier ? timeMicros : Math.floor(timeMicros / sliceMicros) * sliceMicros;
    laterBoundMicros[slice] = Double.POSITIVE_INFINITY;
    earlierBoundMicros[slice] = Double.POSITIVE_INFINITY;
    laterTimeMicros[slice] = timeMicros;
    earlierTimeMicros[slice] = timeMicros;
    barrier[slice] = isBarrier;
  }

  private void grow() {
    int length = 2 * startMicros.length;
    startMicros = Arrays.copyOf(startMicros, length);
    laterBoundMicros = Arrays.copyOf(laterBoundMicros, length);
    laterTimeMicros = Arrays.copyOf(laterTimeMicros, length);
    earlierBoundMicros = Arrays.copyOf(earlierBoundMicros, length);
    earlierTimeMicros = Arrays.copyOf(earlierTimeMicros, length);
    barrier = Arrays.copyOf(barrier, length);
  }

  /**
   * Doubles the length of slices until a quarter is free, or otherwise drops the oldest quarter.
   */
  private void coarsen(int maxSlices) {
    int enough = maxSlices - maxSlices / 4;
    while (count > enough && sliceMicros < startMicros[count - 1] - startMicros[0]) {
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
      if (barrier[i] || !sameSlice(kept, startMicros[i])) {
        kept++;
        copy(i, kept);
      } else {
        merge(i, kept);
      }
    }
    count = kept + 1;
  }

  private void merge(int from, int into) {
    if (laterBoundMicros[from] - rho * laterTimeMicros[from]
        < laterBoundMicros[into] - rho * laterTimeMicros[into]) {
      laterBoundMicros[into] = laterBoundMicros[from];
      laterTimeMicros[into] = laterTimeMicros[from];
    }
    if (earlierBoundMicros[from] + rho * earlierTimeMicros[from]
        < earlierBoundMicros[into] + rho * earlierTimeMicros[into]) {
      earlierBoundMicros[into] = earlierBoundMicros[from];
      earlierTimeMicros[into] = earlierTimeMicros[from];
    }
  }

  private void copy(int from, int to) {
    startMicros[to] = startMicros[from];
    laterBoundMicros[to] = laterBoundMicros[from];
    laterTimeMicros[to] = laterTimeMicros[from];
    earlierBoundMicros[to] = earlierBoundMicros[from];
    earlierTimeMicros[to] = earlierTimeMicros[from];
    barrier[to] = barrier[from];
  }

  private void dropOldest(int dropped) {
    for (int i = dropped; i < count; i++) {
      copy(i, i - dropped);
    }
    count -= dropped;
  }
}
