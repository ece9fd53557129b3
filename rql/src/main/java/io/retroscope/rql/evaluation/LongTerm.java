package io.retroscope.rql.evaluation;

import io.retroscope.rql.analysis.RqlFunction.Aggregate;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.NodeTable;
import io.retroscope.rql.cut.VariableColumn;

/**
 * A LONG that is computed without objects from the present state. It is read first, which shows
 * whether there is one. Used by one thread.
 */
abstract class LongTerm {
  /** The expression has the {@link #number}. */
  static final int KNOWN = 0;

  /** The expression is NULL. */
  static final int NULL = 1;

  /** The expression has to be evaluated, and may fail. */
  static final int UNKNOWN = 2;

  /** Valid after {@link #read} has returned KNOWN, until the state changes. */
  long number;

  /** Returns KNOWN, NULL or UNKNOWN. */
  abstract int read();

  /** A constant. */
  static final class Constant extends LongTerm {
    Constant(long number) {
      this.number = number;
    }

    @Override
    int read() {
      return KNOWN;
    }
  }

  /** The value of a variable at one node. */
  static final class AtNode extends LongTerm {
    private final VariableColumn column;
    private final NodeTable nodes;
    private final String name;
    private int node = NodeTable.NONE;

    AtNode(VariableColumn column, NodeTable nodes, String name) {
      this.column = column;
      this.nodes = nodes;
      this.name = name;
    }

    @Override
    int read() {
      if (node == NodeTable.NONE) {
        node = nodes.find(name);
      }
      if (column.isLong(node)) {
        number = column.number(node);
        return KNOWN;
      }
      return column.isSet(node) ? UNKNOWN : NULL;
    }
  }

  /** An aggregate of a variable over all nodes: COUNT, MIN, MAX or SPREAD. */
  static final class OverNodes extends LongTerm {
    private final Aggregate function;
    private final VariableColumn column;

    OverNodes(Aggregate function, VariableColumn column) {
      this.function = function;
      this.column = column;
    }

    @Override
    int read() {
      if (!column.isAllLong()) {
        return UNKNOWN;
      }
      number =
          switch (function) {
            case COUNT -> column.present();
            case MIN -> column.min();
            case MAX -> column.max();
            case SPREAD -> column.max() - column.min();
            default -> throw new AssertionError("no rule for " + function);
          };
      return function == Aggregate.SPREAD && number < 0 ? UNKNOWN : KNOWN;
    }
  }

  /** The operators {@code + - *}. An overflow is left to the evaluator, which fails. */
  static final class Operation extends LongTerm {
    private final BinaryOperator operator;
    private final LongTerm left;
    private final LongTerm right;

    Operation(BinaryOperator operator, LongTerm left, LongTerm right) {
      this.operator = operator;
      this.left = left;
      this.right = right;
    }

    @Override
    int read() {
      int kind = left.read() | right.read();
      return kind != KNOWN ? Math.min(kind, UNKNOWN) : apply(left.number, right.number);
    }

    private int apply(long a, long b) {
      boolean overflows;
      switch (operator) {
        case ADD -> {
          number = a + b;
          overflows = ((a ^ number) & (b ^ number)) < 0;
        }
        case SUBTRACT -> {
          number = a - b;
          overflows = ((a ^ b) & (a ^ number)) < 0;
        }
        case MULTIPLY -> {
          number = a * b;
          overflows = Math.multiplyHigh(a, b) != number >> (Long.SIZE - 1);
        }
        default -> throw new AssertionError("no rule for " + operator);
      }
      return overflows ? UNKNOWN : KNOWN;
    }
  }
}
