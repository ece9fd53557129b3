// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import com.sun.management.ThreadMXBean;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.Samples;
import java.lang.management.ManagementFactory;
import java.util.function.IntSupplier;

/**
 * Medians of the rates of some work and of a plain loop, which runs in each round, too, so that
 * both see the same machine.
 *
 * @param rate in millions of events per second of the thread's CPU time
 * @param lowest the lower quartile of the rates
 * @param highest the upper quartile of the rates
 * @param loop the rate of the plain loop
 * @param bytes the bytes allocated per event after all rounds
 */
record LoopRatio(double rate, double lowest, double highest, double loop, double bytes) {
  private static final long MIN_NANOS = 50_000_000;

  double ratio() {
    return rate / loop;
  }

  /**
   * Measures work over a number of events; it and the loop return a number that is not negative.
   */
  static LoopRatio measure(int rounds, int events, IntSupplier work, IntSupplier loop) {
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    double[] rates = new double[rounds];
    double[] loops = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      rates[round] = rate(thread, events, work);
      loops[round] = rate(thread, events, loop);
    }
    long allocated = thread.getCurrentThreadAllocatedBytes();
    double bytes = work.getAsInt() < 0 ? 0 : thread.getCurrentThreadAllocatedBytes() - allocated;
    Samples samples = new Samples(rates);
    return new LoopRatio(
        samples.median(),
        samples.lowerQuartile(),
        samples.upperQuartile(),
        new Samples(loops).median(),
        bytes / events);
  }

  /** Repeats work that is too short to be measured alone. */
  private static double rate(ThreadMXBean thread, int events, IntSupplier work) {
    long began = CpuTime.ofThread();
    long nanos = 0;
    int runs = 0;
    for (; nanos < MIN_NANOS; runs++) {
      int result = work.getAsInt();
      if (result < 0) {
        throw new AssertionError(result); // the result is used
      }
      nanos = CpuTime.ofThread() - began;
    }
    return 1e3 * runs * events / (double) nanos;
  }
}
