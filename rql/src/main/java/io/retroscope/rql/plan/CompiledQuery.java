// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.plan;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.evaluation.AgeComparison;
import io.retroscope.rql.evaluation.AgeSearch;
import io.retroscope.rql.evaluation.DeclaredTypes;
import io.retroscope.rql.evaluation.EachElement;
import io.retroscope.rql.evaluation.ElementKeys;
import io.retroscope.rql.evaluation.Evaluator;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.KernelCompiler;
import io.retroscope.rql.evaluation.NaryOperation;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.evaluation.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The clauses of a query as evaluators over one state. */
public final class CompiledQuery {
  private final AnalyzedQuery analyzed;
  private final @Nullable EachElement eachElement;
  private final @Nullable Evaluator compute;
  private final @Nullable Condition when;
  private final List<ElementKeys> keys;
  private final @Nullable Evaluator expected;
  private final @Nullable Evaluator excuse;
  private final List<Evaluator> items = new ArrayList<>();
  private final NoteMaker notes;
  private final int[] fresh;
  private final List<AgeComparison> ages;
  private final @Nullable DeclaredTypes types;
  private final Translator translator;

  CompiledQuery(AnalyzedQuery analyzed, Translator translator) {
    this.analyzed = analyzed;
    this.translator = translator;
    Statement.Query query = analyzed.query();
    this.eachElement =
        query
            .forEach()
            .flatMap(ForEach::collection)
            .map(elements -> EachElement.of(elements, translator))
            .orElse(null);
    this.compute = query.compute().map(translator::compute).orElse(null);
    this.when =
        query.when().map(clause -> Condition.of(clause.predicate(), translator)).orElse(null);
    Optional<Response> response = analyzed.response();
    this.keys =
        eachElement == null || compute != null
            ? List.of()
            : response.map(clause -> keys(clause, translator)).orElse(List.of());
    this.expected =
        response.map(clause -> truth(clause.expected(), clause.words(), translator)).orElse(null);
    this.excuse =
        response
            .flatMap(Response::excuse)
            .map(excuse -> truth(excuse, "UNLESS", translator))
            .orElse(null);
    analyzed.items().forEach(item -> items.add(translator.item(item.expression())));
    this.notes = new NoteMaker(query.play(), translator);
    this.fresh =
        analyzed.declarations().stream()
            .filter(declared -> declared.kind() != DeclarationKind.GLOBAL)
            .mapToInt(Reference.Declared::slot)
            .toArray();
    this.ages = AgeSearch.in(query.expressions(), translator);
    this.types =
        analyzed.declaredTypes().isEmpty()
            ? null
            : new DeclaredTypes(analyzed.declaredTypes(), translator);
  }

  private static Evaluator truth(Expression predicate, String clause, Translator translator) {
    return NaryOperation.one(
        predicate.range(), value -> Types.truth(value, clause), translator.one(predicate));
  }

  /** Whether each cut must be evaluated, because a value may not have its declared type. */
  boolean checksTypes() {
    return types != null;
  }

  /** How WHEN is evaluated; empty without WHEN. */
  Optional<Condition> condition() {
    return Optional.ofNullable(when);
  }

  /** A rule that is quiet only where a predicate of the query is not TRUE; empty without one. */
  Optional<QuietRule> necessary(Expression predicate) {
    return Optional.ofNullable(new KernelCompiler(translator).necessary(predicate));
  }

  /** The rule of a predicate with ages over the present state; empty if it has none. */
  Optional<QuietRule> ruleOfSingleCuts(Expression predicate) {
    return Optional.ofNullable(new KernelCompiler(translator).ofSingleCuts(predicate));
  }

  /** The rule of a predicate for one node of FOR EACH NODE; empty if it has none. */
  Optional<QuietRule> ruleAt(String node, Expression predicate) {
    return Optional.ofNullable(new KernelCompiler(translator).ruleAt(node, predicate));
  }

  /** The rule of a predicate of the query; empty if it has none. */
  Optional<QuietRule> rule(Expression predicate) {
    return Optional.ofNullable(new KernelCompiler(translator).rule(predicate));
  }

  /** Returns the keys of both predicates; none if one of them has no keys. */
  private static List<ElementKeys> keys(Response clause, Translator translator) {
    List<ElementKeys> keys = new ArrayList<>();
    ElementKeys.of(clause.expected(), translator).ifPresent(keys::add);
    clause.excuse().flatMap(excuse -> ElementKeys.of(excuse, translator)).ifPresent(keys::add);
    return keys.size() == (clause.excuse().isPresent() ? 2 : 1) ? keys : List.of();
  }

  /**
   * The keys of THEN, AFTER and UNLESS, among which an element must be to make one of them TRUE;
   * empty if any element may.
   */
  public List<ElementKeys> elementKeys() {
    return keys;
  }

  /** The elements of FOR EACH; null without it, and for variables. */
  public @Nullable EachElement eachElement() {
    return eachElement;
  }

  /** The comparisons of an age with a constant, which make cuts when they become true. */
  public List<AgeComparison> ages() {
    return ages;
  }

  /** The number of values that a frame must hold. */
  public int slotCount() {
    return analyzed.declarations().size() + analyzed.boundSlots();
  }

  /** Runs COMPUTE, then returns whether WHEN is TRUE. */
  public boolean holds(Frame frame) {
    compute(frame);
    return when == null || Types.isTrue(when.evaluator().value(frame));
  }

  private void compute(Frame frame) {
    if (types != null) {
      types.check(frame);
    }
    for (int slot : fresh) {
      frame.set(slot, NullValue.NULL);
    }
    if (compute != null) {
      compute.value(frame);
    }
  }

  /** Evaluates the same again in the same cut, but leaves GLOBALs unchanged. */
  public boolean stillHolds(Frame frame) {
    computeAgain(frame);
    return when == null || Types.isTrue(when.evaluator().value(frame));
  }

  /** Runs COMPUTE, but leaves GLOBALs unchanged. */
  public void computeAgain(Frame frame) {
    frame.setKeepsGlobals(true);
    try {
      compute(frame);
    } finally {
      frame.setKeepsGlobals(false);
    }
  }

  /** Whether the predicate of THEN or AFTER is TRUE, after COMPUTE; FALSE without them. */
  public boolean expected(Frame frame) {
    return expected != null && Types.isTrue(expected.value(frame));
  }

  /** Whether the predicate of UNLESS is TRUE, after COMPUTE; FALSE without it. */
  public boolean excused(Frame frame) {
    return excuse != null && Types.isTrue(excuse.value(frame));
  }

  /** The values of the columns that the query selects. */
  public List<Value> items(Frame frame) {
    List<Value> values = new ArrayList<>(items.size());
    for (Evaluator item : items) {
      values.add(item.value(frame));
    }
    return values;
  }

  /** Adds the cells of the columns that the query selects. */
  public void fill(Frame frame, RowCells cells) {
    for (Evaluator item : items) {
      item.fill(frame, cells);
    }
  }

  /** The note of PLAY; empty without PLAY, or if its pitch is NULL. */
  public Optional<Note> note(Frame frame) {
    return notes.note(frame);
  }

  /** The values of the declared names, for {@link #restore}. */
  public Value[] declared(Frame frame) {
    Value[] values = new Value[analyzed.declarations().size()];
    for (int slot = 0; slot < values.length; slot++) {
      values[slot] = frame.slot(slot);
    }
    return values;
  }

  /** Sets the declared names to earlier values. */
  public void restore(Frame frame, Value[] values) {
    for (int slot = 0; slot < values.length; slot++) {
      frame.set(slot, values[slot]);
    }
  }
}
