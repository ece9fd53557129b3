// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.ValueType;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.analysis.RqlFunction.Aggregate;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.OperatorKind;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import io.retroscope.rql.ast.NodeReference;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.cut.state.WalkTexts;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A compiler of a predicate into a rule that computes it without objects, if it has one. */
public final class KernelCompiler {
  /* The bindings that quantifiers over NODES try in one cut are limited in sum. */
  private static final int MAX_QUANTIFIERS = 100;

  private static final Value TRUE = Value.of(true);

  private final Translator translator;

  /* The names that quantifiers bind around the present expression, by their slots. */
  private final Map<Integer, Kernel.Binding> nodeNames = new HashMap<>();
  private final Map<Integer, ValueName> valueNames = new HashMap<>();

  private final List<Kernel> leaves = new ArrayList<>();
  private final Set<String> readings = new LinkedHashSet<>();
  private int quantifiers;

  /** The number of tests for NULL, which are not NULL where there is no value. */
  private int nullTests;

  private @Nullable SourceRange obstacle;

  /** The node to which FOR EACH NODE binds its name; null if the name has no rule. */
  private @Nullable String element;

  /** Whether the rule is only evaluated at single cuts, where ages are known. */
  private boolean isOfSingleCuts;

  /** A name that is bound to the values of a variable. */
  private record ValueName(Kernel.Binding binding, VariableColumn column) {}

  /** A translator over the columns of another one. */
  public KernelCompiler(Translator translator) {
    this.translator = translator;
  }

  /** The first part of the predicate that has no rule; null if all of it has one. */
  public @Nullable SourceRange obstacle() {
    return obstacle;
  }

  /** What the rule reads of the variables, such as {@code MAX(r1)}, for EXPLAIN. */
  public List<String> readings() {
    return List.copyOf(readings);
  }

  /** Returns the rule of a predicate, or null if it has none. */
  public @Nullable QuietRule rule(Expression predicate) {
    Predicate compiled = of(predicate);
    return compiled == null ? null : compiled.rule(translator.batch());
  }

  /**
   * Returns a rule that is quiet only where a predicate is not TRUE whatever the ages are, and for
   * no node to which FOR EACH NODE binds its name; null if there is none. It may not be quiet
   * though the predicate is not TRUE.
   */
  public @Nullable QuietRule necessary(Expression predicate) {
    Predicate compiled = condition(predicate);
    return compiled == null ? null : compiled.rule(translator.batch());
  }

  /**
   * Returns the rule of a predicate with ages, or null if it has none. Only over the present state
   * it may be quiet.
   */
  public @Nullable QuietRule ofSingleCuts(Expression predicate) {
    isOfSingleCuts = true;
    return rule(predicate);
  }

  /** Returns the rule of a predicate for one node of FOR EACH NODE, or null if it has none. */
  public @Nullable QuietRule ruleAt(String node, Expression predicate) {
    element = node;
    return rule(predicate);
  }

  private @Nullable Predicate condition(Expression predicate) {
    if (predicate instanceof Expression.Binary binary) {
      boolean isAnd = binary.operator() == BinaryOperator.AND;
      if (isAnd || binary.operator() == BinaryOperator.OR) {
        Predicate left = condition(binary.left());
        Predicate right = condition(binary.right());
        if (left != null && right != null) {
          return new Predicate.Junction(isAnd, left, right);
        }
        return isAnd ? besideAge(binary, left, right) : null;
      }
      Predicate atAnyNode = atAnyNode(binary);
      if (atAnyNode != null) {
        return atAnyNode;
      }
    }
    return of(predicate);
  }

  /** One side of AND, if the other one is the comparison of an age, which cannot fail. */
  private static @Nullable Predicate besideAge(
      Expression.Binary and, @Nullable Predicate left, @Nullable Predicate right) {
    if (left != null && isAge(and.right())) {
      return left;
    }
    return right != null && isAge(and.left()) ? right : null;
  }

