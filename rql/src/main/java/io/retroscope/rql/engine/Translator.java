package io.retroscope.rql.engine;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import io.retroscope.rql.ast.NodeReference;
import io.retroscope.rql.cut.CutState;
import io.retroscope.rql.cut.PerNode;
import io.retroscope.rql.cut.VariableColumn;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Turns analyzed expressions into evaluators, once for each run of a query. */
final class Translator {
  private static final Columns NO_COLUMNS =
      new Columns() {
        @Override
        public VariableColumn of(Reference.Variable variable) {
          throw new AssertionError("a variable outside all cuts: " + variable);
        }

        @Override
        public void checkNode(String node) {}
      };

  private final Resolution resolution;
  private final Columns columns;
  private final int declaredSlots;
  private final QueryLimits limits;
  private final FunctionTranslator functions;
  private long byExtremes;
  private long byBindings;

  /** Where the columns of named variables are. */
  interface Columns {
    VariableColumn of(Reference.Variable variable);

    /** Checks a node's name that a query computed. */
    void checkNode(String node);
  }

  /**
   * A translator.
   *
   * @param declaredSlots slots that belong to names that COMPUTE declares; bound names come after
   */
  private Translator(
      Resolution resolution, Columns columns, int declaredSlots, QueryLimits limits) {
    this.resolution = resolution;
    this.columns = columns;
    this.declaredSlots = declaredSlots;
    this.limits = limits;
    this.functions = new FunctionTranslator(this);
  }

  /** A translator of a query's expressions over a state that follows its variables. */
  static Translator over(CutState state, AnalyzedQuery analyzed, QueryLimits limits) {
    Columns columns =
        new Columns() {
          @Override
          public VariableColumn of(Reference.Variable variable) {
            return state.follow(variable.log(), variable.name());
          }

          @Override
          public void checkNode(String node) {
            if (!analyzed.onlyNodes().isEmpty() && !analyzed.onlyNodes().contains(node)) {
              throw new EvaluationException(ErrorCode.NODE_NOT_LISTED, node);
            }
          }
        };
    return new Translator(analyzed.resolution(), columns, analyzed.declarations().size(), limits);
  }

  /**
   * The value of an expression that stands on its own, outside all cuts.
   *
   * @throws RqlException if it has none
   */
  static Value evaluateAlone(
      String text, Expression expression, Resolution resolution, QueryLimits limits) {
    Translator translator = new Translator(resolution, NO_COLUMNS, 0, limits);
    Frame frame =
        new Frame(
            new CutState(Set.of()),
            null,
            null,
            AnalysisLimits.DEFAULT.maxBoundNames(),
            new WorkMeter(() -> false));
    try {
      return translator.item(expression).value(frame);
    } catch (EvaluationException e) {
      throw new RqlException(text, List.of(e.at(expression.range()).inCut("")));
    }
  }

  /** An expression that has one value. */
  Evaluator one(Expression expression) {
    return translate(expression, false);
  }

  /** The clause COMPUTE: its ANDs run in sequence. */
  Evaluator compute(Expression expression) {
    return translate(expression, true);
  }

  /** An expression where a set is wanted: of a per-node collection, the distinct values. */
  Evaluator set(Expression expression) {
    return resolution.isCollection(expression) ? perNode(expression).asSet() : one(expression);
  }

  /** An expression as it prints: a per-node collection node by node. */
  Evaluator item(Expression expression) {
    return resolution.isCollection(expression) ? perNode(expression).asStruct() : one(expression);
  }

  /** What an aggregate or a quantifier ranges over. */
  ElementSource elements(Expression expression, String who) {
    return resolution.isCollection(expression)
        ? ElementSource.perNode(perNode(expression))
        : ElementSource.ofSet(one(expression), who);
  }

  /** What an aggregate with several arguments takes from one of them. */
  ElementSource elementsOrOne(Expression expression) {
    return resolution.isCollection(expression)
        ? ElementSource.perNode(perNode(expression))
        : ElementSource.ofSetOrOne(one(expression));
  }

  Resolution resolution() {
    return resolution;
  }

  QueryLimits limits() {
    return limits;
  }

  /** A per-node collection. */
  PerNodeEvaluator perNode(Expression expression) {
    if (expression instanceof Expression.Name name) {
      return variable(resolution.of(name));
    }
    if (expression instanceof Expression.Field field) {
      return resolution
          .variable(field)
          .map(this::variable)
          .orElseGet(() -> fieldOfEach(perNode(field.target()), field));
    }
    if (expression instanceof Expression.Call call) {
      return functions.perNode(call);
    }
    throw new AssertionError("not a per-node collection: " + expression);
  }

  private PerNodeEvaluator variable(Reference reference) {
    if (reference instanceof Reference.Variable variable) {
      VariableColumn column = columns.of(variable);
      return frame -> column;
    }
    if (reference instanceof Reference.EachVariable) {
      return Frame::each;
    }
    throw new AssertionError("not a variable: " + reference);
  }

