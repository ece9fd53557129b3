// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

/**
 * A listener for the progress of a simulation. It is called on any of its threads, but only one at
 * a time.
 */
@FunctionalInterface
public interface Progress {
  /** Ignores all calls. */
  Progress NONE = (done, total) -> {};

  /** Called when {@code runs} of {@code totalRuns} are done. */
  void done(long runs, long totalRuns);
}
