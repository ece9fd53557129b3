// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.CreateRule;
import io.retroscope.rql.ast.Statement.Detection;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.ast.Statement.Verdict;
import io.retroscope.rql.ast.Statement.When;
import io.retroscope.rql.rule.Chance.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The situations in which a rule can be broken. If one of them never occurs, the rule holds
 * whatever the system does.
 */
final class Situations {
  /*
   * The idea is that of vacuity detection in model checking (Beer, Ben-David, Eisner and Rodeh,
   * Efficient Detection of Vacuity in Temporal Model Checking, 2001): a formula that holds is
   * vacuous if a part of it does not matter. An operand of AND that is never TRUE makes the other
   * operands not matter.
   */
  private final Query walk;
  private final String declarations;
  private final List<Situation> situations = new ArrayList<>();

  private Situations(Query walk, String declarations) {
    this.walk = walk;
    this.declarations = declarations;
  }

  /**
   * Returns the situations, the most general first; none for SOMETIMES, which is a situation
   * itself.
   *
   * @param declarations precede each query
   */
  static List<Situation> of(CreateRule rule, String declarations) {
    if (rule.rule() instanceof Verdict verdict && verdict.kind().isFulfilledByOne()) {
      return List.of();
    }
    Situations all = new Situations(rule.rule().walk(), declarations);
    all.addElements();
    boolean isOfInterleavings = rule.rule() instanceof Detection;
    all.walk.when().ifPresent(when -> all.add(when, isOfInterleavings));
    all.walk.compute().ifPresent(all::addComputed);
    return List.copyOf(all.situations);
  }

  /** The elements at the cuts of the rule, which are those of the names that it reads. */
  private void addElements() {
    Expression always = RuleCondition.truth(walk.range());
    List<Expression> read = walk.when().map(When::expressions).orElse(List.of());
    for (Expression e : read) {
      always = new Expression.Binary(Expression.BinaryOperator.OR, always, e, walk.range());
    }
    if (walk.forEach().isPresent()) {
      add(Unit.ELEMENTS, each(walk.forEach().get()), always);
    }
  }

  private static String each(ForEach each) {
    String name = each.name().text();
    if (each instanceof ForEach.OfVariable variable) {
      return "FOR EACH VARIABLE "
          + name
          + variable.like().map(like -> " LIKE '" + like + "'").orElse("");
    }
    return each instanceof ForEach.OfValue value
        ? "FOR EACH VALUE " + name + " IN " + RqlFormatter.format(value.values())
        : "FOR EACH NODE " + name;
  }

  private void add(When when, boolean isOfInterleavings) {
    RuleCondition condition = new RuleCondition(walk);
    if (when.response().isPresent()) {
      addTriggers(when);
    } else {
      condition
          .namesHaveValues(when.predicate())
          .ifPresent(named -> add(Unit.CUTS, RqlFormatter.format(named), named));
    }
    if (!isOfInterleavings) {
      List<Expression> operands = condition.operands(when.predicate());
      operands.forEach(operand -> add(Unit.CUTS, RqlFormatter.format(operand), operand));
    }
  }

  private void addTriggers(When when) {
    When trigger = new When(when.predicate(), when.forMicros(), when.range());
    String part = RqlFormatter.format(when.predicate());
    situations.add(new Situation(Unit.TRIGGERS, part, text(trigger)));
  }

  /** The names of COMPUTE, and its conditions: one that is never TRUE changes nothing. */
  private void addComputed(Expression compute) {
    RuleCondition condition = new RuleCondition(walk);
    for (Expression named : condition.valued(compute)) {
      add(Unit.CUTS, RqlFormatter.format(named), named);
    }
    for (Expression branch : condition.branches(compute)) {
      add(Unit.CUTS, RqlFormatter.format(branch), branch);
    }
  }

  private void add(Unit unit, String part, Expression predicate) {
    boolean isKnown = situations.stream().anyMatch(known -> known.part().equals(part));
    if (!isKnown) {
      String query = text(new When(predicate, OptionalLong.empty(), predicate.range()));
      situations.add(new Situation(unit, part, query));
    }
  }

  private String text(When when) {
    Query query =
        new Query(
            Statement.Explain.NO,
            false,
            List.of(item()),
            walk.logs(),
            walk.clauses().runs(when),
            walk.range());
    return declarations + RqlFormatter.format(query);
  }

  /** The element of FOR EACH, or nothing of interest. */
  private Statement.SelectItem item() {
    Expression shown = RuleCondition.truth(walk.range());
    if (walk.forEach().isPresent()) {
      ForEach each = walk.forEach().get();
      Expression name = new Expression.Name(each.name(), each.range());
      Identifier function = new Identifier("NAME", false, each.range());
      shown =
          each instanceof ForEach.OfVariable
              ? new Expression.Call(function, false, List.of(name), each.range())
              : name;
    }
    return new Statement.SelectItem(
        shown, Optional.empty(), RqlFormatter.format(shown), walk.range());
  }
}
