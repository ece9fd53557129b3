// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.ValueType;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.cut.NodeCount;
import io.retroscope.rql.cut.NodeTable;
import io.retroscope.rql.cut.QuietRule;
import io.retroscope.rql.cut.Stretch;
import io.retroscope.rql.cut.VariableColumn;
import org.jspecify.annotations.Nullable;

/**
 * A quantifier over NODES whose body compares one variable at the node with a constant, from the
 * number of nodes for which the comparison holds.
 *
 * @param type that of the constant
 * @param count the nodes for which the body is TRUE
 * @param maxNodes the number of nodes from which on the quantifier might try too many bindings
 */
record OverNodes(
    Quantifier quantifier,
    VariableColumn column,
    ValueType type,
    NodeTable nodes,
    NodeCount count,
    long maxNodes) {
  /** The count of the numbers that meet a comparison; null if the operator is none. */
  static @Nullable NodeCount counting(BinaryOperator operator, long bound) {
    return switch (operator) {
      case EQUAL -> new NodeCount(bound, bound, true);
      case NOT_EQUAL -> new NodeCount(bound, bound, false);
      case LESS -> new NodeCount(bound, Long.MAX_VALUE, false);
      case LESS_OR_EQUAL -> new NodeCount(Long.MIN_VALUE, bound, true);
      case GREATER -> new NodeCount(Long.MIN_VALUE, bound, false);
      case GREATER_OR_EQUAL -> new NodeCount(bound, Long.MAX_VALUE, true);
      default -> null;
    };
  }

  private boolean isKnown() {
    return column.holdsOnly(type) && nodes.size() < maxNodes;
  }

  /**
   * The truth of EXISTS or, with another quantifier, FORALL. A node without a value makes the body
   * NULL.
   */
  QuietRule truth() {
    boolean exists = quantifier == Quantifier.EXISTS;
    return new QuietRule() {
      private long[] counts = {};

      @Override
      public int truths() {
        if (!isKnown()) {
          return UNKNOWN;
        }
        int present = column.present();
        int leastDeciding = exists ? count.least() : present - count.most();
        int mostDeciding = exists ? count.most() : present - count.least();
        return (mostDeciding > 0 ? decided() : 0) | (leastDeciding > 0 ? 0 : otherwise());
      }

      @Override
      public boolean evaluate(Stretch stretch, byte[] to) {
        if (!isKnown()) {
          return false;
        }
        if (counts.length < stretch.size()) {
          counts = new long[stretch.size()];
        }
        column.series(stretch).count(count, counts);
        long none = exists ? 0 : column.present();
        byte decided = (byte) decided();
        byte otherwise = (byte) otherwise();
        for (int i = 0; i < stretch.size(); i++) {
          to[i] = counts[i] == none ? otherwise : decided;
        }
        return true;
      }

      private int decided() {
        return exists ? TRUE : FALSE;
      }

      private int otherwise() {
        return nodes.size() > column.present() ? NULL : exists ? FALSE : TRUE;
      }
    };
  }

  /** The value of COUNT. */
  LongTerm number() {
    return new LongTerm() {
      @Override
      int read() {
        low = count.least();
        high = count.most();
        return isKnown() ? KNOWN : UNKNOWN;
      }

      @Override
      int readEach(Stretch stretch) {
        if (!isKnown()) {
          return UNKNOWN;
        }
        ensureSize(stretch);
        column.series(stretch).count(count, each);
        return KNOWN;
      }
    };
  }
}
