// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import java.util.Arrays;

/**
 * One line of a chart: a value over time in a fixed number of buckets. A value holds until the next
 * one. A bucket shows the largest of its values, so that a short spike remains visible. If the time
 * exceeds the buckets, each pair of buckets is merged.
 */
final class ChartSeries {
  /** The number of buckets, regardless of the time range. */
  static final int BUCKET_COUNT = 512;

  private final double[] highest = new double[BUCKET_COUNT];
  private final double[] last = new double[BUCKET_COUNT];
  private final boolean[] touched = new boolean[BUCKET_COUNT];
  private double low = Double.NaN;
  private double high = Double.NaN;

  ChartSeries() {
    Arrays.fill(highest, Double.NaN);
    Arrays.fill(last, Double.NaN);
  }

  /**
   * Sets the value from a bucket on.
   *
   * @param bucket not before the bucket of the previous call
   * @param value NaN if there is no value from here on
   */
  void set(int bucket, double value) {
    if (!Double.isNaN(value)) {
      low = Double.isNaN(low) ? value : Math.min(low, value);
      high = larger(high, value);
      highest[bucket] = larger(highest[bucket], value);
    }
    last[bucket] = value;
    touched[bucket] = true;
  }

  /** Merges each pair of buckets, which doubles the time range. */
  void halve() {
    for (int i = 0; i < BUCKET_COUNT; i++) {
      int from = 2 * i;
      boolean inside = from + 1 < BUCKET_COUNT;
      highest[i] = inside ? larger(highest[from], highest[from + 1]) : Double.NaN;
      last[i] = inside ? (touched[from + 1] ? last[from + 1] : last[from]) : Double.NaN;
      touched[i] = inside && (touched[from] || touched[from + 1]);
    }
  }

  private static double larger(double a, double b) {
    if (Double.isNaN(a)) {
      return b;
    }
    return Double.isNaN(b) ? a : Math.max(a, b);
  }

  /**
   * Returns the values of the first {@code bucketCount} buckets for a number of cells; NaN for
   * none.
   */
  double[] cells(int bucketCount, int cellCount) {
    double[] cells = new double[cellCount];
    Arrays.fill(cells, Double.NaN);
    double held = Double.NaN;
    for (int i = 0; i < bucketCount; i++) {
      double shown = touched[i] && !Double.isNaN(highest[i]) ? highest[i] : held;
      held = touched[i] ? last[i] : held;
      int firstCell = (int) ((long) i * cellCount / bucketCount);
      int endCell = Math.max(firstCell + 1, (int) ((i + 1L) * cellCount / bucketCount));
      for (int cell = firstCell; cell < endCell; cell++) {
        cells[cell] = larger(cells[cell], shown);
      }
    }
    return cells;
  }

  /** The lowest value so far, NaN for none. */
  double low() {
    return low;
  }

  /** The highest value so far, NaN for none. */
  double high() {
    return high;
  }
}
