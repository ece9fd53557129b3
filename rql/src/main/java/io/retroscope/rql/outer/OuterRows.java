// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.outer;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.analysis.AnalyzedOuterQuery;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.analysis.OutputColumn;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Evaluator;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.evaluation.Types;
import io.retroscope.rql.evaluation.WorkMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of the rows of an inner query that sends the rows of the outer one: at once where it
 * can, otherwise when {@link #finish} says that there are no more. Used by one thread.
 */
public final class OuterRows implements RowSink {
  private static final int MAX_NAMED = 5;

  private final String text;
  private final AnalyzedOuterQuery query;
  private final RowSink sink;
  private final Frame frame;
  private final @Nullable Evaluator where;
  private final List<Evaluator> items;
  private final List<Evaluator> sortKeys;
  private final @Nullable RowGroups groups;
  private final @Nullable RowOrder order;
  private final long limit;
  private final int open;
  private final int missing;
  private final SortedSet<String> leftOut = new TreeSet<>(NaturalOrder.INSTANCE);
  private long openRows;
  private long sent;

  /** Creates a receiver of an inner query's rows. */
  public OuterRows(String text, AnalyzedOuterQuery query, QueryLimits limits, RowSink sink) {
    this.text = text;
    this.query = query;
    this.sink = sink;
    this.frame =
        new Frame(
            new CutState(Set.of()),
            null,
            null,
            query.valueSlots() + query.boundSlots(),
            new WorkMeter(sink::cancelled));
    Translator ofRows = Translator.overRows(query, limits);
    Translator ofResult = query.isGrouped() ? Translator.overGroups(query, limits) : ofRows;
    this.where = query.query().where().map(ofRows::one).orElse(null);
    this.items = query.items().stream().map(item -> ofResult.one(item.expression())).toList();
    this.sortKeys = query.sortKeys().stream().map(ofResult::one).toList();
    HeldRows held = new HeldRows(limits.outer());
    this.groups = query.isGrouped() ? new RowGroups(query, ofRows, held) : null;
    this.limit = query.query().limit().orElse(Long.MAX_VALUE);
    this.order = sortKeys.isEmpty() ? null : new RowOrder(query.query().orderBy(), limit, held);
    this.open = automatic("open");
    this.missing = automatic(AutomaticColumns.MISSING);
  }

  private int automatic(String name) {
    List<OutputColumn> input = query.input();
    for (int i = 0; i < input.size(); i++) {
      Column column = input.get(i).column();
      if (column.automatic() && column.name().equals(name) && !query.shows(i)) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public void columns(List<Column> columns) {
    sink.columns(query.columns().stream().map(OutputColumn::column).toList());
  }

  /**
   * Takes a row of the inner query.
   *
   * @return whether another row can change the answer
   */
  @Override
  public boolean row(Row row) {
    for (int i = 0; i < row.values().size(); i++) {
      frame.set(i, row.values().get(i));
    }
    frame.beginCut();
    return located(this::add);
  }

  private boolean add() {
    if (limit == 0 || (where != null && !holds(where))) {
      return limit > 0;
    }
    note();
    if (groups != null) {
      groups.add(frame);
      return true;
    }
    return result();
  }

  private boolean holds(Evaluator condition) {
    Expression written = query.query().where().orElseThrow();
    try {
      return Types.isTrue(Types.truth(condition.value(frame), "WHERE"));
    } catch (EvaluationException e) {
      throw e.at(written.range());
    }
  }

  /** Remembers that a row is less certain than the outer answer shows. */
  private void note() {
    if (open >= 0 && Types.isTrue(frame.slot(open))) {
      openRows++;
    }
    if (missing >= 0 && frame.slot(missing) instanceof SetValue nodes) {
      for (Value node : nodes.elements()) {
        leftOut.add(((StringValue) node).value());
      }
    }
  }

  /** Sends or keeps the row that the frame makes; returns whether more rows are wanted. */
  private boolean result() {
    List<Value> values = values(items);
    if (order == null) {
      return send(values);
    }
    order.add(values(sortKeys), values);
    return true;
  }

  private List<Value> values(List<Evaluator> evaluators) {
    List<Value> values = new ArrayList<>(evaluators.size());
    for (Evaluator evaluator : evaluators) {
      values.add(evaluator.value(frame));
    }
    return values;
  }

  private boolean send(List<Value> values) {
    if (sent >= limit) {
      return false;
    }
    int ordinal = (int) Math.min(sent, Integer.MAX_VALUE);
    sent++;
    return sink.row(new Row(HlcTimestamp.MIN_PACKED, ordinal, values, Optional.empty()))
        && sent < limit;
  }

  /**
   * Sends the rows that need all rows of the inner query, and the warnings.
   *
   * @throws RqlException if an expression fails
   */
  public void finish() {
    if (groups != null) {
      located(
          () -> {
            groups.forEach(frame, this::result);
            return true;
          });
    }
    if (order != null) {
      for (List<Value> values : order.rows()) {
        if (!send(values)) {
          break;
        }
      }
    }
    warnings();
  }

  private void warnings() {
    if (openRows > 0) {
      sink.warning(
          openRows == 1
              ? "1 interval is open at the end of the range, and longer than counted here"
              : openRows
                  + " intervals are open at the end of the range, and longer than counted"
                  + " here");
    }
    if (!leftOut.isEmpty()) {
      List<String> named = leftOut.stream().limit(MAX_NAMED).toList();
      int more = leftOut.size() - named.size();
      sink.warning(
          "some rows leave out silent nodes: "
              + String.join(", ", named)
              + (more > 0 ? " and " + more + " more" : ""));
    }
  }

  private interface Step {
    boolean run();
  }

  /** Runs a step, and gives a failure its place in the text. */
  private boolean located(Step step) {
    try {
      return step.run();
    } catch (EvaluationException e) {
      String where = e.isLimit() ? "" : ", in a row of the inner query";
      throw new RqlException(text, List.of(e.at(query.query().range()).inCut(where)));
    }
  }

  @Override
  public void warning(String message) {
    sink.warning(message);
  }

  @Override
  public void progress(long cuts, long hlc) {
    sink.progress(cuts, hlc);
  }

  @Override
  public boolean cancelled() {
    return sink.cancelled();
  }
}