  private static boolean isAge(Expression expression) {
    return expression instanceof Expression.Binary binary
        && binary.right() instanceof Expression.Literal
        && binary.left() instanceof Expression.Call extreme
        && isExtreme(extreme)
        && extreme.arguments().get(0) instanceof Expression.Call age
        && FunctionTranslator.function(age) == RqlFunction.PerNode.AGE;
  }

  private static boolean isExtreme(Expression.Call call) {
    RqlFunction function = RqlFunction.named(call.function().text()).orElse(null);
    return function == Aggregate.MAX || function == Aggregate.MIN;
  }

  /** A comparison of the value at the node of FOR EACH NODE that is TRUE if one at any node is. */
  private @Nullable Predicate atAnyNode(Expression.Binary comparison) {
    if (!(comparison.left() instanceof Expression.AtNode access)
        || !(comparison.right() instanceof Expression.Literal literal)) {
      return null;
    }
    VariableColumn column = column(access.variable());
    if (column == null || !isOfElement(access)) {
      return null;
    }
    BinaryOperator operator = comparison.operator();
    if (operator.kind() != OperatorKind.ORDER) {
      return null;
    }
    Kernel extreme = leaf(new Kernel.Extreme(operator.holds(1), column));
    return constant(operator, extreme, literal.value(), comparison);
  }

  /** Whether it is a value at the node of FOR EACH NODE. */
  private boolean isOfElement(Expression.AtNode access) {
    return translator
        .resolution()
        .bound(access)
        .filter(bound -> bound.slot() == translator.firstBoundSlot())
        .isPresent();
  }

  private @Nullable Predicate of(Expression predicate) {
    if (predicate instanceof Expression.Binary binary) {
      return switch (binary.operator().kind()) {
        case JUNCTION -> junction(binary);
        case EQUALITY, ORDER -> isOfSingleCuts && isAge(binary) ? age(binary) : comparison(binary);
        case MEMBERSHIP -> membership(binary);
        case INCLUSION, LIKENESS, CONTAINMENT, SUM, PRODUCT, SETS, RANGE -> noRule(predicate);
      };
    }
    if (predicate instanceof Expression.Unary unary && unary.operator() == UnaryOperator.NOT) {
      Predicate operand = of(unary.operand());
      return operand == null ? null : new Predicate.Not(operand);
    }
    if (predicate instanceof Expression.IsNull isNull) {
      return nullTest(isNull);
    }
    if (predicate instanceof Expression.AtNode || predicate instanceof Expression.Name) {
      Kernel term = term(predicate);
      return term == null ? null : constant(BinaryOperator.EQUAL, term, TRUE, predicate);
    }
    return predicate instanceof Expression.Quantified quantified
        ? quantified(quantified)
        : noRule(predicate);
  }

  /** The rule of the comparison of an age. */
  private @Nullable Predicate age(Expression.Binary comparison) {
    Expression.Call extreme = (Expression.Call) comparison.left();
    Expression.Call age = (Expression.Call) extreme.arguments().get(0);
    VariableColumn column = column(age.arguments().get(0));
    if (column == null
        || !(comparison.right() instanceof Expression.Literal literal)
        || !(literal.value() instanceof DurationValue duration)) {
      return noRule(comparison);
    }
    boolean isMax = RqlFunction.named(extreme.function().text()).orElse(null) == Aggregate.MAX;
    return new Predicate.Comparing(
        comparison.operator(),
        leaf(new Kernel.ExtremeAge(isMax, column, translator.nodes())),
        new Kernel.Constant(ValueType.LONG, duration.micros()));
  }

  private @Nullable Predicate noRule(Expression expression) {
    note(expression);
    return null;
  }

  private @Nullable Kernel noTerm(Expression expression) {
    note(expression);
    return null;
  }

  private void note(Expression expression) {
    if (obstacle == null) {
      obstacle = expression.range();
    }
  }

