// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.analysis.RqlFunction.Aggregate;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.Binary;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.Quantified;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.lattice.LocalTest.Wanted;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The disjunctive normal form of a predicate over tests of single nodes, if it has one: some
 * conjunction holds at a cut exactly if the predicate is TRUE there. Used by one thread.
 */
final class NormalForm {
  /*
   * A quantifier whose body reads only the bound node, and a comparison of MAX or MIN with a
   * constant, are tests of each node by itself: evaluated over a cut that has only this node.
   */

  /** The maximum number of tests, those of each conjunction counted. */
  static final int MAX_TESTS = 20_000;

  private final PredicateNodes reads;
  private final Resolution resolution;
  private final int size;
  private final Set<Reference.Variable> numbers = new HashSet<>();
  private final Optional<List<Conjunction>> conjunctions;

  /**
   * Creates the form of a predicate over cuts of some nodes.
   *
   * @param nodes their names, by their indexes
   */
  NormalForm(Expression predicate, List<String> nodes, Resolution resolution) {
    this.reads = new PredicateNodes(nodes, resolution);
    this.resolution = resolution;
    this.size = nodes.size();
    this.conjunctions = form(predicate, true);
  }

  /** The conjunctions; empty if the predicate has no such form, or one that is too long. */
  Optional<List<Conjunction>> conjunctions() {
    return conjunctions;
  }

  /** The variables whose values must be numbers, because the form compares them one by one. */
  Set<Reference.Variable> numbers() {
    return numbers;
  }

  private Optional<List<Conjunction>> form(Expression e, boolean wanted) {
    Optional<Integer> node = reads.onlyNode(e);
    if (node.isPresent()) {
      return Optional.of(List.of(test(node.get(), e, wanted)));
    }
    if (e instanceof Expression.Unary not && not.operator() == Expression.UnaryOperator.NOT) {
      return form(not.operand(), !wanted);
    }
    if (e instanceof Binary binary) {
      return switch (binary.operator().kind()) {
        case JUNCTION ->
            junction(binary, (binary.operator() == BinaryOperator.AND) == wanted, wanted);
        case ORDER -> comparison(binary, wanted);
        case EQUALITY, MEMBERSHIP, INCLUSION, LIKENESS, CONTAINMENT -> Optional.empty();
        case SUM, PRODUCT, SETS, RANGE -> Optional.empty();
      };
    }
    boolean forEach =
        e instanceof Quantified quantified
            && (quantified.quantifier() == Quantifier.EXISTS
                || quantified.quantifier() == Quantifier.FORALL)
            && reads.isNodeByNode(quantified);
    if (forEach) {
      boolean all = (((Quantified) e).quantifier() == Quantifier.FORALL) == wanted;
      return all ? eachNode(e, wanted) : someNode(e, wanted);
    }
    return Optional.empty();
  }

  private static Conjunction test(int node, Expression e, boolean wanted) {
    return new Conjunction(List.of(new LocalTest(node, e, wanted ? Wanted.TRUE : Wanted.FALSE)));
  }

  private Optional<List<Conjunction>> eachNode(Expression e, boolean wanted) {
    List<LocalTest> tests = new ArrayList<>();
    for (int node = 0; node < size; node++) {
      tests.addAll(test(node, e, wanted).tests());
    }
    return bounded(List.of(new Conjunction(tests)));
  }

  private Optional<List<Conjunction>> someNode(Expression e, boolean wanted) {
    List<Conjunction> each = new ArrayList<>();
    for (int node = 0; node < size; node++) {
      each.add(test(node, e, wanted));
    }
    return bounded(each);
  }

  private Optional<List<Conjunction>> junction(Binary e, boolean both, boolean wanted) {
    Optional<List<Conjunction>> left = form(e.left(), wanted);
    Optional<List<Conjunction>> right = left.isEmpty() ? left : form(e.right(), wanted);
    if (left.isEmpty() || right.isEmpty()) {
      return Optional.empty();
    }
    List<Conjunction> joined = new ArrayList<>();
    if (both) {
      if ((long) left.get().size() * right.get().size() > MAX_TESTS) {
        return Optional.empty();
      }
      left.get().forEach(a -> right.get().forEach(b -> joined.add(a.and(b))));
    } else {
      joined.addAll(left.get());
      joined.addAll(right.get());
    }
    return bounded(joined);
  }

