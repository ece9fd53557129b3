package io.retroscope.rql.evaluation;

import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
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

  /** The DOUBLEs up to which the LONG below is exact. */
  private static final double MAX_BOUND = 0x1p62;

  private final Translator translator;

  /* The names that quantifiers bind around the present expression, by their slots. */
  private final Map<Integer, BoundLoop.Binding> nodeNames = new HashMap<>();
  private final Map<Integer, BoundLoop.Binding> valueNames = new HashMap<>();

  private final Set<String> readings = new LinkedHashSet<>();
  private int quantifiers;
  private @Nullable SourceRange obstacle;

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
        default -> noRule(predicate);
      };
    }
    if (predicate instanceof Expression.Unary unary && unary.operator() == UnaryOperator.NOT) {
      QuietRule operand = of(unary.operand());
      return operand == null ? null : new Not(operand);
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
    if (binary.right() instanceof Expression.Literal literal
        && literal.value() instanceof DoubleValue bound) {
      return comparison(binary.operator(), term(binary.left()), bound.value(), binary);
    }
    if (binary.left() instanceof Expression.Literal literal
        && literal.value() instanceof DoubleValue bound) {
      BinaryOperator operator = Extremes.mirrored(binary.operator());
      return comparison(operator, term(binary.right()), bound.value(), binary);
    }
    LongTerm left = term(binary.left());
    LongTerm right = left == null ? null : term(binary.right());
    return left == null || right == null
        ? null
        : new LongComparison(binary.operator(), left, right);
  }

  /** Compares LONGs with the LONG below a DOUBLE, so that the result is exact. */
  private @Nullable QuietRule comparison(
      BinaryOperator operator, @Nullable LongTerm term, double bound, Expression whole) {
    if (term == null || !(Math.abs(bound) < MAX_BOUND)) {
      return term == null ? null : noRule(whole);
    }
    LongTerm below = new LongTerm.Constant((long) Math.floor(bound));
    if (bound == Math.floor(bound)) {
      return new LongComparison(operator, term, below);
    }
    LongTerm least = new LongTerm.Constant(Long.MIN_VALUE);
    return switch (operator) {
      case GREATER, GREATER_OR_EQUAL -> new LongComparison(BinaryOperator.GREATER, term, below);
      case LESS, LESS_OR_EQUAL -> new LongComparison(BinaryOperator.LESS_OR_EQUAL, term, below);
      case EQUAL -> new LongComparison(BinaryOperator.LESS, term, least); // never
      case NOT_EQUAL -> new LongComparison(BinaryOperator.GREATER_OR_EQUAL, term, least); // always
      default -> throw new AssertionError("no comparison: " + operator);
    };
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
      names.add(new BoundLoop.Binding());
      (overNodes ? nodeNames : valueNames).put(slot + i, names.get(i));
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
    if (extremes.constant() instanceof DoubleValue bound) {
      return comparison(extremes.operator(), decisive, bound.value(), quantified);
    }
    return extremes.constant() instanceof LongValue bound
        ? new LongComparison(extremes.operator(), decisive, new LongTerm.Constant(bound.value()))
        : null;
  }

  private @Nullable LongTerm term(Expression expression) {
    if (expression instanceof Expression.Literal literal
        && literal.value() instanceof LongValue number) {
      return new LongTerm.Constant(number.value());
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
      LongTerm zero = new LongTerm.Constant(0);
      return operand == null
          ? null
          : new LongTerm.Operation(BinaryOperator.SUBTRACT, zero, operand);
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
      BoundLoop.Binding name = valueNames.get(bound.slot());
      return name == null ? noTerm(expression) : BoundLoop.value(name);
    }
    return noTerm(expression);
  }

  private @Nullable LongTerm operation(Expression.Binary binary) {
    boolean has =
        switch (binary.operator()) {
          case ADD, SUBTRACT, MULTIPLY, REMAINDER -> true;
          default -> false;
        };
    LongTerm left = has ? term(binary.left()) : noTerm(binary);
    LongTerm right = left == null ? null : term(binary.right());
    return left == null || right == null
        ? null
        : new LongTerm.Operation(binary.operator(), left, right);
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
    VariableColumn column =
        call.arguments().size() == 1 && !call.distinct() ? column(call.arguments().get(0)) : null;
    if (column == null
        || !(RqlFunction.named(call.function().text()).orElse(null)
            instanceof Aggregate function)) {
      return noTerm(call);
    }
    return switch (function) {
      case COUNT, MIN, MAX, SPREAD -> {
        readings.add(function + "(" + column.name() + ")");
        yield new LongTerm.OverNodes(function, column);
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
    if (quantified.variables().size() == 1
        && ++quantifiers <= MAX_QUANTIFIERS
        && quantified.body() instanceof Expression.Binary body) {
      boolean mirrored = body.left() instanceof Expression.Literal;
      Expression tested = mirrored ? body.right() : body.left();
      Expression bound = mirrored ? body.left() : body.right();
      VariableColumn column = tested(tested, quantified);
      if (column != null
          && bound instanceof Expression.Literal literal
          && literal.value() instanceof LongValue number) {
        BinaryOperator operator = mirrored ? Extremes.mirrored(body.operator()) : body.operator();
        NodeCount count = OverNodes.counting(operator, number.value());
        if (count != null) {
          column.watch(count);
          readings.add(column.name() + " at each node");
          return new OverNodes(
              quantified.quantifier(),
              column,
              translator.nodes(),
              count,
              translator.limits().maxBindings() / MAX_QUANTIFIERS);
        }
      }
    }
    return null;
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
