// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static io.retroscope.rql.oracle.NaiveValues.elementsOrNone;
import static io.retroscope.rql.oracle.NaiveValues.holds;
import static io.retroscope.rql.oracle.NaiveValues.isNull;
import static io.retroscope.rql.oracle.NaiveValues.isSet;
import static io.retroscope.rql.oracle.NaiveValues.requireCommonType;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import java.util.ArrayList;
import java.util.List;

/** A direct implementation of operators and functions of sets. */
final class NaiveSets {
  private NaiveSets() {}

  /** Returns a union, intersection or difference, in which NULL is an empty set. */
  static Value algebra(BinaryOperator operator, Value a, Value b) {
    List<Value> left = elementsOrNone(a);
    List<Value> right = elementsOrNone(b);
    if (operator != BinaryOperator.UNION) {
      requireCommonType(left, right);
    }
    List<Value> result = new ArrayList<>(left);
    switch (operator) {
      case UNION -> result.addAll(right);
      case INTERSECT -> result.removeIf(e -> !holds(right, e));
      default -> result.removeIf(e -> holds(right, e));
    }
    return new SetValue(result);
  }

  static Value subset(BinaryOperator operator, Value a, Value b) {
    if (isNull(a) || isNull(b)) {
      return NullValue.NULL;
    }
    List<Value> left = elementsOrNone(a);
    List<Value> right = elementsOrNone(b);
    requireCommonType(left, right);
    boolean subset = left.stream().allMatch(e -> holds(right, e));
    boolean proper = operator == BinaryOperator.IS_PROPER_SUBSET;
    return Value.of(subset && !(proper && right.stream().allMatch(e -> holds(left, e))));
  }

  /** Returns the result of flatten, cardinality or subset. */
  static Value call(String function, List<Value> sets) {
    if (sets.stream().anyMatch(NaiveValues::isNull)) {
      return NullValue.NULL;
    }
    if (sets.stream().limit(function.equals("flatten") ? 9 : 1).anyMatch(s -> !isSet(s))) {
      throw new NoValue(function + " of " + sets);
    }
    List<Value> elements = elementsOrNone(sets.get(0));
    return switch (function) {
      case "cardinality" -> Value.of(elements.size());
      case "subset" -> {
        long count = NaiveFunctions.whole(sets.get(1));
        if (count < 0) {
          throw new NoValue("subset of " + count);
        }
        yield new SetValue(elements.stream().sorted().limit(count).toList());
      }
      default -> {
        List<Value> flat = new ArrayList<>();
        for (Value set : sets) {
          for (Value element : elementsOrNone(set)) {
            flat.addAll(element instanceof SetValue inner ? inner.elements() : List.of(element));
          }
        }
        yield new SetValue(flat);
      }
    };
  }
}
