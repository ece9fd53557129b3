// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A distribution of latencies, in buckets of 1 %, and its means over 30 seconds. Its memory does
 * not depend on the number of values. Thread-safe.
 */
final class Latencies {
  /** The period of one mean. */
  static final long PERIOD_MICROS = 30_000_000;

  private static final long MAX_MICROS = TimeUnit.DAYS.toMicros(1);
  private static final int DIGITS = 2;

  private final Histogram histogram = new Histogram(MAX_MICROS, DIGITS);
  private final List<Double> means = new ArrayList<>();
  private long periodStartMicros = Long.MIN_VALUE;
  private double periodSum;
  private long periodCount;
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

  /** Adds a latency at a time. */
  synchronized void add(long micros, long atMicros) {
    histogram.recordValue(Math.max(0, Math.min(MAX_MICROS, micros)));
    min = Math.min(min, micros);
    max = Math.max(max, micros);
    if (periodStartMicros == Long.MIN_VALUE) {
      periodStartMicros = atMicros;
    }
    if (atMicros - periodStartMicros >= PERIOD_MICROS) {
      endPeriod();
      periodStartMicros = atMicros;
    }
    periodSum += (double) micros;
    periodCount++;
  }

  private void endPeriod() {
    means.add(periodSum / periodCount);
    periodSum = 0;
    periodCount = 0;
  }

  /** The means of all periods; the last one may be shorter. */
  synchronized List<Double> means() {
    List<Double> all = new ArrayList<>(means);
    if (periodCount > 0) {
      all.add(periodSum / periodCount);
    }
    return all;
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
