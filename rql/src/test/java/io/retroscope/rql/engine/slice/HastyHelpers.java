// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import java.util.concurrent.locks.LockSupport;

/** Helpers that mostly begin before the query's own thread walks on. Thread-safe. */
public final class HastyHelpers extends SliceThreads {
  private final int pauseTenthMillis;

  /**
   * Helpers, of which none runs yet.
   *
   * @param threads the number of threads that may walk at the same time
   * @param pauseTenthMillis how long the query's own thread pauses for each that begins, in tenths
   *     of milliseconds
   */
  public HastyHelpers(int threads, int pauseTenthMillis) {
    super(threads);
    this.pauseTenthMillis = pauseTenthMillis;
  }

  @Override
  boolean tryStart(Runnable task, Runnable whenLeft) {
    boolean started = super.tryStart(task, whenLeft);
    if (started && pauseTenthMillis > 0) {
      LockSupport.parkNanos(100_000L * pauseTenthMillis);
    }
    return started;
  }
}
