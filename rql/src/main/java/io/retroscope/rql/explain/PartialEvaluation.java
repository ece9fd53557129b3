// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.analysis.RqlFunction.Aggregate;
import io.retroscope.rql.analysis.RqlFunction.Choice;
import io.retroscope.rql.analysis.RqlFunction.Scalar;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import io.retroscope.rql.ast.NodeReference;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Evaluator;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.Translator;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation of expressions at one cut of which some values are unknown: its result holds
 * whatever they are. An expression that reads no unknown value has its ordinary value; of others,
 * the logical operators, comparisons, quantifiers and aggregates are known as far as the known
 * values decide. Used by one thread.
 */
final class PartialEvaluation implements Expression.Visitor<Known> {
  /** Quantifiers with more bindings are known only if everything that they read is. */
  private static final int MAX_BINDINGS = 100_000;

  private final CutState state;
  private final Resolution resolution;
  private final Translator translator;
  private final Frame frame;
  private final @Nullable VariableColumn each;
  private final int declaredSlots;
  private final IdentityHashMap<Expression, Evaluator> evaluators = new IdentityHashMap<>();
  private final BitSet unknownSlots = new BitSet();
  private final BitSet innerSlots = new BitSet();
  private Set<Place> unknown = Set.of();
  private Set<VariableColumn> touched = Set.of();

  /**
   * Creates an evaluation at the cut of a probe.
   *
   * @param each the variable of FOR EACH VARIABLE, null in other queries
   */
  PartialEvaluation(CutProbe probe, Frame frame, @Nullable VariableColumn each) {
    this.state = probe.state();
    this.resolution = probe.query().resolution();
    this.translator = probe.translator();
    this.declaredSlots = probe.query().declarations().size();
    this.frame = frame;
    this.each = each;
  }

  /** Returns whether an expression is TRUE whatever the values at some places are. */
  boolean isTrue(Expression expression, Set<Place> withoutPlaces) {
    unknown = withoutPlaces;
    touched = new HashSet<>();
    withoutPlaces.forEach(place -> touched.add(place.column()));
    return of(expression).isTrue();
  }

  /** Returns whether a collection has an element whatever the values at some places are. */
  boolean contains(Expression collection, Value element, Set<Place> withoutPlaces) {
    unknown = withoutPlaces;
    touched = new HashSet<>();
    withoutPlaces.forEach(place -> touched.add(place.column()));
    KnownElements elements = elements(collection);
    return elements != null && elements.known().contains(element);
  }

  /** The places that an expression may read. */
  Set<Place> places(Expression expression) {
    Set<Place> places = new HashSet<>();
    for (Expression part : expression.thisAndAllBelow()) {
      VariableColumn column = column(part);
      for (int node = 0; column != null && node < state.nodes().size(); node++) {
        places.add(new Place(column, node));
      }
    }
    return places;
  }

  private @Nullable VariableColumn column(Expression e) {
    Optional<Reference.Variable> variable = resolution.variable(e);
    if (variable.isPresent()) {
      return state.follow(variable.get().log(), variable.get().name());
    }
    boolean isEach =
        e instanceof Expression.Name && resolution.of(e) instanceof Reference.EachVariable;
    return isEach ? each : null;
  }

  private Known of(Expression e) {
    return isKnown(e) ? plain(e) : e.accept(this);
  }

  /** Whether an expression reads no unknown value with the present bindings. */
  private boolean isKnown(Expression e) {
    VariableColumn column = column(e);
    if (column != null) {
      return !touched.contains(column);
    }
    if (e instanceof Expression.Name) {
      return resolution.bound(e).map(bound -> !unknownSlots.get(slot(bound))).orElse(true);
    }
    if (e instanceof Expression.AtNode at) {
      return isKnownAt(at);
    }
    if (e instanceof Expression.Quantified quantified) {
      int first = declaredSlots + resolution.firstSlot(quantified);
      int end = first + quantified.variables().size();
      innerSlots.set(first, end);
      boolean known = isKnown(quantified.collection()) && isKnown(quantified.body());
      innerSlots.clear(first, end);
      return known;
    }
    for (Expression child : e.children()) {
      if (!isKnown(child)) {
        return false;
      }
    }
    return true;
  }

