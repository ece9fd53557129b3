package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import java.util.function.BooleanSupplier;

/**
 * Asks whether a query is still wanted after every few milliseconds of work, also within one cut.
 * Used by one thread.
 */
public final class WorkMeter {
  /*
   * A unit is a small step, such as a binding or an element of a set that is looked at. Counting
   * them costs less than to read a clock, and is as good: this many take a millisecond or two.
   */
  private static final int UNITS_BETWEEN_QUESTIONS = 8_192;

  private final BooleanSupplier cancelled;
  private long units;

  /** The query is not wanted any more; thrown from within a cut. */
  public static final class CancelledException extends RuntimeException {
    private static final long serialVersionUID = 1;

    CancelledException() {
      super("the query was cancelled", null, false, false);
    }
  }

  public WorkMeter(BooleanSupplier cancelled) {
    this.cancelled = cancelled;
  }

  /**
   * Counts work that is about to be done.
   *
   * @throws CancelledException if it is not wanted any more
   */
  public void add(long more) {
    units += more;
    if (units >= UNITS_BETWEEN_QUESTIONS) {
      units = 0;
      if (cancelled.getAsBoolean()) {
        throw new CancelledException();
      }
    }
  }

  /** Counts the work that an operator does on its operand. */
  void addFor(Value operand) {
    if (operand instanceof SetValue set) {
      add(set.elements().size());
    }
  }
}
