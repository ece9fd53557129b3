// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A distribution of latencies, in buckets of 1 %, and its means over time. Its memory does not
 * depend on the number of values. Thread-safe.
 */
final class Latencies {
  /** The bins of a histogram for each decade. */
  static final int BINS_PER_DECADE = 10;

  private static final long MAX_MICROS = TimeUnit.DAYS.toMicros(1);
  private static final int DIGITS = 2;

  private final Histogram histogram = new Histogram(MAX_MICROS, DIGITS);
  private final Means means;
  private long min = Long.MAX_VALUE;
  private long max;

  /**
   * The numbers of a box plot, in microseconds; all 0 without values.
   *
   * @param low the 1st percentile
   * @param high the 99th percentile
   */
  record Box(
      long count,
      long min,
      long low,
      long quarter,
      long median,
      long threeQuarters,
      long high,
      long max) {
    String text() {
      return String.format(
          Locale.ROOT,
          "%8d %9d %9d %9d %9d %9d %9d %9d",
          count,
          min,
          low,
          quarter,
          median,
          threeQuarters,
          high,
          max);
    }
  }

  /** A distribution without values, whose means are those of periods that other ones have too. */
  Latencies(Periods periods) {
    this.means = new Means(periods);
  }

  /** Adds a latency at a time. */
  synchronized void add(long micros, long atMicros) {
    histogram.recordValue(Math.max(0, Math.min(MAX_MICROS, micros)));
    min = Math.min(min, micros);
    max = Math.max(max, micros);
    means.add((double) micros, atMicros);
  }

  /** The means of all periods, NaN for one without values. */
  synchronized List<Double> means() {
    return means.values();
  }

  /** The number of values in each bin of the scale of {@link Svg}, the first and last one open. */
  synchronized long[] bins() {
    long[] bins = new long[Svg.DECADES * BINS_PER_DECADE];
    for (HistogramIterationValue value : histogram.recordedValues()) {
      double decades = Svg.decades((double) value.getValueIteratedTo());
      int bin = Math.min(bins.length - 1, (int) (decades * BINS_PER_DECADE));
      bins[bin] += value.getCountAddedInThisIterationStep();
    }
    return bins;
  }

  synchronized Box box() {
    long count = histogram.getTotalCount();
    return count == 0
        ? new Box(0, 0, 0, 0, 0, 0, 0, 0)
        : new Box(count, min, value(1), value(25), value(50), value(75), value(99), max);
  }

  private long value(double percentile) {
    long middle = histogram.medianEquivalentValue(histogram.getValueAtPercentile(percentile));
    return Math.max(min, Math.min(max, middle));
  }
}
