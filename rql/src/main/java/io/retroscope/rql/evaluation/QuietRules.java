// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.ValueType;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.analysis.RqlFunction.Aggregate;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import io.retroscope.rql.ast.NodeReference;
import io.retroscope.rql.cut.NodeCount;
import io.retroscope.rql.cut.QuietRule;
import io.retroscope.rql.cut.Stretch;
import io.retroscope.rql.cut.VariableColumn;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A translator of a predicate into a quiet rule, if it has one. */
public final class QuietRules {
  /* The bindings that quantifiers over NODES try in one cut are limited in sum. */
  private static final int MAX_QUANTIFIERS = 100;

  private static final Value TRUE = Value.of(true);

  private final Translator translator;

  /* The names that quantifiers bind around the present expression, by their slots. */
  private final Map<Integer, BoundLoop.Binding> nodeNames = new HashMap<>();
  private final Map<Integer, ValueName> valueNames = new HashMap<>();

  private final Set<String> readings = new LinkedHashSet<>();
  private int quantifiers;
  private @Nullable SourceRange obstacle;

  /** A name that is bound to the values of a variable. */
  private record ValueName(BoundLoop.Binding binding, VariableColumn column) {}

  /** A translator over the columns of another one. */
  public QuietRules(Translator translator) {
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
  public @Nullable QuietRule of(Expression predicate) {
    if (predicate instanceof Expression.Binary binary) {
      return switch (binary.operator()) {
        case AND, OR -> junction(binary);
        case EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> comparison(binary);
        case IN, NOT_IN -> membership(binary);
        default -> noRule(predicate);
      };
    }
    if (predicate instanceof Expression.Unary unary && unary.operator() == UnaryOperator.NOT) {
      QuietRule operand = of(unary.operand());
      return operand == null ? null : new Not(operand);
    }
    if (predicate instanceof Expression.AtNode || predicate instanceof Expression.Name) {
      LongTerm term = term(predicate);
      return term == null ? null : constant(BinaryOperator.EQUAL, term, TRUE, predicate);
    }
    return predicate instanceof Expression.Quantified quantified
        ? quantified(quantified)
        : noRule(predicate);
  }

  private @Nullable QuietRule noRule(Expression expression) {
    note(expression);
    return null;
  }

  private @Nullable LongTerm noTerm(Expression expression) {
    note(expression);
    return null;
  }

  private void note(Expression expression) {
    if (obstacle == null) {
      obstacle = expression.range();
    }
  }

  private @Nullable QuietRule junction(Expression.Binary binary) {
    QuietRule left = of(binary.left());
    QuietRule right = left == null ? null : of(binary.right());
    return left == null || right == null
        ? null
        : new Junction(binary.operator() == BinaryOperator.AND, left, right);
  }

  private @Nullable QuietRule comparison(Expression.Binary binary) {
    boolean mirrored = binary.left() instanceof Expression.Literal;
    Expression bound = mirrored ? binary.left() : binary.right();
    if (bound instanceof Expression.Literal literal) {
      LongTerm term = term(mirrored ? binary.right() : binary.left());
      BinaryOperator operator = mirrored ? Extremes.mirrored(binary.operator()) : binary.operator();
      return term == null ? null : constant(operator, term, literal.value(), binary);
    }
    LongTerm left = term(binary.left());
    LongTerm right = left == null ? null : term(binary.right());
    return left == null || right == null
        ? null
        : new LongComparison(binary.operator(), left, right);
  }

  private @Nullable QuietRule constant(
      BinaryOperator operator, LongTerm term, Value constant, Expression whole) {
    QuietRule rule = ConstantComparison.of(operator, term, constant);
    return rule == null ? noRule(whole) : rule;
  }

  /** The rule of {@code v@n IN {1, 2}}, whose elements are literals. */
  private @Nullable QuietRule membership(Expression.Binary binary) {
    LongTerm term = term(binary.left());
    QuietRule any = null;
    if (term != null && binary.right() instanceof Expression.SetLiteral set) {
      for (Expression element : set.elements()) {
        QuietRule equal =
            element instanceof Expression.Literal literal
                ? ConstantComparison.of(BinaryOperator.EQUAL, term, literal.value())
                : null;
        if (equal == null) {
          return noRule(binary);
        }
        any = any == null ? equal : new Junction(false, any, equal);
      }
    }
    if (any == null) {
      return noRule(binary);
    }
    return binary.operator() == BinaryOperator.IN ? any : new Not(any);
  }

  private @Nullable QuietRule quantified(Expression.Quantified quantified) {
    if (quantified.quantifier() != Quantifier.EXISTS
        && quantified.quantifier() != Quantifier.FORALL) {
      return noRule(quantified);
    }
    if (quantified.collection() instanceof Expression.Nodes) {
      OverNodes over = overNodes(quantified);
      if (over != null) {
        return over.truth();
      }
    }
    VariableColumn column = column(quantified.collection());
    QuietRule rule =
        column != null && translator.translate(quantified).one() instanceof Extremes extremes
            ? rule(extremes, column, quantified)
            : null;
    if (rule != null) {
      return rule;
    }
    BoundLoop loop = loop(quantified);
    return loop == null ? null : loop.truth();
  }

  /** Returns a loop over NODES or the values of a variable, with the rule of the body. */
  private @Nullable BoundLoop loop(Expression.Quantified quantified) {
    VariableColumn column = column(quantified.collection());
    boolean overNodes = quantified.collection() instanceof Expression.Nodes;
    if ((column == null && !overNodes) || ++quantifiers > MAX_QUANTIFIERS) {
      note(quantified);
      return null;
    }
    int slot = translator.resolution().firstSlot(quantified);
    List<BoundLoop.Binding> names = new ArrayList<>();
    for (int i = 0; i < quantified.variables().size(); i++) {
      BoundLoop.Binding name = new BoundLoop.Binding();
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
    QuietRule body = of(quantified.body());
    for (int i = 0; i < names.size(); i++) {
      (overNodes ? nodeNames : valueNames).remove(slot + i);
    }
    return body == null
        ? null
        : new BoundLoop(
            quantified.quantifier(),
            names,
            column,
            translator.nodes(),
            body,
            boundAtOnce,
            (double) translator.limits().maxBindings() / MAX_QUANTIFIERS);
  }

  private @Nullable QuietRule rule(
      Extremes extremes, VariableColumn column, Expression.Quantified quantified) {
    LongTerm decisive = extremes.decisive(column);
    readings.add("the extremes of " + column.name());
    Value bound = extremes.constant();
    return bound == null ? null : constant(extremes.operator(), decisive, bound, quantified);
  }

  private @Nullable LongTerm term(Expression expression) {
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
      LongTerm operand = term(unary.operand());
      return operand == null ? null : ArithmeticTerm.negated(operand);
    }
    if (expression instanceof Expression.Quantified quantified
        && quantified.quantifier() == Quantifier.COUNT
        && quantified.collection() instanceof Expression.Nodes) {
      OverNodes over = overNodes(quantified);
      if (over != null) {
        return over.number();
      }
      BoundLoop loop = loop(quantified);
      return loop == null ? null : loop.number();
    }
    if (expression instanceof Expression.Name
        && translator.resolution().of(expression) instanceof Reference.Bound bound) {
      ValueName name = valueNames.get(bound.slot());
      return name == null ? noTerm(expression) : BoundLoop.value(name.binding, name.column);
    }
    return noTerm(expression);
  }

  private @Nullable LongTerm literal(Expression.Literal literal) {
    if (literal.value() instanceof LongValue number) {
      return new LongTerm.Constant(number.value());
    }
    return literal.value() instanceof DoubleValue number && Double.isFinite(number.value())
        ? new LongTerm.Constant(ValueType.DOUBLE, DoubleLoops.number(number.value()))
        : noTerm(literal);
  }

  private @Nullable LongTerm operation(Expression.Binary binary) {
    boolean has =
        switch (binary.operator()) {
          case ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER -> true;
          default -> false;
        };
    LongTerm left = has ? term(binary.left()) : noTerm(binary);
    LongTerm right = left == null ? null : term(binary.right());
    return left == null || right == null
        ? null
        : new ArithmeticTerm(binary.operator(), left, right);
  }

  private @Nullable LongTerm atNode(Expression.AtNode access) {
    VariableColumn column = column(access.variable());
    BoundLoop.Binding name =
        translator
            .resolution()
            .bound(access)
            .flatMap(bound -> Optional.ofNullable(nodeNames.get(bound.slot())))
            .orElse(null);
    if (column != null && name != null) {
      readings.add(column.name() + " at each node");
      return BoundLoop.at(name, column);
    }
    if (column != null
        && access.node() instanceof NodeReference.Named named
        && translator.resolution().bound(access).isEmpty()) {
      readings.add(column.name() + "@" + named.name().text());
      return new LongTerm.AtNode(column, translator.nodes(), named.name().text());
    }
    return noTerm(access);
  }

  private @Nullable LongTerm call(Expression.Call call) {
    RqlFunction function = RqlFunction.named(call.function().text()).orElse(null);
    if (function == RqlFunction.Scalar.ABS) {
      LongTerm operand = term(call.arguments().get(0));
      return operand == null ? null : new MagnitudeTerm(operand);
    }
    VariableColumn column =
        call.arguments().size() == 1 && !call.distinct() ? column(call.arguments().get(0)) : null;
    if (column == null || !(function instanceof Aggregate aggregate)) {
      return noTerm(call);
    }
    return switch (aggregate) {
      case COUNT, MIN, MAX, SPREAD -> {
        readings.add(aggregate + "(" + column.name() + ")");
        yield new LongTerm.OverNodes(aggregate, column);
      }
      default -> noTerm(call);
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

  /** Returns the rule of a test of one variable at each node, such as {@code v@n < 3}. */
  private @Nullable OverNodes overNodes(Expression.Quantified quantified) {
    NodeTest test = quantified.variables().size() == 1 ? NodeTest.of(quantified.body()) : null;
    VariableColumn column = test == null ? null : tested(test.tested(), quantified);
    if (test == null || column == null || ++quantifiers > MAX_QUANTIFIERS) {
      return null;
    }
    NodeCount count = test.count(column);
    if (count == null) {
      return null;
    }
    column.watch(count);
    readings.add(column.name() + " at each node");
    return new OverNodes(
        quantified.quantifier(),
        column,
        test.type(),
        translator.nodes(),
        count,
        translator.limits().maxBindings() / MAX_QUANTIFIERS);
  }

  /** The variable of {@code v@n}, where n is the name that the quantifier binds. */
  private @Nullable VariableColumn tested(Expression tested, Expression.Quantified quantified) {
    if (!(tested instanceof Expression.AtNode access)
        || !(access.node() instanceof NodeReference.Named)) {
      return null;
    }
    int slot = translator.resolution().firstSlot(quantified);
    boolean own =
        translator.resolution().bound(access).map(Reference.Bound::slot).orElse(-1) == slot;
    return own ? column(access.variable()) : null;
  }

  /** AND or OR: the right operand is evaluated unless the left one decides. */
  private record Junction(boolean conjunction, QuietRule left, QuietRule right)
      implements QuietRule {
    @Override
    public int truths() {
      int decisive = conjunction ? FALSE : TRUE;
      int a = left.truths();
      if (a == decisive || a == UNKNOWN) {
        return a;
      }
      int b = right.truths();
      if (b == UNKNOWN) {
        return UNKNOWN;
      }
      int other = TRUE + FALSE - decisive;
      int decided = (a | b) & decisive;
      int undecided = a & b & other;
      // NULL, unless the other operand decides.
      boolean isNull = ((a & NULL) != 0 && b != decisive) || (b & NULL) != 0;
      return decided | undecided | (isNull ? NULL : 0);
    }

    @Override
    public boolean evaluate(Stretch stretch, byte[] to) {
      byte[] first = new byte[stretch.size()];
      if (!left.evaluate(stretch, first) || !right.evaluate(stretch, to)) {
        return false;
      }
      if (conjunction) {
        LongLoops.min(first, stretch.size(), to);
      } else {
        LongLoops.max(first, stretch.size(), to);
      }
      return true;
    }
  }

  /** The operator NOT. */
  private record Not(QuietRule operand) implements QuietRule {
    @Override
    public int truths() {
      int truths = operand.truths();
      return truths == UNKNOWN
          ? UNKNOWN
          : (truths & NULL)
              | ((truths & TRUE) != 0 ? FALSE : 0)
              | ((truths & FALSE) != 0 ? TRUE : 0);
    }

    @Override
    public boolean evaluate(Stretch stretch, byte[] to) {
      boolean known = operand.evaluate(stretch, to);
      LongLoops.invert(to, known ? stretch.size() : 0);
      return known;
    }
  }
}