  private boolean isKnownAt(Expression.AtNode at) {
    Optional<Reference.Bound> bound = resolution.bound(at);
    if (bound.isPresent() && unknownSlots.get(slot(bound.get()))) {
      return false;
    }
    Optional<Integer> node = node(at);
    for (Expression part : at.variable().thisAndAllBelow()) {
      VariableColumn column = column(part);
      if (column != null
          && touched.contains(column)
          && (node.isEmpty() || unknown.contains(new Place(column, node.get())))) {
        return false;
      }
    }
    return node.isPresent() || at.node().children().stream().allMatch(this::isKnown);
  }

  /** The node after the sign; empty if it is not known, or bound by a quantifier further inside. */
  private Optional<Integer> node(Expression.AtNode at) {
    Optional<Reference.Bound> bound = resolution.bound(at);
    if (bound.isPresent()) {
      int slot = slot(bound.get());
      return unknownSlots.get(slot) || innerSlots.get(slot)
          ? Optional.empty()
          : node(frame.slot(slot));
    }
    return at.node()
        .accept(
            new NodeReference.Visitor<>() {
              @Override
              public Optional<Integer> named(NodeReference.Named named) {
                return Optional.of(state.nodes().find(named.name().text()));
              }

              @Override
              public Optional<Integer> computed(NodeReference.Computed computed) {
                Expression name = computed.expression();
                return isKnown(name) && !readsInner(name) && plain(name) instanceof Known.Exact e
                    ? node(e.value())
                    : Optional.empty();
              }
            });
  }

  private Optional<Integer> node(Value name) {
    if (name instanceof StringValue text) {
      return Optional.of(state.nodes().find(text.value()));
    }
    return name instanceof LongValue number
        ? Optional.of(state.nodes().find(Long.toString(number.value())))
        : Optional.empty();
  }

  private boolean readsInner(Expression e) {
    return e.thisAndAllBelow().stream()
        .anyMatch(
            part -> resolution.bound(part).map(bound -> innerSlots.get(slot(bound))).orElse(false));
  }

  private int slot(Reference.Bound bound) {
    return declaredSlots + bound.slot();
  }

  /** The ordinary value; of a per-node collection, a struct with a field for each node. */
  private Known plain(Expression e) {
    Evaluator evaluator = evaluators.get(e);
    if (evaluator == null) {
      evaluator = resolution.isCollection(e) ? translator.item(e) : translator.one(e);
      evaluators.put(e, evaluator);
    }
    frame.beginCut();
    try {
      return new Known.Exact(evaluator.value(frame));
    } catch (EvaluationException error) {
      return Known.Nothing.KNOWN;
    }
  }

  /** The elements of a collection; null if it is unknown whether it is NULL. */
  private @Nullable KnownElements elements(Expression collection) {
    if (resolution.isCollection(collection)) {
      return perNode(collection);
    }
    Known known = of(collection);
    if (known instanceof Known.Exact exact) {
      return exact.value() instanceof SetValue set ? KnownElements.of(set, false) : null;
    }
    return known instanceof Known.Containing some ? KnownElements.of(some.elements(), true) : null;
  }

  private @Nullable KnownElements perNode(Expression collection) {
    if (!(plain(collection) instanceof Known.Exact exact
        && exact.value() instanceof StructValue values)) {
      return null;
    }
    List<VariableColumn> columns = new ArrayList<>();
    for (Expression part : collection.thisAndAllBelow()) {
      VariableColumn column = column(part);
      if (column != null && touched.contains(column)) {
        columns.add(column);
      }
    }
    KnownElements elements = new KnownElements(false);
    NodeTable nodes = state.nodes();
    for (int rank = 0; rank < nodes.size(); rank++) {
      int node = nodes.atRank(rank);
      boolean open = columns.stream().anyMatch(c -> unknown.contains(new Place(c, node)));
      Value value = values.fields().get(nodes.name(node));
      if (open) {
        elements.add(null, node);
      } else if (value != null) {
        elements.add(value, node);
      }
    }
    return elements;
  }

  @Override
  public Known literal(Expression.Literal e) {
    return new Known.Exact(e.value());
  }

