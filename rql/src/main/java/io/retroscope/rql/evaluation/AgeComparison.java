// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A comparison of an age with a constant. It finds the times at which the comparison becomes true
 * although nothing is written.
 */
public final class AgeComparison {
  /*
   * As long as nothing is written, the compared expression either only rises or only falls. Its
   * order relative to the constant therefore changes at most twice, and a binary search over the
   * clock finds both times. Mostly an age itself is compared, so that the first guess is right.
   */
  private static final int UNKNOWN = 2;

  /**
   * The maximum number of bindings that are examined. A quantifier with more bindings fails at its
   * cuts anyway.
   */
  private static final long MAX_BINDINGS = 1_000_000;

  private final PerNodeEvaluator variable;
  private final List<Loop> loops;
  private final Evaluator left;
  private final Evaluator right;
  private final BinaryOperator operator;
  private final boolean negated;
  private final Cause cause;
  private long bindings;

  /** The distance of the operands that were compared last, if both are durations; otherwise 0. */
  private long distance;

  /** What changes the compared expression besides time. */
  public enum Cause {
    /** Only writes of the variable. */
    OWN_WRITES,
    /** Writes of any variable. */
    ALL_WRITES,
    /** Signs of nodes, and writes of any variable. Becoming false then counts as well. */
    SIGNS
  }

  /**
   * A name that an enclosing quantifier binds and that the comparison uses.
   *
   * @param moving the elements, if they change as time passes, as ages do
   */
  record Loop(int slot, ElementSource source, Optional<PerNodeEvaluator> moving) {
    void rebind(Frame frame) {
      if (moving.isPresent()) {
        int node = frame.slotNode(slot);
        Value value = moving.get().values(frame).at(node);
        frame.bind(slot, value == null ? NullValue.NULL : value, node);
      }
    }
  }

  /**
   * Creates a comparison.
   *
   * @param variable the variable whose age is compared
   * @param loops outermost first
   * @param negated whether the comparison is below NOT, so that becoming false counts as well
   */
  AgeComparison(
      PerNodeEvaluator variable,
      List<Loop> loops,
      Evaluator left,
      Evaluator right,
      BinaryOperator operator,
      boolean negated,
      Cause cause) {
    this.variable = variable;
    this.loops = List.copyOf(loops);
    this.left = left;
    this.right = right;
    this.operator = operator;
    this.negated = negated;
    this.cause = cause;
  }

  public VariableColumn column(Frame frame) {
    return (VariableColumn) variable.values(frame);
  }

  /** What changes the compared expression besides time. */
  public Cause cause() {
    return cause;
  }

  /**
   * Returns whether the comparison becomes true for some binding at the present stamp because time
   * has passed.
   */
  public boolean turnsNow(Frame frame) {
    long hlc = frame.state().hlc();
    long now = HlcTimestamp.micros(hlc);
    bindings = 0;
    // Time passes at the first logical tick of a microsecond.
    return HlcTimestamp.logical(hlc) == 0
        && any(frame, 0, () -> counts(orderAt(now - 1, frame), orderAt(now, frame)));
  }

  /**
   * Returns whether a sign of a node makes the comparison true or false for some binding at the
   * present stamp.
   */
  public boolean turnsBySign(Frame frame) {
    long hlc = frame.state().hlc();
    bindings = 0;
    return any(frame, 0, () -> counts(orderAtStamp(hlc - 1, frame), orderAtStamp(hlc, frame)));
  }

  /**
   * Returns the packed stamp at which the comparison next becomes true for some binding if nothing
   * is written, or {@link CutTimers#NEVER}.
   */
  public long nextTurn(Frame frame) {
    long now = HlcTimestamp.micros(frame.state().hlc());
    long[] earliest = {Long.MAX_VALUE};
    bindings = 0;
    any(
        frame,
        0,
        () -> {
          earliest[0] = Math.min(earliest[0], turnAfter(now, frame));
          return false;
        });
    return earliest[0] == Long.MAX_VALUE ? CutTimers.NEVER : HlcTimestamp.pack(earliest[0]);
  }

  private boolean any(Frame frame, int depth, BooleanSupplier question) {
    if (depth == loops.size()) {
      return question.getAsBoolean();
    }
    Elements elements = new Elements();
    try {
      if (!loops.get(depth).source().gather(frame, elements)) {
        return false;
      }
    } catch (EvaluationException e) {
      return false;
    }
    boolean any = false;
    for (int i = 0; i < elements.count() && bindings++ < MAX_BINDINGS; i++) {
      frame.bind(loops.get(depth).slot(), elements.value(i), elements.node(i));
      any |= any(frame, depth + 1, question);
    }
    return any;
  }

  private long turnAfter(long micros, Frame frame) {
    long before = micros;
    long after = nextChange(before, frame);
    while (after != Long.MAX_VALUE && !counts(orderAt(before, frame), orderAt(after, frame))) {
      before = after;
      after = nextChange(before, frame);
    }
    return after;
  }

  /** Returns the first microsecond after the given one at which the order is different. */
  private long nextChange(long micros, Frame frame) {
    int order = orderAt(micros, frame);
    if (order == UNKNOWN) {
      return Long.MAX_VALUE;
    }
    long guess = micros + Math.max(1, Math.min(distance, HlcTimestamp.MAX_MICROS - micros));
    if (orderAt(guess - 1, frame) == order && orderAt(guess, frame) != order) {
      return guess;
    }
    long same = micros;
    long step = 1;
    while (orderAt(same + step, frame) == order) {
      same += step;
      step *= 2;
      if (same + step > HlcTimestamp.MAX_MICROS) {
        return Long.MAX_VALUE;
      }
    }
    long other = same + step;
    while (other - same > 1) {
      long middle = same + (other - same) / 2;
      if (orderAt(middle, frame) == order) {
        same = middle;
      } else {
        other = middle;
      }
    }
    return other;
  }

  private boolean counts(int before, int after) {
    if (before == UNKNOWN || after == UNKNOWN) {
      return false;
    }
    boolean was = operator.holds(before);
    boolean is = operator.holds(after);
    return is ? !was : was && (negated || cause == Cause.SIGNS);
  }

  private int orderAt(long micros, Frame frame) {
    return orderAtStamp(HlcTimestamp.pack(Math.max(0, micros)), frame);
  }

  /** The distance of two durations, in microseconds; 0 if it is too large. */
  private static long distance(DurationValue a, DurationValue b) {
    return Math.max(0, Math.abs(a.micros() - b.micros()));
  }

  private int orderAtStamp(long stamp, Frame frame) {
    CutState state = frame.state();
    long hlc = state.hlc();
    state.lookFrom(stamp);
    try {
      for (Loop loop : loops) {
        loop.rebind(frame);
      }
      Value a = left.value(frame);
      Value b = right.value(frame);
      distance = a instanceof DurationValue x && b instanceof DurationValue y ? distance(x, y) : 0;
      return Types.isNull(a) || Types.isNull(b) ? UNKNOWN : Integer.signum(Comparison.order(a, b));
    } catch (EvaluationException e) {
      return UNKNOWN;
    } finally {
      state.lookFrom(hlc);
    }
  }
}
