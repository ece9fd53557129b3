package io.retroscope.rql.cut;

/** Makes cuts where no event falls, because time alone can change an answer. */
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

  /** Later than every stamp. */
  long NEVER = Long.MAX_VALUE;

  /** Packed stamp at which to be asked next, or {@link #NEVER}. */
  long next();

  /**
   * Hears of the state at every stamp that is walked; {@link #next} then lies later.
   *
   * @return whether the stamp is a cut, whatever was written at it
   */
  boolean fire(CutState state);
}