  @Override
  public Known name(Expression.Name e) {
    return Known.Nothing.KNOWN;
  }

  @Override
  public Known field(Expression.Field e) {
    return Known.Nothing.KNOWN;
  }

  @Override
  public Known atNode(Expression.AtNode e) {
    return Known.Nothing.KNOWN;
  }

  @Override
  public Known nodes(Expression.Nodes e) {
    return Known.Nothing.KNOWN;
  }

  @Override
  public Known unary(Expression.Unary e) {
    if (e.operator() == UnaryOperator.NEGATE) {
      return Known.Nothing.KNOWN;
    }
    return Known.truths(not(of(e.operand()).truths()));
  }

  private static int not(int truths) {
    return (truths & Known.NULL)
        | ((truths & Known.TRUE) != 0 ? Known.FALSE : 0)
        | ((truths & Known.FALSE) != 0 ? Known.TRUE : 0);
  }

  @Override
  public Known binary(Expression.Binary e) {
    return switch (e.operator().kind()) {
      case JUNCTION -> junction(e.operator(), of(e.left()).truths(), of(e.right()).truths());
      case EQUALITY, ORDER -> KnownOrder.compare(e.operator(), of(e.left()), of(e.right()));
      case MEMBERSHIP -> {
        int isIn = in(of(e.left()), e.right());
        yield Known.truths(e.operator() == BinaryOperator.IN ? isIn : not(isIn));
      }
      case CONTAINMENT -> Known.truths(in(of(e.right()), e.left()));
      case SETS -> e.operator() == BinaryOperator.UNION ? union(e) : Known.Nothing.KNOWN;
      case SUM -> KnownOrder.sum(e.operator(), of(e.left()), of(e.right()));
      case INCLUSION, LIKENESS, PRODUCT, RANGE -> Known.Nothing.KNOWN;
    };
  }

  private static Known junction(BinaryOperator operator, int left, int right) {
    return Known.truths(
        operator == BinaryOperator.AND ? and(left, right) : not(and(not(left), not(right))));
  }

  private static int and(int left, int right) {
    int truths = 0;
    if ((left & Known.TRUE) != 0 && (right & Known.TRUE) != 0) {
      truths |= Known.TRUE;
    }
    if (((left | right) & Known.FALSE) != 0) {
      truths |= Known.FALSE;
    }
    int notFalse = Known.TRUE | Known.NULL;
    boolean isNull =
        ((left & Known.NULL) != 0 && (right & notFalse) != 0)
            || ((right & Known.NULL) != 0 && (left & notFalse) != 0);
    return isNull ? truths | Known.NULL : truths;
  }

  private int in(Known element, Expression collection) {
    KnownElements elements = elements(collection);
    if (elements == null || !(element instanceof Known.Exact exact) || !element.isSet()) {
      return Known.ANY_TRUTH;
    }
    if (elements.known().contains(exact.value())) {
      return Known.TRUE;
    }
    boolean decided = elements.isComplete() && elements.known().size() == elements.size();
    return decided ? Known.FALSE : Known.ANY_TRUTH;
  }

  /** A union with a set that may be NULL may be NULL, so both sides must be sets. */
  private Known union(Expression.Binary e) {
    KnownElements left = elements(e.left());
    KnownElements right = elements(e.right());
    if (left == null || right == null) {
      return Known.Nothing.KNOWN;
    }
    List<Value> all = new ArrayList<>(left.known());
    all.addAll(right.known());
    return new Known.Containing(new SetValue(all));
  }

  @Override
  public Known isNull(Expression.IsNull e) {
    Known operand = of(e.operand());
    if (operand.isSet()) {
      return new Known.Exact(Value.of(e.negated()));
    }
    return operand instanceof Known.Exact
        ? new Known.Exact(Value.of(!e.negated()))
        : Known.truths(Known.TRUE | Known.FALSE);
  }

  @Override
  public Known conditional(Expression.Conditional e) {
    return choose(e.condition(), e.whenTrue(), e.otherwise());
  }

  private Known choose(Expression condition, Expression whenTrue, Expression otherwise) {
    int truths = of(condition).truths();
    if (truths == Known.TRUE) {
      return of(whenTrue);
    }
    if ((truths & Known.TRUE) == 0) {
      return of(otherwise);
    }
    Known one = of(whenTrue);
    Known other = of(otherwise);
    return one.equals(other) ? one : Known.truths(one.truths() | other.truths());
  }

