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
        public void fire(CutState state) {}
      };

  /** Later than every stamp. */
  long NEVER = Long.MAX_VALUE;

  /** Packed stamp at which to be asked next, or {@link #NEVER}. */
  long next();

  /** Touches the columns for which the state's stamp is a cut; {@link #next} then lies later. */
  void fire(CutState state);
}
