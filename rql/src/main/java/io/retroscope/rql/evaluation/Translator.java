// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.analysis.AnalyzedOuterQuery;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** A translator of analyzed expressions into evaluators, created for each run of a query. */
public final class Translator {
  private static final Columns NO_COLUMNS =
      new Columns() {
        @Override
        public VariableColumn of(Reference.Variable variable) {
          throw new AssertionError("a variable outside all cuts: " + variable);
        }

        @Override
        public void checkNode(String node) {}

        @Override
        public NodeTable nodes() {
          throw new AssertionError("nodes outside all cuts");
        }

        @Override
        public CutBatch batch() {
          throw new AssertionError("a batch outside all cuts");
        }
      };

  private final Resolution resolution;
  private final Columns columns;
  private final int declaredSlots;
  private final QueryLimits limits;
  private final boolean ofGroups;
  private final ExpressionTranslator plain = new ExpressionTranslator(this, false);
  private final ExpressionTranslator inSequence = new ExpressionTranslator(this, true);
  private long byExtremes;
  private long byBindings;

  /** The columns of named variables. */
  interface Columns {
    VariableColumn of(Reference.Variable variable);

    /** Checks the name of a node that a query computed. */
    void checkNode(String node);

    /** The nodes of the cut. */
    NodeTable nodes();

    /** The batch of the walk. */
    CutBatch batch();
  }

  /**
   * Creates a translator.
   *
   * @param declaredSlots the number of slots for names that COMPUTE declares; slots of bound names
   *     follow
   * @param ofGroups whether expressions that have one value for a group of rows are read from their
   *     slots
   */
  private Translator(
      Resolution resolution,
      Columns columns,
      int declaredSlots,
      QueryLimits limits,
      boolean ofGroups) {
    this.ofGroups = ofGroups;
    this.resolution = resolution;
    this.columns = columns;
    this.declaredSlots = declaredSlots;
    this.limits = limits;
  }

  /**
   * Creates a translator of a query's expressions over the batch of a state that follows its
   * variables.
   */
  public static Translator over(CutBatch batch, AnalyzedQuery analyzed, QueryLimits limits) {
    CutState state = batch.state();
    Set<String> onlyNodes = Set.copyOf(analyzed.onlyNodes());
    Columns columns =
        new Columns() {
          @Override
          public VariableColumn of(Reference.Variable variable) {
            return state.follow(variable.log(), variable.name());
          }

          @Override
          public void checkNode(String node) {
            if (!onlyNodes.isEmpty() && !onlyNodes.contains(node)) {
              throw new EvaluationException(ErrorCode.NODE_NOT_LISTED, node);
            }
          }

          @Override
          public NodeTable nodes() {
            return state.nodes();
          }

          @Override
          public CutBatch batch() {
            return batch;
          }
        };
    return new Translator(
        analyzed.resolution(), columns, analyzed.declarations().size(), limits, false);
  }

  /** Creates a translator of the expressions of an outer query that are evaluated for each row. */
  public static Translator overRows(AnalyzedOuterQuery query, QueryLimits limits) {
    return new Translator(query.resolution(), NO_COLUMNS, query.valueSlots(), limits, false);
  }

  /**
   * Creates a translator of the expressions of an outer query that are evaluated for each group.
   */
  public static Translator overGroups(AnalyzedOuterQuery query, QueryLimits limits) {
    return new Translator(query.resolution(), NO_COLUMNS, query.valueSlots(), limits, true);
  }