  @Override
  public Known setLiteral(Expression.SetLiteral e) {
    List<Value> elements = new ArrayList<>();
    for (Expression part : e.elements()) {
      if (of(part) instanceof Known.Exact exact) {
        elements.add(exact.value());
      }
    }
    return new Known.Containing(new SetValue(elements));
  }

  @Override
  public Known assignment(Expression.Assignment e) {
    return Known.Nothing.KNOWN;
  }

  @Override
  public Known declaration(Expression.Declaration e) {
    return Known.Nothing.KNOWN;
  }

  @Override
  public Known call(Expression.Call e) {
    RqlFunction function = RqlFunction.named(e.function().text()).orElseThrow();
    if (function instanceof Aggregate aggregate && e.arguments().size() == 1) {
      KnownElements elements = elements(e.arguments().get(0));
      return elements == null ? Known.Nothing.KNOWN : aggregate(aggregate, e.distinct(), elements);
    }
    if (function == Scalar.CARDINALITY) {
      KnownElements elements = elements(e.arguments().get(0));
      return elements == null
          ? Known.Nothing.KNOWN
          : Known.between(Value.of((long) new TreeSet<>(elements.known()).size()), null);
    }
    if (function == Choice.IF) {
      return choose(e.arguments().get(0), e.arguments().get(1), e.arguments().get(2));
    }
    return function == Choice.COALESCE ? coalesce(e.arguments()) : Known.Nothing.KNOWN;
  }

  private Known coalesce(List<Expression> arguments) {
    for (Expression argument : arguments) {
      Known known = of(argument);
      if (known.isSet()) {
        return known;
      }
      if (!(known instanceof Known.Exact)) {
        return Known.Nothing.KNOWN;
      }
    }
    return new Known.Exact(NullValue.NULL);
  }

  private static Known aggregate(Aggregate function, boolean distinct, KnownElements elements) {
    List<Value> known = elements.known();
    if (function == Aggregate.COUNT) {
      long least = distinct ? new TreeSet<>(known).size() : known.size();
      Value most = elements.isOpen() ? null : Value.of(least + elements.unknown());
      return Known.between(Value.of(least), most);
    }
    if (known.isEmpty() || known.stream().map(Value::family).distinct().count() > 1) {
      return Known.Nothing.KNOWN;
    }
    TreeSet<Value> ordered = new TreeSet<>(known);
    return switch (function.withMore()) {
      case RISES -> Known.between(ordered.last(), null);
      case FALLS -> Known.between(null, ordered.first());
      case WIDENS -> KnownOrder.atLeastDistance(ordered.first(), ordered.last());
      case UNKNOWN -> Known.Nothing.KNOWN;
    };
  }

  @Override
  public Known quantified(Expression.Quantified e) {
    KnownElements elements = elements(e.collection());
    if (elements == null
        || Math.pow(elements.size(), e.variables().size()) > MAX_BINDINGS
        || e.quantifier() == Expression.Quantifier.FOREACH) {
      return Known.Nothing.KNOWN;
    }
    KnownTally tally = new KnownTally(elements.isOpen());
    bind(e, declaredSlots + resolution.firstSlot(e), 0, elements, true, tally);
    return tally.result(e.quantifier());
  }

  /**
   * Evaluates the body for each binding.
   *
   * @param sure whether the elements that are bound so far are certainly there
   */
  private void bind(
      Expression.Quantified e,
      int first,
      int depth,
      KnownElements elements,
      boolean sure,
      KnownTally tally) {
    int slot = first + depth;
    for (int i = 0; i < elements.size(); i++) {
      Value value = elements.value(i);
      unknownSlots.set(slot, value == null);
      frame.bind(slot, value == null ? NullValue.NULL : value, elements.node(i));
      if (depth + 1 < e.variables().size()) {
        bind(e, first, depth + 1, elements, sure && value != null, tally);
      } else {
        tally.add(of(e.body()).truths(), sure && value != null, frame.slot(first));
      }
    }
    unknownSlots.clear(slot);
  }
}
