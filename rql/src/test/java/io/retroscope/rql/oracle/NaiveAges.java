// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.NodeReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The comparisons of an age with a constant in a query. Each is evaluated for every binding of the
 * names that it uses, at a stamp and just before it, to decide whether it becomes true. Below NOT,
 * and for a silence, becoming false counts as well.
 */
final class NaiveAges {
  private final Map<String, String> each;
  private final List<Comparison> comparisons = new ArrayList<>();

  /**
   * One of the comparisons.
   *
   * @param around the quantifiers whose names it uses, outermost first
   * @param negated whether it is below NOT
   */
  private record Comparison(
      List<Expression.Quantified> around, Expression.Binary comparison, boolean negated) {
    boolean isOfSilence() {
      return Stream.concat(around.stream(), Stream.of(comparison))
          .flatMap(e -> e.all(Expression.Call.class).stream())
          .anyMatch(call -> call.function().text().equalsIgnoreCase("silence"));
    }
  }

  NaiveAges(List<Expression> expressions, Map<String, String> each) {
    this.each = each;
    expressions.forEach(e -> search(e, List.of(), false));
  }

  private void search(Expression e, List<Expression.Quantified> around, boolean negated) {
    if (e instanceof Expression.Binary binary
        && isComparison(binary.operator())
        && (isConstant(binary.left()) || isConstant(binary.right()))
        && (holdsAge(binary.left(), around) || holdsAge(binary.right(), around))) {
      comparisons.add(new Comparison(used(binary, around), binary, negated));
    }
    if (e instanceof Expression.Quantified quantified) {
      search(quantified.collection(), around, negated);
      List<Expression.Quantified> inside = new ArrayList<>(around);
      inside.add(quantified);
      search(quantified.body(), inside, negated);
      return;
    }
    boolean not =
        e instanceof Expression.Unary unary && unary.operator() == Expression.UnaryOperator.NOT;
    e.children().forEach(child -> search(child, around, not != negated));
  }

  private static List<Expression.Quantified> used(
      Expression e, List<Expression.Quantified> around) {
    List<Expression.Quantified> used = new ArrayList<>();
    for (int i = 0; i < around.size(); i++) {
      Expression.Quantified quantified = around.get(i);
      boolean isUsed =
          NaiveEvaluator.names(quantified).stream()
              .anyMatch(
                  name ->
                      mentions(e, name)
                          || used.stream().anyMatch(inner -> mentions(inner.collection(), name)));
      if (isUsed) {
        used.add(quantified);
      }
    }
    return used;
  }

  private static boolean mentions(Expression e, String name) {
    boolean itself =
        (e instanceof Expression.Name n && n.identifier().text().equals(name))
            || (e instanceof Expression.AtNode atNode
                && atNode.node() instanceof NodeReference.Named node
                && node.name().text().equals(name));
    return itself || e.children().stream().anyMatch(child -> mentions(child, name));
  }

  private static boolean isComparison(BinaryOperator operator) {
    return switch (operator) {
      case EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> true;
      default -> false;
    };
  }

  private static boolean isConstant(Expression e) {
    boolean itself =
        e instanceof Expression.Literal
            || e instanceof Expression.Unary
            || e instanceof Expression.Binary;
    return itself && e.children().stream().allMatch(NaiveAges::isConstant);
  }

  /** Returns whether an expression contains an age: a call, or a name bound to its elements. */
  private static boolean holdsAge(Expression e, List<Expression.Quantified> around) {
    if (e instanceof Expression.Call call) {
      return holdsAge(call, around);
    }
    if (e instanceof Expression.Name name) {
      for (int i = around.size() - 1; i >= 0; i--) {
        if (NaiveEvaluator.names(around.get(i)).contains(name.identifier().text())) {
          return holdsAge(around.get(i).collection(), around.subList(0, i));
        }
      }
    }
    return !(e instanceof Expression.Quantified)
        && e.children().stream().anyMatch(child -> holdsAge(child, around));
  }

  /**
   * Returns whether a call is an age itself, an aggregate of ages only, or a conversion by Long or
   * Double.
   */
  private static boolean holdsAge(Expression.Call call, List<Expression.Quantified> around) {
    String name = call.function().text().toLowerCase(Locale.ROOT);
    boolean shows =
        name.equals("long")
            || name.equals("double")
            || RqlFunction.named(name).orElseThrow() instanceof RqlFunction.Aggregate;
    return (RqlFunction.named(name).orElseThrow() instanceof RqlFunction.PerNode age && age.isAge())
        || (shows && call.arguments().size() == 1 && holdsAge(call.arguments().get(0), around));
  }

  /**
   * Returns whether a comparison is true in the state but was not with the same values just before;
   * for one of silences, also the reverse.
   */
  boolean anyBecomesTrue(NaiveState now) {
    NaiveState before = now.seenAt(now.hlc - 1);
    for (Comparison comparison : comparisons) {
      List<Value> after = truths(comparison, now);
      List<Value> earlier = truths(comparison, before);
      for (int i = 0; i < after.size(); i++) {
        boolean mayFall = comparison.negated() || comparison.isOfSilence();
        boolean falls = mayFall && isFalse(after.get(i)) && !isFalse(earlier.get(i));
        if (falls || (isTrue(after.get(i)) && !isTrue(earlier.get(i)))) {
          return true;
        }
      }
    }
    return false;
  }

  private List<Value> truths(Comparison comparison, NaiveState state) {
    List<Value> truths = new ArrayList<>();
    bind(comparison, 0, new NaiveEvaluator(state, state, Map.of(), each), truths);
    return truths;
  }

  private void bind(
      Comparison comparison, int depth, NaiveEvaluator evaluator, List<Value> truths) {
    if (depth == comparison.around().size()) {
      truths.add(truth(comparison, evaluator));
      return;
    }
    Expression.Quantified quantified = comparison.around().get(depth);
    List<NaiveEvaluator.Element> elements = evaluator.elements(quantified.collection());
    if (elements != null) {
      evaluator.forEachBinding(
          NaiveEvaluator.names(quantified),
          elements,
          () -> bind(comparison, depth + 1, evaluator, truths));
    }
  }

  private static Value truth(Comparison comparison, NaiveEvaluator evaluator) {
    try {
      return evaluator.value(comparison.comparison());
    } catch (NoValue e) {
      return NullValue.NULL;
    }
  }

  private static boolean isTrue(Value value) {
    return NaiveValues.isTrue(value);
  }

  private static boolean isFalse(Value value) {
    return !NaiveValues.isNull(value) && !NaiveValues.isTrue(value);
  }
}