  private @Nullable Predicate junction(Expression.Binary binary) {
    Predicate left = of(binary.left());
    Predicate right = left == null ? null : of(binary.right());
    return left == null || right == null
        ? null
        : new Predicate.Junction(binary.operator() == BinaryOperator.AND, left, right);
  }

  private @Nullable Predicate comparison(Expression.Binary binary) {
    boolean mirrored = binary.left() instanceof Expression.Literal;
    Expression bound = mirrored ? binary.left() : binary.right();
    if (bound instanceof Expression.Literal literal) {
      Kernel term = term(mirrored ? binary.right() : binary.left());
      BinaryOperator operator = mirrored ? binary.operator().mirrored() : binary.operator();
      return term == null ? null : constant(operator, term, literal.value(), binary);
    }
    Kernel left = term(binary.left());
    Kernel right = left == null ? null : term(binary.right());
    return left == null || right == null
        ? null
        : new Predicate.Comparing(binary.operator(), left, right);
  }

  private @Nullable Predicate constant(
      BinaryOperator operator, Kernel term, Value constant, Expression whole) {
    Kernel number = constant(operator, term, constant);
    return number == null ? noRule(whole) : new Predicate.Comparing(operator, term, number);
  }

  /** The kernel of a constant with which a value is compared; null if there is none. */
  private static @Nullable Kernel constant(BinaryOperator operator, Kernel term, Value constant) {
    Kernel number = number(constant);
    if (number != null) {
      return number;
    }
    VariableColumn column = term.column();
    if (column == null || operator.kind() != OperatorKind.EQUALITY) {
      return null;
    }
    if (constant instanceof Value.StringValue text) {
      int ofText = column.numberOf(text.value());
      return ofText == WalkTexts.NONE ? null : new Kernel.Constant(ValueType.STRING, ofText);
    }
    return constant instanceof Value.BooleanValue truth
        ? new Kernel.Constant(ValueType.BOOLEAN, truth.value() ? 1 : 0)
        : null;
  }

  /** The rule of {@code v@n IN {1, 2}}, whose elements are literals. */
  private @Nullable Predicate membership(Expression.Binary binary) {
    Kernel term = term(binary.left());
    Predicate any = null;
    if (term != null && binary.right() instanceof Expression.SetLiteral set) {
      for (Expression element : set.elements()) {
        Predicate equal =
            element instanceof Expression.Literal literal ? equal(term, literal.value()) : null;
        if (equal == null) {
          return noRule(binary);
        }
        any = any == null ? equal : new Predicate.Junction(false, any, equal);
      }
    }
    if (any == null) {
      return noRule(binary);
    }
    return binary.operator() == BinaryOperator.IN ? any : new Predicate.Not(any);
  }

  private static @Nullable Predicate equal(Kernel term, Value value) {
    Kernel number = constant(BinaryOperator.EQUAL, term, value);
    return number == null ? null : new Predicate.Comparing(BinaryOperator.EQUAL, term, number);
  }

  /** The rule of {@code v@n IS NULL}. */
  private @Nullable Predicate nullTest(Expression.IsNull isNull) {
    Kernel term = isNull.operand() instanceof Expression.AtNode access ? atNode(access) : null;
    if (term == null) {
      return noRule(isNull);
    }
    nullTests++;
    Predicate test = new Predicate.IsNull(term);
    return isNull.negated() ? new Predicate.Not(test) : test;
  }

  private @Nullable Predicate quantified(Expression.Quantified quantified) {
    if (quantified.quantifier() != Quantifier.EXISTS
        && quantified.quantifier() != Quantifier.FORALL) {
      return noRule(quantified);
    }
    VariableColumn column = column(quantified.collection());
    Predicate rule =
        column != null && translator.translate(quantified).one() instanceof Extremes extremes
            ? rule(extremes, column, quantified)
            : null;
    if (rule != null) {
      return rule;
    }
    QuantifiedKernel loop = loop(quantified);
    return loop == null ? null : loop.truth();
  }

