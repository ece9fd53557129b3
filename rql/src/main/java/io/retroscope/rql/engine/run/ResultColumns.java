// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.run;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.OutputColumn;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.cut.state.CutTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** The layout of rows: the automatic columns, then the query's own, then the nodes left out. */
public final class ResultColumns {
  /** The largest number of missing nodes that a row names; the others are counted. */
  static final int MAX_NAMED = 20;

  private final List<Column> columns;
  private final boolean namesMissing;
  private List<Value> ofResponse = List.of();

  /** Creates the layout of the rows of a query. */
  public ResultColumns(AnalyzedQuery analyzed) {
    this.columns = analyzed.columns().stream().map(OutputColumn::column).toList();
    this.namesMissing = analyzed.namesMissing();
  }

  private ResultColumns(ResultColumns other) {
    this.columns = other.columns;
    this.namesMissing = other.namesMissing;
  }

  /** Returns the same layout with values of its own for THEN or AFTER. */
  public ResultColumns copy() {
    return new ResultColumns(this);
  }

  /** Sets the values that THEN or AFTER adds to the next rows. */
  public void setOfResponse(List<Value> values) {
    ofResponse = values;
  }

  /** Whether a row of EMIT CUTS has nothing but the time of its cut and what the query selects. */
  boolean isOfCutAlone() {
    return !namesMissing && ofResponse.isEmpty();
  }

  /** All columns in order, those that are automatic included. */
  public List<Column> columns() {
    return columns;
  }

  /** A row of EMIT CUTS. */
  Row cut(CutRow cut) {
    return row(cut, List.of(), cut.missing(), true);
  }

  /** Returns a row of EMIT EDGES. Only a rise has a note. */
  public Row edge(CutRow cut, boolean rise) {
    return row(cut, List.of(Value.of(rise ? "rise" : "fall")), cut.missing(), rise);
  }

  /**
   * Returns a row of EMIT INTERVALS.
   *
   * @param endTime null if only the stamp of the end is known
   */
  Row interval(
      CutRow first,
      long endHlc,
      @Nullable CutTime endTime,
      long cuts,
      boolean open,
      SortedSet<String> missing) {
    OptionalLong uncertainty =
        endTime == null
            ? OptionalLong.empty()
            : CutTime.durationUncertainty(first.hlc(), first.time(), endHlc, endTime);
    return interval(first, uncertainty, endHlc, endTime, cuts, open, missing);
  }

  /**
   * Returns a row of EMIT INTERVALS.
   *
   * @param uncertainty of its duration, in microseconds
   * @param endTime null if only the stamp of the end is known
   */
  public Row interval(
      CutRow first,
      OptionalLong uncertainty,
      long endHlc,
      @Nullable CutTime endTime,
      long cuts,
      boolean open,
      SortedSet<String> missing) {
    long knownMicros = endTime == null ? HlcTimestamp.micros(endHlc) : endTime.micros();
    // A clock that stepped back may read less at the end.
    long endMicros = Math.max(knownMicros, first.time().micros());
    long duration = HlcTimestamp.micros(endHlc) - HlcTimestamp.micros(first.hlc());
    List<Value> added =
        List.of(
            new TimestampValue(endHlc),
            Value.of(HlcTimestamp.isoMicros(endMicros)),
            Value.of(duration),
            orNull(uncertainty),
            Value.of(cuts),
            Value.of(open));
    return row(first, added, missing, true);
  }

  private Row row(CutRow cut, List<Value> added, SortedSet<String> missing, boolean sounds) {
    List<Value> values = new ArrayList<>(columns.size());
    values.add(new TimestampValue(cut.hlc()));
    values.add(Value.of(HlcTimestamp.isoMicros(cut.time().micros())));
    values.add(orNull(cut.time().uncertaintyMicros()));
    values.addAll(added);
    values.addAll(ofResponse);
    values.addAll(cut.items());
    if (namesMissing) {
      values.add(missing.isEmpty() ? NullValue.NULL : names(missing));
    }
    return new Row(cut.hlc(), cut.ordinal(), values, sounds ? cut.note() : Optional.empty());
  }

  private static Value orNull(OptionalLong micros) {
    return micros.isPresent() ? new LongValue(micros.getAsLong()) : NullValue.NULL;
  }

  private static Value names(SortedSet<String> nodes) {
    List<Value> names = new ArrayList<>();
    nodes.stream().limit(MAX_NAMED).forEach(node -> names.add(Value.of(node)));
    if (nodes.size() > MAX_NAMED) {
      names.add(Value.of("and %d more".formatted(nodes.size() - MAX_NAMED)));
    }
    return new SetValue(names);
  }
}
