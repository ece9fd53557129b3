// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.server.live.MonotonicClock;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * How many of Java's compilers ran on average since the last look, waiting for a processor
 * included. Used by one thread.
 */
final class CompilerUse implements DoubleSupplier {
  private final MonotonicClock clock;
  private final LongSupplier compiled;
  private long lookedNanos;
  private long compiledMillis;

  /**
   * A use that begins now.
   *
   * @param compiled the time that all compilers have run, in milliseconds
   */
  CompilerUse(MonotonicClock clock, LongSupplier compiled) {
    this.clock = clock;
    this.compiled = compiled;
    lookedNanos = clock.nanos();
    compiledMillis = compiled.getAsLong();
  }

  /** That of this process; always 0 if the process does not know it. */
  static CompilerUse ofProcess(MonotonicClock clock) {
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    boolean isKnown = compilers != null && compilers.isCompilationTimeMonitoringSupported();
    return new CompilerUse(clock, isKnown ? compilers::getTotalCompilationTime : () -> 0);
  }

  @Override
  public double getAsDouble() {
    long nanos = clock.nanos();
    long millis = compiled.getAsLong();
    double use = (millis - compiledMillis) * 1e6 / Math.max(1, nanos - lookedNanos);
    lookedNanos = nanos;
    compiledMillis = millis;
    return use;
  }
}
