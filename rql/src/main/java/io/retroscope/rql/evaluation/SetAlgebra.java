// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/** Operators on sets. As an operand of UNION, INTERSECT and {@code \}, NULL is the empty set. */
final class SetAlgebra {
  private static final SetValue EMPTY = new SetValue(List.of());

  private SetAlgebra() {}

  static Value union(Value a, Value b, QueryLimits limits) {
    List<Value> all = new ArrayList<>(orEmpty(a, "UNION").elements());
    all.addAll(orEmpty(b, "UNION").elements());
    return bounded(new SetValue(all), limits);
  }

  static Value intersect(Value a, Value b) {
    SetValue left = orEmpty(a, "INTERSECT");
    SetValue right = orEmpty(b, "INTERSECT");
    ElementTypes.check(left, right, "INTERSECT");
    return new SetValue(left.elements().stream().filter(right::contains).toList());
  }

  static Value difference(Value a, Value b) {
    SetValue left = orEmpty(a, "\\");
    SetValue right = orEmpty(b, "\\");
    ElementTypes.check(left, right, "\\");
    return new SetValue(left.elements().stream().filter(e -> !right.contains(e)).toList());
  }

  /** Returns the elements of all nested sets, together with the elements that are not sets. */
  static Value flatten(Value[] sets, QueryLimits limits) {
    List<Value> flat = new ArrayList<>();
    for (Value set : sets) {
      if (Types.isNull(set)) {
        return NullValue.NULL;
      }
      for (Value element : Comparison.set(set, "Flatten").elements()) {
        if (element instanceof SetValue inner) {
          flat.addAll(inner.elements());
        } else {
          flat.add(element);
        }
      }
    }
    return bounded(new SetValue(flat), limits);
  }

  /** Returns whether every element of {@code a} is in {@code b}. */
  static Value isSubset(Value a, Value b, boolean proper) {
    if (Types.isNull(a) || Types.isNull(b)) {
      return NullValue.NULL;
    }
    String operation = proper ? "ISPROPSUBSET" : "ISSUBSET";
    SetValue left = Comparison.set(a, operation);
    SetValue right = Comparison.set(b, operation);
    ElementTypes.check(left, right, operation);
    return Value.of(
        left.elements().stream().allMatch(right::contains)
            && (!proper || left.elements().size() < right.elements().size()));
  }

  /** The operator {@code a..b}; both ends are in the set. */
  static Value range(Value a, Value b, QueryLimits limits) {
    if (Types.isNull(a) || Types.isNull(b)) {
      return NullValue.NULL;
    }
    if (!(a instanceof LongValue from) || !(b instanceof LongValue to)) {
      throw Types.wrong(".. takes LONGs, not " + Types.described(a instanceof LongValue ? b : a));
    }
    long first = from.value();
    long last = to.value();
    if (first > last) {
      return EMPTY;
    }
    long span = last - first;
    // Negative if the difference overflows.
    checkSize(span < 0 || span == Long.MAX_VALUE ? Long.MAX_VALUE : span + 1, limits);
    List<Value> elements = new ArrayList<>((int) span + 1);
    for (long i = 0; i <= span; i++) {
      elements.add(Value.of(first + i));
    }
    return new SetValue(elements);
  }

  static SetValue orEmpty(Value value, String operation) {
    return Types.isNull(value) ? EMPTY : Comparison.set(value, operation);
  }

  /** Returns the set, and rejects one that is too large or nested too deeply. */
  static SetValue bounded(SetValue set, QueryLimits limits) {
    checkSize(set.elements().size(), limits);
    count(set, 0, 1, limits);
    return set;
  }

  /**
   * Counts nested elements as well, because nested sets may be shared and grow with every level.
   */
  private static int count(SetValue set, int counted, int level, QueryLimits limits) {
    if (level > limits.parse().maxNesting()) {
      throw new EvaluationException(ErrorCode.NESTED_TOO_DEEP, limits.parse().maxNesting());
    }
    int all = counted + set.elements().size();
    if (all > limits.evaluation().maxSetElements()) {
      throw new EvaluationException(
          ErrorCode.SET_TOO_LARGE,
          "more than " + limits.evaluation().maxSetElements(),
          limits.evaluation().maxSetElements());
    }
    for (Value element : set.elements()) {
      if (element instanceof SetValue inner) {
        all = count(inner, all, level + 1, limits);
      }
    }
    return all;
  }

  private static void checkSize(long size, QueryLimits limits) {
    if (size > limits.evaluation().maxSetElements()) {
      throw new EvaluationException(
          ErrorCode.SET_TOO_LARGE, size, limits.evaluation().maxSetElements());
    }
  }
}
