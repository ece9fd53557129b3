// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import java.util.function.BooleanSupplier;

/**
 * A meter of work, which checks for cancellation after every few milliseconds of work, even within
 * one cut. Used by one thread.
 */
public final class WorkMeter {
  /*
   * A unit is a small step, such as a binding or an element of a set. Counting units costs less
   * than reading a clock and is precise enough: this many take a millisecond or two.
   */
  private static final int UNITS_BETWEEN_QUESTIONS = 8_192;

  private final BooleanSupplier cancelled;
  private long units;

  /** The cancellation of the query, thrown from within a cut. */
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
   * @throws CancelledException if the query is cancelled
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

  /** Counts the work of an operator on its operand. */
  void addFor(Value operand) {
    if (operand instanceof SetValue set) {
      add(set.elements().size());
    }
  }
}