  /** Returns a loop over NODES or the values of a variable, with the rule of the body. */
  private @Nullable QuantifiedKernel loop(Expression.Quantified quantified) {
    VariableColumn column = column(quantified.collection());
    boolean overNodes = quantified.collection() instanceof Expression.Nodes;
    if ((column == null && !overNodes) || ++quantifiers > MAX_QUANTIFIERS) {
      note(quantified);
      return null;
    }
    int slot = translator.resolution().firstSlot(quantified);
    List<Kernel.Binding> names = new ArrayList<>();
    for (int i = 0; i < quantified.variables().size(); i++) {
      Kernel.Binding name = new Kernel.Binding(column != null);
      names.add(name);
      if (column == null) {
        nodeNames.put(slot + i, name);
      } else {
        valueNames.put(slot + i, new ValueName(name, column));
      }
    }
    if (column != null) {
      readings.add("each value of " + column.name());
    }
    int boundAtOnce = nodeNames.size() + valueNames.size();
    int before = leaves.size();
    int testsBefore = nullTests;
    Predicate body = of(quantified.body());
    boolean mayBeOwn = overNodes && names.size() == 1 && nullTests == testsBefore;
    VariableColumn own = mayBeOwn ? own(before, names.get(0)) : null;
    for (int i = 0; i < names.size(); i++) {
      (overNodes ? nodeNames : valueNames).remove(slot + i);
    }
    return body == null
        ? null
        : new QuantifiedKernel(
            quantified.quantifier(),
            new QuantifiedKernel.Names(names, column, columnsAt(before, names), boundAtOnce),
            body,
            own,
            translator.nodes(),
            (double) translator.limits().evaluation().maxBindings() / MAX_QUANTIFIERS);
  }

  /** The variables of the latest leaves that are values at the names. */
  private List<VariableColumn> columnsAt(int first, List<Kernel.Binding> names) {
    List<VariableColumn> columns = new ArrayList<>();
    for (Kernel leaf : leaves.subList(first, leaves.size())) {
      if (leaf instanceof Kernel.Bound bound && names.stream().anyMatch(bound::isOf)) {
        columns.add(bound.column());
      }
    }
    return columns;
  }

  /** The only variable of the latest leaves, if all are values at the innermost name. */
  private @Nullable VariableColumn own(int first, Kernel.Binding name) {
    VariableColumn own = null;
    for (Kernel leaf : leaves.subList(first, leaves.size())) {
      if (!(leaf instanceof Kernel.Bound bound)
          || !bound.isOf(name)
          || (own != null && leaf.column() != own)) {
        return null;
      }
      own = leaf.column();
    }
    return nodeNames.size() == 1 && valueNames.isEmpty() ? own : null;
  }

  private Kernel leaf(Kernel leaf) {
    leaves.add(leaf);
    return leaf;
  }

  private @Nullable Predicate rule(
      Extremes extremes, VariableColumn column, Expression.Quantified quantified) {
    Kernel decisive = leaf(extremes.decisive(column));
    readings.add("the extremes of " + column.name());
    Value bound = extremes.constant();
    return bound == null ? null : constant(extremes.operator(), decisive, bound, quantified);
  }

  private @Nullable Kernel term(Expression expression) {
    if (expression instanceof Expression.Literal literal) {
      return literal(literal);
    }
    if (expression instanceof Expression.AtNode access) {
      return atNode(access);
    }
    if (expression instanceof Expression.Call call) {
      return call(call);
    }
    if (expression instanceof Expression.Binary binary) {
      return operation(binary);
    }
    if (expression instanceof Expression.Unary unary && unary.operator() == UnaryOperator.NEGATE) {
      Kernel operand = term(unary.operand());
      return operand == null ? null : Kernel.Applied.negated(operand);
    }
    if (expression instanceof Expression.Quantified quantified
        && quantified.quantifier() == Quantifier.COUNT
        && quantified.collection() instanceof Expression.Nodes) {
      QuantifiedKernel loop = loop(quantified);
      return loop == null ? null : loop.number();
    }
    if (expression instanceof Expression.Name
        && translator.resolution().of(expression) instanceof Reference.Bound bound) {
      ValueName name = valueNames.get(bound.slot());
      return name == null ? noTerm(expression) : leaf(new Kernel.Bound(name.binding, name.column));
    }
    return noTerm(expression);
  }

