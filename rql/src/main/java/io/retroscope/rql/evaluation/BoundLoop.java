// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.cut.NodeTable;
import io.retroscope.rql.cut.QuietRule;
import io.retroscope.rql.cut.Stretch;
import io.retroscope.rql.cut.VariableColumn;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A quantifier over the numbers of a variable or over NODES whose body is a quiet rule. Tries all
 * bindings, as the evaluator does, so that a failure of any is found. Used by one thread.
 */
final class BoundLoop {
  /** The number of bindings up to which the body is evaluated for each at many cuts at once. */
  private static final int MAX_EACH = 64;

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
    private long[] each = {};
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
    return new QuietRule() {
      @Override
      public int truths() {
        tryAll();
        if (isUnknown) {
          return UNKNOWN;
        }
        return quantifier == Quantifier.EXISTS ? exists() : forAll();
      }

      @Override
      public boolean evaluate(Stretch stretch, byte[] to) {
        boolean exists = quantifier == Quantifier.EXISTS;
        Arrays.fill(to, 0, stretch.size(), (byte) (exists ? FALSE : TRUE));
        return tryEach(
            stretch,
            0,
            truths -> {
              if (exists) {
                LongLoops.max(truths, stretch.size(), to);
              } else {
                LongLoops.min(truths, stretch.size(), to);
              }
            });
      }
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

      @Override
      int readEach(Stretch stretch) {
        ensureSize(stretch);
        Arrays.fill(each, 0, stretch.size(), 0);
        boolean known =
            tryEach(stretch, 0, truths -> LongLoops.countTrue(truths, stretch.size(), each));
        return known ? KNOWN : UNKNOWN;
      }
    };
  }

  /** Gives the truths of the body at each place for each binding; returns whether all are known. */
  private boolean tryEach(Stretch stretch, int depth, Consumer<byte[]> truths) {
    if (depth == 0 && (isBeyondLimits() || Math.pow(nodes.size(), names.size()) > MAX_EACH)) {
      return false;
    }
    if (depth == names.size()) {
      byte[] found = new byte[stretch.size()];
      boolean known = body.evaluate(stretch, found);
      if (known) {
        truths.accept(found);
      }
      return known;
    }
    Binding name = names.get(depth);
    boolean known = true;
    for (int node = 0; node < nodes.size() && known; node++) {
      if (column == null || column.isPacked(node)) {
        name.node = node;
        name.each = column == null ? name.each : column.series(stretch).at(node);
        known = tryEach(stretch, depth + 1, truths);
      }
    }
    return known;
  }

  private boolean isBeyondLimits() {
    return (column != null && !column.isAllPacked())
        || Math.pow(nodes.size(), boundAtOnce) >= maxBindings;
  }

  private void tryAll() {
    total = 0;
    surelyTrue = 0;
    perhapsTrue = 0;
    surelyFalse = 0;
    perhapsFalse = 0;
    perhapsNull = false;
    isUnknown = isBeyondLimits();
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
    if (column != null && column.bounds().isStretch()) {
      name.low = column.bounds().minLow();
      name.high = column.bounds().maxHigh();
      bind(depth + 1, weight * column.present());
      return;
    }
    for (int node = 0; node < nodes.size() && !isUnknown; node++) {
      if (column == null || column.isPacked(node)) {
        name.node = node;
        name.low = column == null ? 0 : column.bounds().low(node);
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

  /** The value of a variable to which a name is bound. */
  static LongTerm value(Binding name, VariableColumn variable) {
    return new LongTerm() {
      @Override
      VariableColumn column() {
        return variable;
      }

      @Override
      int read() {
        type = variable.packedType();
        low = name.low;
        high = name.high;
        return KNOWN;
      }

      @Override
      int readEach(Stretch stretch) {
        type = variable.packedType();
        each = name.each;
        return KNOWN;
      }
    };
  }

  /** The value of a variable at the node to which a name is bound. */
  static LongTerm at(Binding name, VariableColumn variable) {
    return new LongTerm() {
      @Override
      int read() {
        return readAt(name.node, variable);
      }

      @Override
      VariableColumn column() {
        return variable;
      }

      @Override
      int readEach(Stretch stretch) {
        return readEachAt(name.node, variable, stretch);
      }

      @Override
      VariableColumn atNodeOf() {
        return variable;
      }
    };
  }
}