  /**
   * Evaluates a single expression outside all cuts.
   *
   * @throws RqlException if it has no value
   */
  public static Value evaluateAlone(
      String text, Expression expression, Resolution resolution, QueryLimits limits) {
    Translator translator = new Translator(resolution, NO_COLUMNS, 0, limits, false);
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

  /** Translates an expression that has one value. */
  public Evaluator one(Expression expression) {
    return translate(expression).one();
  }

  /** Translates the clause COMPUTE, in which ANDs run in sequence. */
  public Evaluator compute(Expression expression) {
    return expression.accept(inSequence).one();
  }

  /** Translates an expression used as a set; a per-node collection yields its distinct values. */
  Evaluator set(Expression expression) {
    return translate(expression).set();
  }

  /**
   * Translates an expression as a printed item; a per-node collection yields one field per node.
   */
  public Evaluator item(Expression expression) {
    return translate(expression).item();
  }

  /** Translates the collection of an aggregate or a quantifier. */
  ElementSource elements(Expression expression, String operation) {
    return translate(expression).elements(operation);
  }

  /** Translates one of several arguments of an aggregate. */
  ElementSource elementsOrOne(Expression expression) {
    return translate(expression).elementsOrOne();
  }

  /** Translates a per-node collection. */
  PerNodeEvaluator perNode(Expression expression) {
    return translate(expression).perNode();
  }

  Translation translate(Expression expression) {
    // No lambda: this is recursive, and each call takes room on the stack.
    Optional<Translation> known = perGroup(expression);
    return known.isPresent() ? known.get() : expression.accept(plain);
  }

  /** Translates an expression that has one value for a group of rows; empty for any other. */
  Optional<Translation> perGroup(Expression expression) {
    OptionalInt slot = ofGroups ? resolution.perGroup(expression) : OptionalInt.empty();
    return slot.isEmpty()
        ? Optional.empty()
        : Optional.of(new Translation.Single(frame -> frame.slot(slot.getAsInt())));
  }

  Resolution resolution() {
    return resolution;
  }

  QueryLimits limits() {
    return limits;
  }

  VariableColumn column(Reference.Variable variable) {
    return columns.of(variable);
  }

  /** The nodes of the cut. */
  NodeTable nodes() {
    return columns.nodes();
  }

  /** The batch of the walk. */
  CutBatch batch() {
    return columns.batch();
  }

  /** Checks the name of a node that a query computed. */
  void checkNode(String node) {
    columns.checkNode(node);
  }

  /** Returns a bound name's slot in the frame. */
  int slot(Reference.Bound bound) {
    return declaredSlots + bound.slot();
  }

  /** The slot of the first name that a quantifier binds. */
  int firstSlot(Expression.Quantified quantified) {
    return declaredSlots + resolution.firstSlot(quantified);
  }

  /** The slot of the name that is bound first. */
  int firstBoundSlot() {
    return declaredSlots;
  }

  /** Translates LIKE; a constant pattern is parsed once. */
  Evaluator like(Expression.Binary binary) {
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

  /** Translates a quantifier over its translated collection and body. */
  Evaluator quantified(Expression.Quantified quantified, ElementSource source, Evaluator body) {
    Evaluator all =
        new Quantification(
            quantified.quantifier(),
            declaredSlots + resolution.firstSlot(quantified),
            quantified.variables().size(),
            source,
            body,
            quantified.range(),
            quantified.body().range(),
            limits.evaluation().maxBindings());
    Evaluator chosen = Extremes.of(quantified, this, source, all);
    if (chosen instanceof Extremes) {
      byExtremes++;
    } else {
      byBindings++;
    }
    return chosen;
  }

  /** The number of quantifiers translated so far that are evaluated from extremes. */
  public long byExtremes() {
    return byExtremes;
  }

  /** The number of quantifiers translated so far that try every binding. */
  public long byBindings() {
    return byBindings;
  }

  /** Returns the loop over one of the names that a quantifier binds. */
  AgeComparison.Loop loop(Expression.Quantified quantified, int name) {
    Expression collection = quantified.collection();
    return new AgeComparison.Loop(
        declaredSlots + resolution.firstSlot(quantified) + name,
        elements(collection, quantified.quantifier().name()),
        collection instanceof Expression.Call && resolution.isCollection(collection)
            ? Optional.of(perNode(collection))
            : Optional.empty());
  }
}
