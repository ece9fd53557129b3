// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.OperatorKind;

/** Comparisons of two values in three-valued logic. */
final class Comparison {
  static final String CONVERSIONS = "String(number) and Long(text) convert between them";

  private Comparison() {}

  /** The operators {@code = != < <= > >=}. */
  static Value compare(BinaryOperator operator, Value a, Value b) {
    if (a instanceof LongValue x && b instanceof LongValue y) {
      return Value.of(operator.holds(Long.compare(x.value(), y.value())));
    }
    if (Types.isNull(a) || Types.isNull(b)) {
      return NullValue.NULL;
    }
    boolean ordered = operator.kind() == OperatorKind.ORDER;
    if (a.family() != b.family()) {
      throw incomparable(a, b);
    }
    return Value.of(operator.holds(ordered ? order(a, b) : a.compareTo(b)));
  }

  /** Returns the order of two values of one ordered type. Neither may be NULL. */
  static int order(Value a, Value b) {
    if (a.family() != b.family()) {
      throw incomparable(a, b);
    }
    if (a instanceof BooleanValue || a instanceof SetValue || a instanceof StructValue) {
      throw Types.wrong("a %s cannot be ordered".formatted(a.typeName()));
    }
    return a.compareTo(b);
  }

  static EvaluationException incomparable(Value a, Value b) {
    EvaluationException wrong =
        Types.wrong("cannot compare %s with %s".formatted(Types.described(a), Types.described(b)));
    if (isEither(a, b, BooleanValue.class)) {
      return wrong.withHelp("compare a BOOLEAN with TRUE or FALSE, or use it alone");
    }
    if (isEither(a, b, SetValue.class)) {
      return wrong.withHelp("x IN set tests for an element; " + ElementTypes.FLATTEN);
    }
    return isEither(a, b, StringValue.class) && isEither(a, b, LongValue.class)
        ? wrong.withHelp(CONVERSIONS)
        : wrong;
  }

  private static boolean isEither(Value a, Value b, Class<? extends Value> type) {
    return type.isInstance(a) || type.isInstance(b);
  }

  /**
   * The operator {@code element IN set}. It returns NULL if a NULL in the set might be the element,
   * and fails if no element has the type of the value.
   */
  static Value in(Value element, Value set) {
    if (Types.isNull(set)) {
      return NullValue.NULL;
    }
    SetValue elements = set(set, "IN");
    if (elements.elements().isEmpty()) {
      return BooleanValue.FALSE;
    }
    if (Types.isNull(element)) {
      return NullValue.NULL;
    }
    if (elements.contains(element)) {
      return BooleanValue.TRUE;
    }
    ElementTypes.check(element, elements);
    return elements.contains(NullValue.NULL) ? NullValue.NULL : BooleanValue.FALSE;
  }

  /** Returns whether a STRING contains a substring, or a SET an element. */
  static Value contains(Value whole, Value part) {
    if (whole instanceof SetValue) {
      return in(part, whole);
    }
    if (Types.isNull(whole) || Types.isNull(part)) {
      return NullValue.NULL;
    }
    if (whole instanceof StringValue text && part instanceof StringValue piece) {
      return Value.of(text.value().contains(piece.value()));
    }
    throw Types.wrong(
        whole instanceof StringValue
            ? "a STRING contains STRINGs, not " + Types.described(part)
            : "CONTAINS takes a STRING or a SET, not " + Types.described(whole));
  }

  static Value not(Value truth) {
    return truth instanceof BooleanValue value ? Value.of(!value.value()) : NullValue.NULL;
  }

  static SetValue set(Value value, String operation) {
    if (value instanceof SetValue set) {
      return set;
    }
    throw Types.wrong(operation + " takes a SET or a variable, not " + Types.described(value));
  }
}
