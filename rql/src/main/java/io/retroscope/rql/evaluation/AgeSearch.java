// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A visitor that finds the comparisons of an age with a constant in a query. */
public final class AgeSearch implements Expression.Visitor<List<AgeComparison>> {
  private final Translator translator;
  private final Resolution resolution;
  private final List<Expression.Quantified> around;
  private final boolean negated;

  private AgeSearch(Translator translator, List<Expression.Quantified> around, boolean negated) {
    this.translator = translator;
    this.resolution = translator.resolution();
    this.around = around;
    this.negated = negated;
  }

  public static List<AgeComparison> in(List<Expression> expressions, Translator translator) {
    return new AgeSearch(translator, List.of(), false).inAll(expressions);
  }

  /** Returns whether any of the expressions contains a call of a function. */
  public static boolean calls(RqlFunction function, List<Expression> expressions) {
    return expressions.stream()
        .flatMap(e -> e.thisAndAllBelow().stream())
        .anyMatch(
            e ->
                e instanceof Expression.Call call && FunctionTranslator.function(call) == function);
  }

  private List<AgeComparison> inAll(List<Expression> expressions) {
    List<AgeComparison> found = new ArrayList<>();
    expressions.forEach(e -> found.addAll(e.accept(this)));
    return found;
  }

  @Override
  public List<AgeComparison> literal(Expression.Literal e) {
    return List.of();
  }

  @Override
  public List<AgeComparison> name(Expression.Name e) {
    return List.of();
  }

  @Override
  public List<AgeComparison> field(Expression.Field e) {
    return inAll(e.children());
  }

  @Override
  public List<AgeComparison> atNode(Expression.AtNode e) {
    return inAll(e.children());
  }

  @Override
  public List<AgeComparison> nodes(Expression.Nodes e) {
    return List.of();
  }

  @Override
  public List<AgeComparison> unary(Expression.Unary e) {
    boolean not = e.operator() == UnaryOperator.NOT;
    return new AgeSearch(translator, around, not != negated).inAll(e.children());
  }

  @Override
  public List<AgeComparison> binary(Expression.Binary e) {
    List<AgeComparison> found = new ArrayList<>();
    if (e.operator().isComparison()) {
      compared(e).ifPresent(age -> found.add(comparison(e, age)));
    }
    found.addAll(inAll(e.children()));
    return found;
  }

  @Override
  public List<AgeComparison> isNull(Expression.IsNull e) {
    return inAll(e.children());
  }

  @Override
  public List<AgeComparison> conditional(Expression.Conditional e) {
    return inAll(e.children());
  }

  @Override
  public List<AgeComparison> quantified(Expression.Quantified e) {
    List<AgeComparison> found = new ArrayList<>(e.collection().accept(this));
    List<Expression.Quantified> inside = new ArrayList<>(around);
    inside.add(e);
    found.addAll(e.body().accept(new AgeSearch(translator, inside, negated)));
    return found;
  }

  @Override
  public List<AgeComparison> call(Expression.Call e) {
    return inAll(e.children());
  }

  @Override
  public List<AgeComparison> setLiteral(Expression.SetLiteral e) {
    return inAll(e.children());
  }

  @Override
  public List<AgeComparison> assignment(Expression.Assignment e) {
    return inAll(e.children());
  }

  @Override
  public List<AgeComparison> declaration(Expression.Declaration e) {
    return List.of();
  }

  /** Returns the call of an age that is compared with a constant, if there is one. */
  private Optional<Expression.Call> compared(Expression.Binary e) {
    AgeOperand operand = new AgeOperand(resolution, around);
    AgeOperand.Movement left = operand.of(e.left());
    AgeOperand.Movement right = operand.of(e.right());
    if (right.isConstant()) {
      return left.age();
    }
    return left.isConstant() ? right.age() : Optional.empty();
  }

  private AgeComparison comparison(Expression.Binary binary, Expression.Call age) {
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
        FunctionTranslator.function(age) == RqlFunction.PerNode.SILENCE
            ? AgeComparison.Cause.SIGNS
            : steady ? AgeComparison.Cause.OWN_WRITES : AgeComparison.Cause.ALL_WRITES);
  }

  private void collectBound(Expression e, Set<Integer> slots) {
    for (Expression part : e.thisAndAllBelow()) {
      resolution.bound(part).ifPresent(bound -> slots.add(bound.slot()));
    }
  }

  /** Returns whether a node is computed, other than as the node of a bound element. */
  private static boolean computesNode(Expression e) {
    return e.all(Expression.AtNode.class).stream()
        .flatMap(atNode -> atNode.node().children().stream())
        .anyMatch(computed -> !isNodeOfElement(computed));
  }

  private static boolean isNodeOfElement(Expression e) {
    return e instanceof Expression.Call call
        && FunctionTranslator.function(call) == RqlFunction.OfElement.NODE;
  }

  /** Returns whether the collection's elements and nodes change only with the variable. */
  private boolean restsOn(Expression collection, Expression variable) {
    Expression operand =
        AgeOperand.callOfAge(collection).map(age -> age.arguments().get(0)).orElse(collection);
    return operand instanceof Expression.Nodes
        || new AgeOperand(resolution, around).of(operand).isConstant()
        || (resolution.isCollection(operand)
            && operand instanceof Expression.Name
            && resolution.of(operand).equals(resolution.of(variable)));
  }
}
