// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

/**
 * A source of cuts at stamps without events, because the passing of time alone can change a result.
 */
public interface CutTimers {
  /** No timers. */
  CutTimers NONE =
      new CutTimers() {
        @Override
        public long next() {
          return NEVER;
        }

        @Override
        public boolean fire(CutState state) {
          return false;
        }
      };

  /** A stamp later than every other. */
  long NEVER = Long.MAX_VALUE;

  /** Returns the packed stamp of the next timer, or {@link #NEVER}. */
  long next();

  /**
   * Handles the timers at a stamp. Called at every stamp of the walk; {@link #next} is later
   * afterwards.
   *
   * @return whether the stamp is a cut, regardless of the events there
   */
  boolean fire(CutState state);
}
