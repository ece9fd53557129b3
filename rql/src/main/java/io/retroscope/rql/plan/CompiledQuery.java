package io.retroscope.rql.plan;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.evaluation.AgeComparison;
import io.retroscope.rql.evaluation.AgeSearch;
import io.retroscope.rql.evaluation.Evaluator;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.evaluation.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The clauses of a query as evaluators over one state. */
public final class CompiledQuery {
  private final AnalyzedQuery analyzed;
  private final @Nullable Evaluator compute;
  private final @Nullable Condition when;
  private final List<Evaluator> items = new ArrayList<>();
  private final NoteMaker notes;
  private final int[] fresh;
  private final List<AgeComparison> ages;

  CompiledQuery(AnalyzedQuery analyzed, Translator translator) {
    this.analyzed = analyzed;
    Statement.Query query = analyzed.query();
    this.compute = query.compute().map(translator::compute).orElse(null);
    this.when =
        query.when().map(clause -> Condition.of(clause.predicate(), translator)).orElse(null);
    analyzed.items().forEach(item -> items.add(translator.item(item.expression())));
    this.notes = new NoteMaker(query.play(), translator);
    this.fresh =
        analyzed.declarations().stream()
            .filter(declared -> declared.kind() != DeclarationKind.GLOBAL)
            .mapToInt(Reference.Declared::slot)
            .toArray();
    this.ages = AgeSearch.in(query.expressions(), translator);
  }

  /** How WHEN is evaluated; empty without WHEN. */
  Optional<Condition> condition() {
    return Optional.ofNullable(when);
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
    for (int slot : fresh) {
      frame.set(slot, NullValue.NULL);
    }
    if (compute != null) {
      compute.value(frame);
    }
    return when == null || Types.isTrue(when.evaluator().value(frame));
  }

  /** Evaluates the same again in the same cut, but leaves GLOBALs unchanged. */
  public boolean stillHolds(Frame frame) {
    frame.setKeepsGlobals(true);
    try {
      return holds(frame);
    } finally {
      frame.setKeepsGlobals(false);
    }
  }

  /** The values of the columns that the query selects. */
  public List<Value> items(Frame frame) {
    List<Value> values = new ArrayList<>(items.size());
    for (Evaluator item : items) {
      values.add(item.value(frame));
    }
    return values;
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