  private static PerNodeEvaluator fieldOfEach(PerNodeEvaluator target, Expression.Field field) {
    return frame -> {
      PerNode structs = target.values(frame);
      return node -> {
        Value struct = structs.at(node);
        try {
          return struct == null ? null : field(struct, field.field().text());
        } catch (EvaluationException e) {
          throw e.at(field.range()).of(ElementSource.nodeName(node, frame));
        }
      };
    };
  }

  private static Value field(Value struct, String name) {
    if (struct instanceof StructValue fields) {
      return fields.fields().getOrDefault(name, NullValue.NULL);
    }
    if (Types.isNull(struct)) {
      return NullValue.NULL;
    }
    throw Types.wrong("%s has no field \"%s\"".formatted(Types.described(struct), name));
  }

  private Evaluator translate(Expression expression, boolean sequence) {
    if (expression instanceof Expression.Literal literal) {
      return frame -> literal.value();
    } else if (expression instanceof Expression.Name name) {
      return slot(resolution.of(name));
    } else if (expression instanceof Expression.Field field) {
      return Operation.one(
          field.range(), value -> field(value, field.field().text()), one(field.target()));
    } else if (expression instanceof Expression.AtNode atNode) {
      return atNode(atNode);
    } else if (expression instanceof Expression.Nodes) {
      return Frame::nodes;
    } else if (expression instanceof Expression.Unary unary) {
      return unary(unary, sequence);
    } else if (expression instanceof Expression.Binary binary) {
      return binary(binary, sequence);
    } else if (expression instanceof Expression.IsNull isNull) {
      Evaluator operand = one(isNull.operand());
      return frame -> Value.of(Types.isNull(operand.value(frame)) != isNull.negated());
    } else if (expression instanceof Expression.Conditional conditional) {
      return conditional(
          conditional.condition().range(),
          "?:",
          translate(conditional.condition(), sequence),
          translate(conditional.whenTrue(), sequence),
          translate(conditional.otherwise(), sequence));
    } else if (expression instanceof Expression.Quantified quantified) {
      return quantified(quantified, sequence);
    } else if (expression instanceof Expression.Call call) {
      return functions.one(call);
    } else if (expression instanceof Expression.SetLiteral literal) {
      return setLiteral(literal);
    } else if (expression instanceof Expression.Assignment assignment) {
      return assignment(assignment);
    } else if (expression instanceof Expression.Declaration declaration) {
      return declaration(declaration);
    }
    throw new AssertionError("an expression of no known kind: " + expression);
  }

  private Evaluator slot(Reference reference) {
    if (reference instanceof Reference.Bound bound) {
      return new BoundName(declaredSlots + bound.slot());
    }
    if (reference instanceof Reference.Declared declared) {
      return frame -> frame.slot(declared.slot());
    }
    throw new AssertionError("a per-node collection where one value is needed: " + reference);
  }

  private Evaluator atNode(Expression.AtNode atNode) {
    PerNodeEvaluator variable = perNode(atNode.variable());
    if (atNode.node() instanceof NodeReference.Named named) {
      return resolution
          .boundNode(named)
          .map(
              bound ->
                  computedNode(
                      variable, new BoundName(declaredSlots + bound.slot()), named.range()))
          .orElseGet(() -> new NodeAccess.Fixed(variable, named.name().text()));
    }
    Expression computed = ((NodeReference.Computed) atNode.node()).expression();
    return computedNode(variable, one(computed), computed.range());
  }

  private Evaluator computedNode(PerNodeEvaluator variable, Evaluator node, SourceRange range) {
    return new NodeAccess.Computed(variable, node, range, columns::checkNode);
  }

  private Evaluator unary(Expression.Unary unary, boolean sequence) {
    if (unary.operator() == UnaryOperator.NEGATE) {
      return Operation.one(unary.range(), Arithmetic::negate, one(unary.operand()));
    }
    return Operation.one(
        unary.operand().range(),
        value -> Comparison.not(Types.truth(value, "NOT")),
        translate(unary.operand(), sequence));
  }

  private Evaluator binary(Expression.Binary binary, boolean sequence) {
    SourceRange range = binary.range();
    Expression left = binary.left();
    Expression right = binary.right();
    return switch (binary.operator()) {
      case AND ->
          sequence
              ? Junction.sequence(operand(left, true), operand(right, true))
              : Junction.and(operand(left, false), operand(right, false));
      case OR -> Junction.or(operand(left, sequence), operand(right, sequence));
      case EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL ->
          new BinaryOperation(
              range, (a, b) -> Comparison.compare(binary.operator(), a, b), one(left), one(right));
      case IN -> new BinaryOperation(range, Comparison::in, one(left), set(right));
      case NOT_IN ->
          new BinaryOperation(
              range, (a, b) -> Comparison.not(Comparison.in(a, b)), one(left), set(right));
      case IS_SUBSET ->
          new BinaryOperation(
              range, (a, b) -> SetAlgebra.isSubset(a, b, false), set(left), set(right));
      case IS_PROPER_SUBSET ->
          new BinaryOperation(
              range, (a, b) -> SetAlgebra.isSubset(a, b, true), set(left), set(right));
      case LIKE -> like(binary);
      case CONTAINS -> new BinaryOperation(range, Comparison::contains, one(left), one(right));
      case ADD -> new BinaryOperation(range, Arithmetic::add, one(left), one(right));
      case SUBTRACT -> new BinaryOperation(range, Arithmetic::subtract, one(left), one(right));
      case MULTIPLY -> new BinaryOperation(range, Arithmetic::multiply, one(left), one(right));
      case DIVIDE -> new BinaryOperation(range, Arithmetic::divide, one(left), one(right));
      case REMAINDER -> new BinaryOperation(range, Arithmetic::remainder, one(left), one(right));
      case DIFFERENCE -> new BinaryOperation(range, SetAlgebra::difference, set(left), set(right));
      case UNION ->
          new BinaryOperation(
              range, (a, b) -> SetAlgebra.union(a, b, limits), set(left), set(right));
      case INTERSECT -> new BinaryOperation(range, SetAlgebra::intersect, set(left), set(right));
      case RANGE ->
          new BinaryOperation(
              range, (a, b) -> SetAlgebra.range(a, b, limits), one(left), one(right));
    };
  }

