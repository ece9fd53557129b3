package io.retroscope.examples.latency;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A distribution of latencies, in buckets 2 % wide, and its means over 30 seconds. Its memory does
 * not depend on the number of values. Thread-safe.
 */
final class Latencies {
  /** The period of one mean. */
  static final long PERIOD_MICROS = 30_000_000;

  private static final double BASE = Math.log(1.02);
  private static final int BUCKET_COUNT = 1_300; // up to a day

  private final long[] counts = new long[BUCKET_COUNT];
  private final List<Double> means = new ArrayList<>();
  private long periodStartMicros = Long.MIN_VALUE;
  private double periodSum;
  private long periodCount;
  private long count;
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
    counts[Math.min(BUCKET_COUNT - 1, (int) (Math.log((double) Math.max(1, micros)) / BASE))]++;
    count++;
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
    return count == 0
        ? new Box(0, 0, 0, 0, 0, 0, 0, 0)
        : new Box(
            count,
            min,
            quantile(0.01),
            quantile(0.25),
            quantile(0.5),
            quantile(0.75),
            quantile(0.99),
            max);
  }

  private long quantile(double share) {
    long rank = (long) Math.ceil(share * count);
    long seen = 0;
    for (int i = 0; i < BUCKET_COUNT; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return Math.max(min, Math.min(max, Math.round(Math.exp((i + 0.5) * BASE))));
      }
    }
    return max;
  }
}
