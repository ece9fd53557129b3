package io.retroscope.blocks;

import io.retroscope.blocks.SealedZone.ValueRange;
import java.util.Optional;

/** The extremes of one variable over the cuts of a block. Used by one thread. */
final class RangeTracker {
  private static final int NO_CUT = -1;

  private final int variableId;
  private final VariableState state;
  private boolean declined;
  private int valuedCuts;
  private long min = Long.MAX_VALUE;
  private long max = Long.MIN_VALUE;
  private long minSpread = Long.MAX_VALUE;
  private long maxSpread = Long.MIN_VALUE;
  private int touchedIn = NO_CUT;

  /* The state since a cut, as long as no later cut has touched the variable. */
  private int since;
  private boolean valued;
  private boolean allLong;
  private long low;
  private long high;

  /**
   * A tracker that begins with the state before the block.
   *
   * @param declined whether the state does not contain all values that a query may see
   */
  RangeTracker(int variableId, VariableState state, boolean declined) {
    this.variableId = variableId;
    this.state = state;
    this.declined = declined;
    observe(0);
  }

  /** Notes that a cut touches the variable; returns whether that is news. */
  boolean touch(int cut) {
    boolean isNew = touchedIn != cut;
    touchedIn = cut;
    return isNew;
  }

  /** Notes the state after all events of a cut that touched the variable. */
  void observe(int cut) {
    endAt(cut);
    since = cut;
    valued = state.hasValue();
    allLong = state.isAllLong();
    if (valued && allLong) {
      low = state.min();
      high = state.max();
    }
  }

  private void endAt(int cut) {
    if (since == cut || !valued) {
      return;
    }
    if (!allLong || high - low < 0) { // a negative difference is one that does not fit
      declined = true;
      return;
    }
    valuedCuts += cut - since;
    min = Math.min(min, low);
    max = Math.max(max, high);
    minSpread = Math.min(minSpread, high - low);
    maxSpread = Math.max(maxSpread, high - low);
  }

  /** The range over all cuts; empty if there is a value that is not a LONG, or none at all. */
  Optional<ValueRange> range(int cutCount) {
    endAt(cutCount);
    return declined || valuedCuts == 0
        ? Optional.empty()
        : Optional.of(new ValueRange(variableId, valuedCuts, min, max, minSpread, maxSpread));
  }
}
