// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * The types of the elements that operators on sets compare. Elements of different types are
 * different, but where no two elements can be equal because of their types, the comparison is an
 * error, as that of two values is: its result would not depend on the values.
 */
final class ElementTypes {
  static final String FLATTEN = "Flatten(...) makes one set of their elements";

  private ElementTypes() {}

  /** Rejects a value of a type that no element has. NULL has no type. */
  static void check(Value value, SetValue set) {
    boolean isAny = false;
    for (Value element : set.elements()) {
      if (element.family() == value.family()) {
        return;
      }
      isAny |= !Types.isNull(element);
    }
    if (isAny) {
      throw never(
          "cannot compare %s with elements that are %s"
              .formatted(Types.described(value), types(set)),
          Value.setOf(value),
          set);
    }
  }

  /** Rejects sets that have elements, but none of a common type. */
  static void check(SetValue a, SetValue b, String operation) {
    boolean isAny = false;
    for (Value element : a.elements()) {
      if (!Types.isNull(element)) {
        if (b.elements().stream().anyMatch(other -> other.family() == element.family())) {
          return;
        }
        isAny = true;
      }
    }
    if (isAny && b.elements().stream().anyMatch(element -> !Types.isNull(element))) {
      throw never(
          "%s cannot compare elements that are %s with elements that are %s"
              .formatted(operation, types(a), types(b)),
          a,
          b);
    }
  }

  /**
   * Rejects the values of a variable at all nodes if each of them is a SET: to compare these SETs
   * as wholes is hardly ever meant.
   */
  static void rejectSets(Value values, String operation) {
    if (values instanceof SetValue set && areSets(set.elements())) {
      throw Types.wrong(operation + " would compare the SETs of the nodes, not their elements")
          .withHelp(FLATTEN);
    }
  }

  /** Whether there are elements, and all are SETs. */
  static boolean areSets(Collection<Value> values) {
    boolean areSets = false;
    for (Value element : values) {
      if (!Types.isNull(element)) {
        if (!(element instanceof SetValue)) {
          return false;
        }
        areSets = true;
      }
    }
    return areSets;
  }

  private static EvaluationException never(String message, SetValue a, SetValue b) {
    EvaluationException wrong = Types.wrong(message);
    if (areSets(a.elements()) || areSets(b.elements())) {
      return wrong.withHelp(FLATTEN);
    }
    String both = types(a) + " and " + types(b);
    return both.contains("STRING") && (both.contains("LONG") || both.contains("DOUBLE"))
        ? wrong.withHelp(Comparison.CONVERSIONS)
        : wrong;
  }

  /** {@code LONGs and STRINGs}. */
  private static String types(SetValue set) {
    return set.elements().stream()
        .filter(element -> !Types.isNull(element))
        .map(element -> element.typeName() + "s")
        .distinct()
        .collect(Collectors.joining(" and "));
  }
}
