package io.retroscope.rql.evaluation;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.CutState;
import io.retroscope.rql.cut.CutTimers;
import io.retroscope.rql.cut.VariableColumn;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A comparison of Age(...) with a constant: when does it become true as time passes? */
public final class AgeComparison {
  /*
   * As long as nothing is written, what is compared only rises or only falls. So its order to the
   * constant changes at most twice, and a binary search over the clock finds where.
   */
  private static final int UNKNOWN = 2;

  /** Bindings that are looked at; a quantifier with more fails at its cuts anyway. */
  private static final long MAX_BINDINGS = 1_000_000;

  private final PerNodeEvaluator variable;
  private final List<Loop> loops;
  private final Evaluator left;
  private final Evaluator right;
  private final BinaryOperator operator;
  private final boolean negated;
  private final boolean steady;
  private long bindings;

  /**
   * A name that a quantifier around the comparison binds, and that the comparison uses.
   *
   * @param moving the elements, where time changes them: ages
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
   * A comparison.
   *
   * @param variable whose age is compared
   * @param loops outermost first
   * @param negated whether NOT stands around it, so that becoming false counts as well
   * @param steady whether only changes of the variable change what is compared
   */
  AgeComparison(
      PerNodeEvaluator variable,
      List<Loop> loops,
      Evaluator left,
      Evaluator right,
      BinaryOperator operator,
      boolean negated,
      boolean steady) {
    this.variable = variable;
    this.loops = List.copyOf(loops);
    this.left = left;
    this.right = right;
    this.operator = operator;
    this.negated = negated;
    this.steady = steady;
  }

  public VariableColumn column(Frame frame) {
    return (VariableColumn) variable.values(frame);
  }

  public boolean isSteady() {
    return steady;
  }

  /** Whether it becomes true, of some binding, just now because time passes. */
  public boolean turnsNow(Frame frame) {
    long now = HlcTimestamp.micros(frame.state().hlc());
    bindings = 0;
    return any(frame, 0, () -> counts(orderAt(now - 1, frame), orderAt(now, frame)));
  }

  /**
   * Packed stamp at which it next becomes true, of some binding, if nothing is written; {@link
   * CutTimers#NEVER} if it does not.
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

  /** The first microsecond behind this one at which the order is another. */
  private long nextChange(long micros, Frame frame) {
    int order = orderAt(micros, frame);
    if (order == UNKNOWN) {
      return Long.MAX_VALUE;
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
    boolean was = Comparison.holds(operator, before);
    boolean is = Comparison.holds(operator, after);
    return is ? !was : negated && was;
  }

  private int orderAt(long micros, Frame frame) {
    CutState state = frame.state();
    long hlc = state.hlc();
    state.lookFrom(HlcTimestamp.pack(Math.max(0, micros)));
    try {
      for (Loop loop : loops) {
        loop.rebind(frame);
      }
      Value a = left.value(frame);
      Value b = right.value(frame);
      return Types.isNull(a) || Types.isNull(b) ? UNKNOWN : Integer.signum(Comparison.order(a, b));
    } catch (EvaluationException e) {
      return UNKNOWN;
    } finally {
      state.lookFrom(hlc);
    }
  }
}
