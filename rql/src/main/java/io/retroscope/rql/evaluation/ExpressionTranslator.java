// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import io.retroscope.rql.ast.NodeReference;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A visitor that translates each kind of expression into its evaluator. */
final class ExpressionTranslator implements Expression.Visitor<Translation> {
  private final Translator translator;
  private final boolean sequence;

  /**
   * Creates a translator of expressions.
   *
   * @param sequence whether ANDs run in sequence, as in COMPUTE
   */
  ExpressionTranslator(Translator translator, boolean sequence) {
    this.translator = translator;
    this.sequence = sequence;
  }

  /** Returns the evaluator of a part that belongs to the same sequence. */
  private Evaluator within(Expression expression) {
    return translator.perGroup(expression).orElseGet(() -> expression.accept(this)).one();
  }

  private static Translation single(Evaluator evaluator) {
    return new Translation.Single(evaluator);
  }

  @Override
  public Translation literal(Expression.Literal e) {
    return single(frame -> e.value());
  }

  @Override
  public Translation name(Expression.Name e) {
    return translator.resolution().of(e).accept(new ReferenceTranslator(translator));
  }

  @Override
  public Translation field(Expression.Field e) {
    Optional<Reference.RowColumn> column = translator.resolution().rowColumn(e);
    if (column.isPresent()) {
      return new ReferenceTranslator(translator).rowColumn(column.get());
    }
    return translator
        .resolution()
        .variable(e)
        .map(variable -> new ReferenceTranslator(translator).variable(variable))
        .orElseGet(() -> translator.translate(e.target()).field(e));
  }

  @Override
  public Translation atNode(Expression.AtNode e) {
    PerNodeEvaluator variable = translator.perNode(e.variable());
    return single(e.node().accept(new NodeTranslator(e, variable)));
  }

  /** The translation of the node in {@code variable@node}. */
  private final class NodeTranslator implements NodeReference.Visitor<Evaluator> {
    private final Expression.AtNode e;
    private final PerNodeEvaluator variable;

    NodeTranslator(Expression.AtNode e, PerNodeEvaluator variable) {
      this.e = e;
      this.variable = variable;
    }

    @Override
    public Evaluator named(NodeReference.Named node) {
      Optional<Reference.Bound> bound = translator.resolution().bound(e);
      return bound.isPresent()
          ? atNode(new BoundName(translator.slot(bound.get())), node.range())
          : new NodeAccess.Fixed(variable, node.name().text());
    }

    @Override
    public Evaluator computed(NodeReference.Computed node) {
      return atNode(translator.one(node.expression()), node.expression().range());
    }

    private Evaluator atNode(Evaluator node, SourceRange range) {
      return new NodeAccess.Computed(variable, node, range, translator::checkNode);
    }
  }

  @Override
  public Translation nodes(Expression.Nodes e) {
    return single(Frame::nodes);
  }

  @Override
  public Translation unary(Expression.Unary e) {
    if (e.operator() == UnaryOperator.NEGATE) {
      return single(NaryOperation.one(e.range(), Arithmetic::negate, translator.one(e.operand())));
    }
    return single(
        NaryOperation.one(
            e.operand().range(),
            value -> Comparison.not(Types.truth(value, "NOT")),
            within(e.operand())));
  }

  @Override
  public Translation binary(Expression.Binary e) {
    Expression left = e.left();
    Expression right = e.right();
    QueryLimits limits = translator.limits();
    return single(
        switch (e.operator()) {
          case AND ->
              sequence
                  ? Junction.sequence(operand(left), operand(right))
                  : Junction.and(operand(left), operand(right));
          case OR -> Junction.or(operand(left), operand(right));
          case EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL ->
              ofValues(e, (a, b) -> Comparison.compare(e.operator(), a, b));
          case IN -> ofValueAndSet(e, Comparison::in);
          case NOT_IN -> ofValueAndSet(e, (a, b) -> Comparison.not(Comparison.in(a, b)));
          case IS_SUBSET -> ofSets(e, (a, b) -> SetAlgebra.isSubset(a, b, false));
          case IS_PROPER_SUBSET -> ofSets(e, (a, b) -> SetAlgebra.isSubset(a, b, true));
          case LIKE -> translator.like(e);
          case CONTAINS -> ofValues(e, Comparison::contains);
          case ADD -> ofValues(e, Arithmetic::add);
          case SUBTRACT -> ofValues(e, Arithmetic::subtract);
          case MULTIPLY -> ofValues(e, Arithmetic::multiply);
          case DIVIDE -> ofValues(e, Arithmetic::divide);
          case REMAINDER -> ofValues(e, Arithmetic::remainder);
          case DIFFERENCE -> ofSets(e, SetAlgebra::difference);
          case UNION -> ofAnySets(e, (a, b) -> SetAlgebra.union(a, b, limits));
          case INTERSECT -> ofSets(e, SetAlgebra::intersect);
          case RANGE -> ofValues(e, (a, b) -> SetAlgebra.range(a, b, limits));
        });
  }

  /** The operation that computes an operator over columns of numbers; null if there is none. */
  static @Nullable NumberOperation operation(BinaryOperator operator) {
    return switch (operator) {
      case ADD -> NumberOperation.ADD;
      case SUBTRACT -> NumberOperation.SUBTRACT;
      case MULTIPLY -> NumberOperation.MULTIPLY;
      case DIVIDE -> NumberOperation.DIVIDE;
      case REMAINDER -> NumberOperation.REMAINDER;
      case AND, OR, EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> null;
      case IN, NOT_IN, IS_SUBSET, IS_PROPER_SUBSET, LIKE, CONTAINS -> null;
      case DIFFERENCE, UNION, INTERSECT, RANGE -> null;
    };
  }

