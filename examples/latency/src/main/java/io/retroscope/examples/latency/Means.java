// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.examples.latency.Periods.Period;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Means over time, one for each period of a report. Used by one thread. */
final class Means {
  private final Periods periods;
  private final double[] sums = new double[Periods.MAX_COUNT];
  private final long[] counts = new long[Periods.MAX_COUNT];
  private long periodMicros = Periods.FIRST_MICROS;
  private int size;

  /** No values yet. */
  Means(Periods periods) {
    this.periods = periods;
  }

  /** Adds a value at a time. */
  void add(double value, long atMicros) {
    Period period = periods.of(atMicros);
    mergeUpTo(period.micros());
    sums[period.number()] += value;
    counts[period.number()]++;
    size = Math.max(size, period.number() + 1);
  }

  private void mergeUpTo(long micros) {
    while (periodMicros < micros) {
      merge();
    }
  }

  private void merge() {
    int half = Periods.MAX_COUNT / 2;
    for (int i = 0; i < half; i++) {
      sums[i] = sums[2 * i] + sums[2 * i + 1];
      counts[i] = counts[2 * i] + counts[2 * i + 1];
    }
    Arrays.fill(sums, half, Periods.MAX_COUNT, 0);
    Arrays.fill(counts, half, Periods.MAX_COUNT, 0);
    size = (size + 1) / 2;
    periodMicros *= 2;
  }

  /** The means of all periods up to the last one with a value; NaN for one without. */
  List<Double> values() {
    mergeUpTo(periods.micros());
    List<Double> means = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      means.add(counts[i] == 0 ? Double.NaN : sums[i] / counts[i]);
    }
    return means;
  }
}
