package io.retroscope.rql.evaluation;

import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.cut.NodeTable;
import io.retroscope.rql.cut.QuietRule;
import io.retroscope.rql.cut.VariableColumn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A quantifier over the LONGs of a variable or over NODES whose body is a quiet rule. Tries all
 * bindings, as the evaluator does, so that a failure of any is found. Used by one thread.
 */
final class BoundLoop {
  private final Quantifier quantifier;
  private final List<Binding> names;
  private final @Nullable VariableColumn column;
  private final NodeTable nodes;
  private final QuietRule body;
  private final double maxBindings;
  private final int boundAtOnce;

  /* The bindings for which the body is surely TRUE, may be TRUE, may be FALSE, and so on. */
  private long total;
  private long surelyTrue;
  private long perhapsTrue;
  private long surelyFalse;
  private long perhapsFalse;
  private boolean perhapsNull;
  private boolean isUnknown;

  /** The element to which a name is bound at present. */
  static final class Binding {
    private int node = NodeTable.NONE;
    private long low;
    private long high;
  }

  /**
   * A loop.
   *
   * @param column null for a loop over NODES
   * @param boundAtOnce the number of names that are bound in the body, including those outside
   * @param maxBindings the number of bindings from which on the quantifier might fail
   */
  BoundLoop(
      Quantifier quantifier,
      List<Binding> names,
      @Nullable VariableColumn column,
      NodeTable nodes,
      QuietRule body,
      int boundAtOnce,
      double maxBindings) {
    this.quantifier = quantifier;
    this.names = names;
    this.column = column;
    this.nodes = nodes;
    this.body = body;
    this.boundAtOnce = boundAtOnce;
    this.maxBindings = maxBindings;
  }

  /** The truth of EXISTS or, with another quantifier, FORALL. */
  QuietRule truth() {
    return () -> {
      tryAll();
      if (isUnknown) {
        return QuietRule.UNKNOWN;
      }
      return quantifier == Quantifier.EXISTS ? exists() : forAll();
    };
  }

  private int exists() {
    if (surelyTrue > 0) {
      return QuietRule.TRUE;
    }
    return (perhapsTrue > 0 ? QuietRule.TRUE : 0)
        | (perhapsFalse == total ? QuietRule.FALSE : 0)
        | (perhapsNull ? QuietRule.NULL : 0);
  }

  private int forAll() {
    if (surelyFalse > 0) {
      return QuietRule.FALSE;
    }
    return (perhapsFalse > 0 ? QuietRule.FALSE : 0)
        | (perhapsTrue == total ? QuietRule.TRUE : 0)
        | (perhapsNull ? QuietRule.NULL : 0);
  }

  /** The value of COUNT. */
  LongTerm number() {
    return new LongTerm() {
      @Override
      int read() {
        tryAll();
        low = surelyTrue;
        high = perhapsTrue;
        return isUnknown ? UNKNOWN : KNOWN;
      }
    };
  }

  private void tryAll() {
    total = 0;
    surelyTrue = 0;
    perhapsTrue = 0;
    surelyFalse = 0;
    perhapsFalse = 0;
    perhapsNull = false;
    isUnknown =
        (column != null && !column.isAllLong())
            || Math.pow(nodes.size(), boundAtOnce) >= maxBindings;
    if (!isUnknown) {
      bind(0, 1);
    }
  }

  private void bind(int depth, long weight) {
    if (depth == names.size()) {
      count(body.truths(), weight);
      return;
    }
    Binding name = names.get(depth);
    if (column != null && column.isInStretch()) {
      name.low = column.minLow();
      name.high = column.maxHigh();
      bind(depth + 1, weight * column.present());
      return;
    }
    for (int node = 0; node < nodes.size() && !isUnknown; node++) {
      if (column == null || column.isLong(node)) {
        name.node = node;
        name.low = column == null ? 0 : column.low(node);
        name.high = name.low;
        bind(depth + 1, weight);
      }
    }
  }

  private void count(int truths, long weight) {
    isUnknown |= truths == QuietRule.UNKNOWN;
    total += weight;
    surelyTrue += truths == QuietRule.TRUE ? weight : 0;
    perhapsTrue += (truths & QuietRule.TRUE) != 0 ? weight : 0;
    surelyFalse += truths == QuietRule.FALSE ? weight : 0;
    perhapsFalse += (truths & QuietRule.FALSE) != 0 ? weight : 0;
    perhapsNull |= (truths & QuietRule.NULL) != 0;
  }

  /** The LONG to which a name is bound. */
  static LongTerm value(Binding name) {
    return new LongTerm() {
      @Override
      int read() {
        low = name.low;
        high = name.high;
        return KNOWN;
      }
    };
  }

  /** The value of a variable at the node to which a name is bound. */
  static LongTerm at(Binding name, VariableColumn variable) {
    return new LongTerm() {
      @Override
      int read() {
        if (!variable.isLong(name.node)) {
          return variable.isSet(name.node) ? UNKNOWN : NULL;
        }
        low = variable.low(name.node);
        high = variable.high(name.node);
        return KNOWN;
      }

      @Override
      VariableColumn atNodeOf() {
        return variable;
      }
    };
  }
}
