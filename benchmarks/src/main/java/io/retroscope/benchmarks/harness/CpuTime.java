// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** CPU time in nanoseconds, whose differences measure work on a busy machine. Thread-safe. */
public final class CpuTime {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private CpuTime() {}

  /** That of the calling thread so far. */
  public static long ofThread() {
    return THREADS.getCurrentThreadCpuTime();
  }

  /** That of all threads of this process so far, those of the compiler and the collector too. */
  public static long ofProcess() {
    return PROCESS.getProcessCpuTime();
  }
}
