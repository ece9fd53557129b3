package io.retroscope.rql.print;

import java.util.Arrays;

/**
 * One line of a chart: a value over time in a fixed number of buckets. A value holds until the next
 * one; a bucket shows the largest value that came in it, so that a short spike is not lost. When
 * time outgrows the buckets, two and two become one.
 */
final class ChartSeries {
  /** Buckets of a series, whatever its length in time. */
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
   * The value changes.
   *
   * @param bucket not before that of the change before
   * @param value NaN where there is none from here on
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

  /** Makes two buckets one, for twice the time. */
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

  /** The values that the first {@code bucketCount} buckets show in so many cells; NaN for none. */
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

  /** The lowest value there was, NaN for none. */
  double low() {
    return low;
  }

  /** The highest value there was, NaN for none. */
  double high() {
    return high;
  }
}
