// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

/** A stopwatch: the server's only source of elapsed time. */
@FunctionalInterface
public interface MonotonicClock {
  /** Nanoseconds since an arbitrary moment; only differences are meaningful. */
  long nanos();

  /** The clock of the machine. */
  static MonotonicClock system() {
    return System::nanoTime;
  }
}