  private static Optional<List<Conjunction>> bounded(List<Conjunction> all) {
    long tests = all.stream().mapToLong(conjunction -> conjunction.tests().size()).sum();
    return tests > MAX_TESTS ? Optional.empty() : Optional.of(all);
  }

  /** The form of a comparison with a constant, which may be on either side. */
  private Optional<List<Conjunction>> comparison(Binary e, boolean wanted) {
    boolean mirrored = reads.isConstant(e.left());
    Expression side = mirrored ? e.right() : e.left();
    Expression constant = mirrored ? e.left() : e.right();
    if (!reads.isConstant(constant)) {
      return Optional.empty();
    }
    BinaryOperator operator = mirrored ? e.operator().mirrored() : e.operator();
    boolean upwards = operator.holds(1);
    if (side instanceof Quantified count
        && count.quantifier() == Quantifier.COUNT
        && constant instanceof Expression.Literal literal
        && literal.value() instanceof LongValue limit
        && reads.isNodeByNode(count)) {
      boolean strict = !operator.holds(0);
      return count(count, upwards, strict, limit.value(), wanted);
    }
    Optional<Reference.Variable> variable = extreme(side, Aggregate.MAX);
    boolean some = upwards;
    if (variable.isEmpty()) {
      variable = extreme(side, Aggregate.MIN);
      some = !upwards;
    }
    if (variable.isEmpty()) {
      return Optional.empty();
    }
    numbers.add(variable.get());
    return some == wanted ? someNode(e, wanted) : everyValue(e, wanted);
  }

  private Optional<Reference.Variable> extreme(Expression e, Aggregate function) {
    return PredicateNodes.aggregate(e, function).flatMap(resolution::variable);
  }

  /** Every value satisfies a comparison, and there is at least one: that of each node in turn. */
  private Optional<List<Conjunction>> everyValue(Expression e, boolean wanted) {
    if ((long) size * size > MAX_TESTS) {
      return Optional.empty();
    }
    List<LocalTest> atMost = new ArrayList<>();
    for (int node = 0; node < size; node++) {
      atMost.add(new LocalTest(node, e, wanted ? Wanted.NOT_FALSE : Wanted.NOT_TRUE));
    }
    List<Conjunction> each = new ArrayList<>();
    for (int node = 0; node < size; node++) {
      List<LocalTest> tests = new ArrayList<>(atMost);
      tests.set(node, new LocalTest(node, e, wanted ? Wanted.TRUE : Wanted.FALSE));
      each.add(new Conjunction(tests));
    }
    return bounded(each);
  }

  private Optional<List<Conjunction>> count(
      Quantified e, boolean upwards, boolean strict, long limit, boolean wanted) {
    // NOT (count > c) is count <= c, and NOT (count >= c) is count < c.
    boolean atLeast = upwards == wanted;
    boolean beyond = strict == wanted;
    long most = Math.max(-1, Math.min(size + 1L, limit));
    long needed = atLeast ? most + (beyond ? 1 : 0) : size - most + (beyond ? 1 : 0);
    if (needed <= 0) {
      return Optional.empty(); // always true
    }
    Expression.Literal one = new Expression.Literal(Value.of(1), e.range());
    Expression counted = new Binary(BinaryOperator.GREATER_OR_EQUAL, e, one, e.range());
    List<LocalTest> each = new ArrayList<>();
    for (int node = 0; node < size; node++) {
      each.add(new LocalTest(node, counted, atLeast ? Wanted.TRUE : Wanted.FALSE));
    }
    List<Conjunction> chosen = new ArrayList<>();
    boolean complete = choose(each, 0, (int) Math.min(needed, size + 1L), List.of(), chosen);
    return complete ? bounded(chosen) : Optional.empty();
  }

  /** Adds each choice of some tests; returns false if there are too many. */
  private static boolean choose(
      List<LocalTest> tests, int from, int more, List<LocalTest> before, List<Conjunction> chosen) {
    if (more == 0) {
      chosen.add(new Conjunction(before));
      return (long) chosen.size() * before.size() <= MAX_TESTS;
    }
    for (int i = from; i <= tests.size() - more; i++) {
      List<LocalTest> next = new ArrayList<>(before);
      next.add(tests.get(i));
      if (!choose(tests, i + 1, more - 1, next, chosen)) {
        return false;
      }
    }
    return true;
  }
}