  private Junction.Operand operand(Expression expression) {
    return new Junction.Operand(within(expression), expression.range());
  }

  private Evaluator ofValues(Expression.Binary e, BinaryOperation.Application application) {
    return new BinaryOperation(
        e.range(), application, translator.one(e.left()), translator.one(e.right()));
  }

  private Evaluator ofValueAndSet(Expression.Binary e, BinaryOperation.Application application) {
    Evaluator element = translator.one(e.left());
    Evaluator set = translator.set(e.right());
    boolean mayBeValueOfVariable = element instanceof BoundName && isPerNode(e.right());
    return new BinaryOperation(
        e.range(), application, element, mayBeValueOfVariable ? notWhole(e, element, set) : set);
  }

  /**
   * Rejects the SETs of a variable's nodes if the element is the SET of a node, bound by a
   * quantifier over a variable: a common element of both is meant.
   */
  private static Evaluator notWhole(Expression.Binary e, Evaluator element, Evaluator set) {
    return frame -> {
      Value values = set.value(frame);
      if (element.source(frame) != NodeTable.NONE && element.value(frame) instanceof SetValue) {
        try {
          ElementTypes.rejectSets(values, e.operator().symbol());
        } catch (EvaluationException wrong) {
          throw wrong.at(e.range());
        }
      }
      return values;
    };
  }

  private boolean isPerNode(Expression e) {
    return translator.resolution().isCollection(e);
  }

  /** Two variables whose values are SETs have no common elements: Flatten is meant. */
  private Evaluator ofSets(Expression.Binary e, BinaryOperation.Application application) {
    if (!isPerNode(e.left()) || !isPerNode(e.right())) {
      return ofAnySets(e, application);
    }
    return ofAnySets(
        e,
        (a, b) -> {
          ElementTypes.rejectSets(a, e.operator().symbol());
          ElementTypes.rejectSets(b, e.operator().symbol());
          return application.apply(a, b);
        });
  }

  private Evaluator ofAnySets(Expression.Binary e, BinaryOperation.Application application) {
    return new BinaryOperation(
        e.range(), application, translator.set(e.left()), translator.set(e.right()));
  }

  @Override
  public Translation isNull(Expression.IsNull e) {
    Evaluator operand = translator.one(e.operand());
    return single(frame -> Value.of(Types.isNull(operand.value(frame)) != e.negated()));
  }

  @Override
  public Translation conditional(Expression.Conditional e) {
    return single(
        conditional(
            e.condition().range(),
            "?:",
            within(e.condition()),
            within(e.whenTrue()),
            within(e.otherwise())));
  }

  static Evaluator conditional(
      SourceRange range,
      String operation,
      Evaluator condition,
      Evaluator whenTrue,
      Evaluator otherwise) {
    Evaluator truth = NaryOperation.one(range, value -> Types.truth(value, operation), condition);
    return frame ->
        Types.isTrue(truth.value(frame)) ? whenTrue.value(frame) : otherwise.value(frame);
  }

  @Override
  public Translation quantified(Expression.Quantified e) {
    ElementSource source = translator.elements(e.collection(), e.quantifier().name());
    return single(translator.quantified(e, source, within(e.body())));
  }

  @Override
  public Translation call(Expression.Call e) {
    return FunctionTranslator.function(e).accept(new FunctionTranslator(translator, e));
  }

  @Override
  public Translation setLiteral(Expression.SetLiteral e) {
    Evaluator[] elements = e.elements().stream().map(translator::one).toArray(Evaluator[]::new);
    QueryLimits limits = translator.limits();
    return single(
        new NaryOperation(
            e.range(),
            values -> SetAlgebra.bounded(new SetValue(List.of(values)), limits),
            elements));
  }

  @Override
  public Translation assignment(Expression.Assignment e) {
    Reference.Declared target = (Reference.Declared) translator.resolution().of(e);
    boolean global = target.kind() == DeclarationKind.GLOBAL;
    Evaluator value = translator.set(e.value());
    return single(
        frame -> {
          Value assigned = value.value(frame);
          if (!global || !frame.keepsGlobals()) {
            frame.set(target.slot(), assigned);
          }
          return BooleanValue.TRUE;
        });
  }

  @Override
  public Translation declaration(Expression.Declaration e) {
    int slot = ((Reference.Declared) translator.resolution().of(e)).slot();
    boolean keeps = e.kind() == DeclarationKind.GLOBAL;
    return single(
        frame -> {
          if (!keeps) {
            frame.set(slot, NullValue.NULL);
          }
          return BooleanValue.TRUE;
        });
  }

  /** A visitor that resolves names. */
  private record ReferenceTranslator(Translator translator)
      implements Reference.Visitor<Translation> {
    @Override
    public Translation variable(Reference.Variable reference) {
      VariableColumn column = translator.column(reference);
      return new Translation.Collection(frame -> column);
    }

    @Override
    public Translation eachVariable(Reference.EachVariable reference) {
      return new Translation.Collection(Frame::each);
    }

    @Override
    public Translation bound(Reference.Bound reference) {
      return single(new BoundName(translator.slot(reference)));
    }

    @Override
    public Translation declared(Reference.Declared reference) {
      return single(frame -> frame.slot(reference.slot()));
    }

    @Override
    public Translation rowColumn(Reference.RowColumn reference) {
      return single(frame -> frame.slot(reference.slot()));
    }
  }

  /** A name that a quantifier binds. */
  private record BoundName(int slot) implements Evaluator {
    @Override
    public Value value(Frame frame) {
      return frame.slot(slot);
    }

    @Override
    public int source(Frame frame) {
      return frame.slotNode(slot);
    }
  }
}
