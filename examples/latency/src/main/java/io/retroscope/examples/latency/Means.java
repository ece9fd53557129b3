// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Means over time. Their period is a second at first; it doubles whenever there are too many of
 * them, so that a day has periods of 32 seconds. Used by one thread.
 */
final class Means {
  /** The first period. */
  static final long FIRST_PERIOD_MICROS = 1_000_000;

  /** More are merged in pairs. */
  static final int MAX_COUNT = 2_880;

  private final double[] sums = new double[MAX_COUNT];
  private final long[] counts = new long[MAX_COUNT];
  private long periodMicros = FIRST_PERIOD_MICROS;
  private long startMicros = Long.MIN_VALUE;
  private int size;

  /** Adds a value at a time; one before the first belongs to the first period. */
  void add(double value, long atMicros) {
    if (startMicros == Long.MIN_VALUE) {
      startMicros = atMicros;
    }
    while ((atMicros - startMicros) / periodMicros >= MAX_COUNT) {
      merge();
    }
    int period = (int) Math.max(0, (atMicros - startMicros) / periodMicros);
    sums[period] += value;
    counts[period]++;
    size = Math.max(size, period + 1);
  }

  private void merge() {
    for (int i = 0; i < MAX_COUNT / 2; i++) {
      sums[i] = sums[2 * i] + sums[2 * i + 1];
      counts[i] = counts[2 * i] + counts[2 * i + 1];
    }
    Arrays.fill(sums, MAX_COUNT / 2, MAX_COUNT, 0);
    Arrays.fill(counts, MAX_COUNT / 2, MAX_COUNT, 0);
    size = (size + 1) / 2;
    periodMicros *= 2;
  }

  /** The period of one mean, in microseconds. */
  long periodMicros() {
    return periodMicros;
  }

  /** The means of all periods; NaN for one without values. */
  List<Double> values() {
    List<Double> means = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      means.add(counts[i] == 0 ? Double.NaN : sums[i] / counts[i]);
    }
    return means;
  }
}