  private @Nullable Kernel literal(Expression.Literal literal) {
    Kernel number = number(literal.value());
    return number == null ? noTerm(literal) : number;
  }

  /** The kernel of a number; null if a value is none, or not finite. */
  private static @Nullable Kernel number(Value value) {
    return switch (ValueType.of(value)) {
      case LONG -> new Kernel.Constant(ValueType.LONG, ((LongValue) value).value());
      case DOUBLE -> {
        double number = ((DoubleValue) value).value();
        yield Double.isFinite(number)
            ? new Kernel.Constant(ValueType.DOUBLE, DoubleNumbers.number(number))
            : null;
      }
      case NULL, BOOLEAN, STRING, NESTED -> null;
    };
  }

  private @Nullable Kernel operation(Expression.Binary binary) {
    NumberOperation operation = ExpressionTranslator.operation(binary.operator());
    Kernel left = operation == null ? noTerm(binary) : term(binary.left());
    Kernel right = left == null ? null : term(binary.right());
    return operation == null || left == null || right == null
        ? null
        : new Kernel.Applied(operation, left, right);
  }

  private @Nullable Kernel atNode(Expression.AtNode access) {
    VariableColumn column = column(access.variable());
    Kernel.Binding name =
        translator
            .resolution()
            .bound(access)
            .flatMap(bound -> Optional.ofNullable(nodeNames.get(bound.slot())))
            .orElse(null);
    if (column != null && name != null) {
      readings.add(column.name() + " at each node");
      return leaf(new Kernel.Bound(name, column));
    }
    if (column != null && element != null && isOfElement(access)) {
      return leaf(new Kernel.AtNode(column, translator.nodes(), element));
    }
    if (column != null
        && access.node() instanceof NodeReference.Named named
        && translator.resolution().bound(access).isEmpty()) {
      readings.add(column.name() + "@" + named.name().text());
      return leaf(new Kernel.AtNode(column, translator.nodes(), named.name().text()));
    }
    return noTerm(access);
  }

  private @Nullable Kernel call(Expression.Call call) {
    RqlFunction function = RqlFunction.named(call.function().text()).orElse(null);
    if (function == RqlFunction.Scalar.ABS) {
      Kernel operand = term(call.arguments().get(0));
      return operand == null ? null : Kernel.Applied.magnitude(operand);
    }
    VariableColumn column =
        call.arguments().size() == 1 && !call.distinct() ? column(call.arguments().get(0)) : null;
    if (column == null || !(function instanceof Aggregate aggregate)) {
      return noTerm(call);
    }
    Kernel kernel = overNodes(aggregate, column);
    if (kernel == null) {
      return noTerm(call);
    }
    readings.add(aggregate + "(" + column.name() + ")");
    return leaf(kernel);
  }

  /** The kernel of an aggregate of a variable over all nodes; null if it has none. */
  private static @Nullable Kernel overNodes(Aggregate aggregate, VariableColumn column) {
    return switch (aggregate) {
      case COUNT -> new Kernel.Present(column);
      case MIN -> new Kernel.Extreme(false, column);
      case MAX -> new Kernel.Extreme(true, column);
      case SPREAD -> Kernel.Applied.spread(column);
      case SUM, NODE_SUM, AVG, MEDIAN -> null;
    };
  }

  private @Nullable VariableColumn column(Expression expression) {
    if (expression instanceof Expression.Name
        && translator.resolution().of(expression) instanceof Reference.Variable variable) {
      return translator.column(variable);
    }
    return expression instanceof Expression.Field field
        ? translator.resolution().variable(field).map(translator::column).orElse(null)
        : null;
  }
}