  private Junction.Operand operand(Expression expression, boolean sequence) {
    return new Junction.Operand(translate(expression, sequence), expression.range());
  }

  /** A pattern that is written out is read once. */
  private Evaluator like(Expression.Binary binary) {
    BinaryOperation.Application matching =
        binary.right() instanceof Expression.Literal literal
                && literal.value() instanceof StringValue pattern
            ? matching(LikePattern.of(pattern.value()))
            : (text, pattern) ->
                Types.isNull(pattern)
                    ? NullValue.NULL
                    : matching(LikePattern.of(likeText(pattern))).apply(text, pattern);
    return new BinaryOperation(binary.range(), matching, one(binary.left()), one(binary.right()));
  }

  private static BinaryOperation.Application matching(LikePattern pattern) {
    return (text, ignored) ->
        Types.isNull(text) ? NullValue.NULL : Value.of(pattern.matches(likeText(text)));
  }

  private static String likeText(Value value) {
    if (value instanceof StringValue text) {
      return text.value();
    }
    throw Types.wrong("LIKE takes STRINGs, not " + Types.described(value));
  }

  static Evaluator conditional(
      SourceRange range, String who, Evaluator condition, Evaluator whenTrue, Evaluator otherwise) {
    Evaluator truth = Operation.one(range, value -> Types.truth(value, who), condition);
    return frame ->
        Types.isTrue(truth.value(frame)) ? whenTrue.value(frame) : otherwise.value(frame);
  }

  private Evaluator quantified(Expression.Quantified quantified, boolean sequence) {
    ElementSource source = elements(quantified.collection(), quantified.quantifier().name());
    Evaluator all =
        new Quantification(
            quantified.quantifier(),
            declaredSlots + resolution.firstSlot(quantified),
            quantified.variables().size(),
            source,
            translate(quantified.body(), sequence),
            quantified.range(),
            quantified.body().range(),
            limits.maxBindings());
    Evaluator chosen = Extremes.of(quantified, this, source, all);
    if (chosen instanceof Extremes) {
      byExtremes++;
    } else {
      byBindings++;
    }
    return chosen;
  }

  /** How many of the quantifiers translated so far are answered from extremes. */
  long byExtremes() {
    return byExtremes;
  }

  /** How many of them try every binding. */
  long byBindings() {
    return byBindings;
  }

  /** One of the names that a quantifier binds. */
  AgeComparison.Loop loop(Expression.Quantified quantified, int name) {
    Expression collection = quantified.collection();
    return new AgeComparison.Loop(
        declaredSlots + resolution.firstSlot(quantified) + name,
        elements(collection, quantified.quantifier().name()),
        collection instanceof Expression.Call && resolution.isCollection(collection)
            ? Optional.of(perNode(collection))
            : Optional.empty());
  }

  private Evaluator setLiteral(Expression.SetLiteral literal) {
    Evaluator[] elements = literal.elements().stream().map(this::one).toArray(Evaluator[]::new);
    return new Operation(
        literal.range(),
        values -> SetAlgebra.bounded(new SetValue(List.of(values)), limits),
        elements);
  }

  private Evaluator assignment(Expression.Assignment assignment) {
    Reference.Declared target = (Reference.Declared) resolution.of(assignment);
    boolean global = target.kind() == Expression.DeclarationKind.GLOBAL;
    Evaluator value = set(assignment.value());
    return frame -> {
      Value assigned = value.value(frame);
      if (!global || !frame.keepsGlobals()) {
        frame.set(target.slot(), assigned);
      }
      return BooleanValue.TRUE;
    };
  }

  private Evaluator declaration(Expression.Declaration declaration) {
    int slot = ((Reference.Declared) resolution.of(declaration)).slot();
    boolean keeps = declaration.kind() == Expression.DeclarationKind.GLOBAL;
    return frame -> {
      if (!keeps) {
        frame.set(slot, NullValue.NULL);
      }
      return BooleanValue.TRUE;
    };
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
