// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.List;

/**
 * The quantifiers EXISTS, FORALL, COUNT, FILTER and FOREACH, evaluated over every binding.
 * Evaluation does not stop at a binding that decides, because an error in any binding is an error
 * of the cut.
 */
final class Quantification implements Evaluator {
  private final Quantifier quantifier;
  private final int firstSlot;
  private final int boundCount;
  private final ElementSource source;
  private final Evaluator body;
  private final SourceRange range;
  private final SourceRange bodyRange;
  private final long maxBindings;

  Quantification(
      Quantifier quantifier,
      int firstSlot,
      int boundCount,
      ElementSource source,
      Evaluator body,
      SourceRange range,
      SourceRange bodyRange,
      long maxBindings) {
    this.quantifier = quantifier;
    this.firstSlot = firstSlot;
    this.boundCount = boundCount;
    this.source = source;
    this.body = body;
    this.range = range;
    this.bodyRange = bodyRange;
    this.maxBindings = maxBindings;
  }

  /** The numbers of bindings for which the body was TRUE and NULL. */
  private static final class Tally {
    private long trueCount;
    private long nullCount;
    private long total;
    private final List<Value> kept = new ArrayList<>();
  }

  @Override
  public Value value(Frame frame) {
    Elements elements = new Elements();
    boolean known;
    try {
      known = source.gather(frame, elements);
    } catch (EvaluationException e) {
      throw e.at(range);
    }
    if (!known) {
      return quantifier == Quantifier.FOREACH ? BooleanValue.TRUE : NullValue.NULL;
    }
    checkBindings(frame.tryBindings(Math.pow(elements.count(), boundCount)));
    Tally tally = new Tally();
    bind(0, elements, frame, tally);
    return result(tally);
  }

  private void checkBindings(double bindings) {
    if (bindings > maxBindings) {
      throw new EvaluationException(
              ErrorCode.TOO_MANY_BINDINGS, (long) Math.min(bindings, Long.MAX_VALUE), maxBindings)
          .at(range);
    }
  }

  private void bind(int depth, Elements elements, Frame frame, Tally tally) {
    int slot = firstSlot + depth;
    for (int i = 0; i < elements.count(); i++) {
      frame.bind(slot, elements.value(i), elements.node(i));
      if (depth + 1 < boundCount) {
        bind(depth + 1, elements, frame, tally);
      } else {
        count(body.value(frame), frame, tally);
      }
    }
  }

  private void count(Value truth, Frame frame, Tally tally) {
    frame.work().add(1);
    tally.total++;
    if (truth instanceof BooleanValue value) {
      tally.trueCount += value.value() ? 1 : 0;
      if (value.value() && quantifier == Quantifier.FILTER) {
        tally.kept.add(frame.slot(firstSlot));
      }
    } else if (quantifier != Quantifier.FOREACH) {
      try {
        Types.truth(truth, quantifier.name());
      } catch (EvaluationException e) {
        throw NaryOperation.locate(e, bodyRange, frame, body);
      }
      tally.nullCount++;
    }
  }

  private Value result(Tally tally) {
    return switch (quantifier) {
      case FOREACH -> BooleanValue.TRUE;
      case COUNT -> Value.of(tally.trueCount);
      case FILTER -> new SetValue(tally.kept);
      case EXISTS ->
          tally.trueCount > 0
              ? BooleanValue.TRUE
              : tally.nullCount > 0 ? NullValue.NULL : BooleanValue.FALSE;
      case FORALL ->
          tally.trueCount + tally.nullCount < tally.total
              ? BooleanValue.FALSE
              : tally.nullCount > 0 ? NullValue.NULL : BooleanValue.TRUE;
    };
  }
}
