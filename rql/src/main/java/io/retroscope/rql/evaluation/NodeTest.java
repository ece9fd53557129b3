// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.ValueType;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import io.retroscope.rql.cut.NodeCount;
import io.retroscope.rql.cut.TextTable;
import io.retroscope.rql.cut.VariableColumn;
import org.jspecify.annotations.Nullable;

/**
 * A comparison of something with a constant: {@code v@n < 3}, {@code 'leader' = v@n}, {@code v@n}
 * or {@code NOT v@n}.
 */
record NodeTest(Expression tested, BinaryOperator operator, Value constant) {
  /** Returns the test that a predicate is; null if it is none. */
  static @Nullable NodeTest of(Expression predicate) {
    if (predicate instanceof Expression.AtNode) {
      return new NodeTest(predicate, BinaryOperator.EQUAL, Value.of(true));
    }
    if (predicate instanceof Expression.Unary unary && unary.operator() == UnaryOperator.NOT) {
      return new NodeTest(unary.operand(), BinaryOperator.EQUAL, Value.of(false));
    }
    if (!(predicate instanceof Expression.Binary binary)) {
      return null;
    }
    boolean mirrored = binary.left() instanceof Expression.Literal;
    Expression tested = mirrored ? binary.right() : binary.left();
    Expression bound = mirrored ? binary.left() : binary.right();
    BinaryOperator operator = mirrored ? Extremes.mirrored(binary.operator()) : binary.operator();
    return bound instanceof Expression.Literal literal
        ? new NodeTest(tested, operator, literal.value())
        : null;
  }

  /** The type of the constant. */
  ValueType type() {
    if (constant instanceof StringValue) {
      return ValueType.STRING;
    }
    return constant instanceof BooleanValue ? ValueType.BOOLEAN : ValueType.LONG;
  }

  /** Returns a new count of the nodes for which the test holds; null if there is none. */
  @Nullable NodeCount count(VariableColumn column) {
    if (constant instanceof LongValue number) {
      return OverNodes.counting(operator, number.value());
    }
    if (operator != BinaryOperator.EQUAL && operator != BinaryOperator.NOT_EQUAL) {
      return null;
    }
    if (constant instanceof BooleanValue truth) {
      return OverNodes.counting(operator, truth.value() ? 1 : 0);
    }
    int number =
        constant instanceof StringValue text ? column.numberOf(text.value()) : TextTable.NONE;
    return number == TextTable.NONE ? null : OverNodes.counting(operator, number);
  }
}
