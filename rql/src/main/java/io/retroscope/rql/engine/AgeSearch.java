package io.retroscope.rql.engine;

import io.retroscope.rql.analysis.Function;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import io.retroscope.rql.ast.NodeReference;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the comparisons of Age(...) with a constant in a query.
 *
 * <p>Age may stand at a node, under an aggregate, or behind the name that a quantifier binds to its
 * elements; a constant may be added to it or subtracted, it may be multiplied or divided by one,
 * and Long or Double may convert it. All of that only rises or only falls as time passes.
 */
final class AgeSearch {
  private final Resolution resolution;
  private final Translator translator;
  private final List<AgeComparison> found = new ArrayList<>();

  private AgeSearch(Translator translator) {
    this.translator = translator;
    this.resolution = translator.resolution();
  }

  static List<AgeComparison> in(List<Expression> expressions, Translator translator) {
    AgeSearch search = new AgeSearch(translator);
    expressions.forEach(expression -> search.visit(expression, List.of(), false));
    return search.found;
  }

  /** Whether any of the expressions, or a part of one, is how old a value is. */
  static boolean asksAges(List<Expression> expressions) {
    return expressions.stream().anyMatch(e -> callOfAge(e) != null || asksAges(e.children()));
  }

  private void visit(Expression e, List<Expression.Quantified> around, boolean negated) {
    if (e instanceof Expression.Binary binary && isComparison(binary.operator())) {
      Expression.Call age =
          isConstant(binary.right())
              ? age(binary.left(), around)
              : isConstant(binary.left()) ? age(binary.right(), around) : null;
      if (age != null) {
        found.add(comparison(binary, age, around, negated));
      }
    }
    if (e instanceof Expression.Quantified quantified) {
      visit(quantified.collection(), around, negated);
      List<Expression.Quantified> inside = new ArrayList<>(around);
      inside.add(quantified);
      visit(quantified.body(), inside, negated);
      return;
    }
    boolean not = e instanceof Expression.Unary unary && unary.operator() == UnaryOperator.NOT;
    for (Expression child : e.children()) {
      visit(child, around, not != negated);
    }
  }

  private static boolean isComparison(BinaryOperator operator) {
    return switch (operator) {
      case EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> true;
      default -> false;
    };
  }

  private static boolean isConstant(Expression e) {
    boolean constant =
        e instanceof Expression.Literal
            || e instanceof Expression.SetLiteral
            || e instanceof Expression.Unary
            || e instanceof Expression.Binary;
    for (Expression child : e.children()) {
      constant = constant && isConstant(child);
    }
    return constant;
  }

  /** The call of Age on whose value an operand rests; null where it is no operand of that kind. */
  private Expression.@Nullable Call age(Expression e, List<Expression.Quantified> around) {
    if (e instanceof Expression.AtNode atNode) {
      return callOfAge(atNode.variable());
    }
    if (e instanceof Expression.Name) {
      Expression.Quantified quantified = binder(e, around);
      return quantified == null ? null : callOfAge(quantified.collection());
    }
    if (e instanceof Expression.Unary unary) {
      return unary.operator() == UnaryOperator.NEGATE ? age(unary.operand(), around) : null;
    }
    if (e instanceof Expression.Binary binary) {
      return switch (binary.operator()) {
        case ADD, SUBTRACT, MULTIPLY ->
            isConstant(binary.left())
                ? age(binary.right(), around)
                : isConstant(binary.right()) ? age(binary.left(), around) : null;
        case DIVIDE -> isConstant(binary.right()) ? age(binary.left(), around) : null;
        default -> null;
      };
    }
    if (e instanceof Expression.Call call && call.arguments().size() == 1) {
      return switch (FunctionTranslator.function(call)) {
        case MIN, MAX, AVG, SUM, NODE_SUM, MEDIAN, SPREAD -> callOfAge(call.arguments().get(0));
        case LONG, DOUBLE -> age(call.arguments().get(0), around);
        default -> null;
      };
    }
    return null;
  }

  private static Expression.@Nullable Call callOfAge(Expression e) {
    return e instanceof Expression.Call call && FunctionTranslator.function(call) == Function.AGE
        ? call
        : null;
  }

  /** The quantifier that binds a name. */
  private Expression.@Nullable Quantified binder(
      Expression name, List<Expression.Quantified> around) {
    if (!resolution.isCollection(name) && resolution.of(name) instanceof Reference.Bound bound) {
      for (Expression.Quantified quantified : around) {
        int index = bound.slot() - resolution.firstSlot(quantified);
        if (index >= 0 && index < quantified.variables().size()) {
          return quantified;
        }
      }
    }
    return null;
  }

  private AgeComparison comparison(
      Expression.Binary binary,
      Expression.Call age,
      List<Expression.Quantified> around,
      boolean negated) {
    Expression variable = age.arguments().get(0);
    Set<Integer> used = new HashSet<>();
    collectBound(binary, used);
    boolean steady = !computesNode(binary);
    List<AgeComparison.Loop> loops = new ArrayList<>();
    for (int i = around.size() - 1; i >= 0; i--) {
      Expression.Quantified quantified = around.get(i);
      int first = resolution.firstSlot(quantified);
      for (int name = quantified.variables().size() - 1; name >= 0; name--) {
        if (used.contains(first + name)) {
          collectBound(quantified.collection(), used);
          steady &= restsOn(quantified.collection(), variable);
          loops.add(0, translator.loop(quantified, name));
        }
      }
    }
    return new AgeComparison(
        translator.perNode(variable),
        loops,
        translator.one(binary.left()),
        translator.one(binary.right()),
        binary.operator(),
        negated,
        steady);
  }

  private void collectBound(Expression e, Set<Integer> slots) {
    if (e instanceof Expression.Name
        && !resolution.isCollection(e)
        && resolution.of(e) instanceof Reference.Bound bound) {
      slots.add(bound.slot());
    }
    if (e instanceof Expression.AtNode atNode && atNode.node() instanceof NodeReference.Named n) {
      resolution.boundNode(n).ifPresent(bound -> slots.add(bound.slot()));
    }
    for (Expression child : e.children()) {
      collectBound(child, slots);
    }
  }

  /** Whether a node is found by more than the name that a quantifier binds. */
  private static boolean computesNode(Expression e) {
    boolean computes =
        e instanceof Expression.AtNode atNode
            && atNode.node() instanceof NodeReference.Computed computed
            && !(computed.expression() instanceof Expression.Call call
                && FunctionTranslator.function(call) == Function.NODE);
    for (Expression child : e.children()) {
      computes = computes || computesNode(child);
    }
    return computes;
  }

  /** Whether the collection's elements and nodes change with the variable only. */
  private boolean restsOn(Expression collection, Expression variable) {
    Expression.Call age = callOfAge(collection);
    Expression asked = age == null ? collection : age.arguments().get(0);
    return asked instanceof Expression.Nodes
        || isConstant(asked)
        || (resolution.isCollection(asked)
            && asked instanceof Expression.Name
            && resolution.of(asked).equals(resolution.of(variable)));
  }
}
