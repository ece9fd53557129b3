// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.outer;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.AnalyzedVerdict;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.analysis.OutputColumn;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Claim;
import io.retroscope.rql.ast.Statement.When;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of the rows that decide about a claim, which sends the one row of the verdict. Used by
 * one thread.
 */
public final class VerdictRow implements RowSink {
  /** The verdicts. */
  public static final String HOLDS = "holds";

  public static final String BROKEN = "broken";

  /** Nothing breaks the claim, or fulfils it, but something is missing that could. */
  public static final String INCONCLUSIVE = "inconclusive";

  /** No cut fulfils SOMETIMES; one of another run may. */
  public static final String NOT_YET = "not yet";

  /** The reason of an inconclusive verdict on a range without events. */
  public static final String NOTHING_RECORDED = "nothing that it names was recorded in the range";

  /** The reason of an inconclusive verdict on THEN or AFTER. */
  public static final String NOTHING_TRIGGERED = "nothing triggered it: WHEN was never TRUE";

  /** Before the reason why missing events could undo what was found. */
  public static final String PROVISIONAL = "provisional: ";

  private static final Value FALL = Value.of("fall");

  private final Claim kind;

  /** How long a row's run must last; empty if the evidence does not depend on that. */
  private final OptionalLong forMicros;

  /** Whether the rows themselves say whether they are borderline. */
  private final boolean responds;

  /** Whether the evidence consists of rows of another query, whose durations are not followed. */
  private final boolean isOfRows;

  private final RowSink sink;
  private List<Column> columns = List.of();
  private int edge = -1;
  private long episodes;
  private @Nullable Row first;
  private boolean isAnyLong;
  private boolean isAnyUnknown;

  /** Creates a receiver of the evidence. */
  public VerdictRow(AnalyzedVerdict verdict, RowSink sink) {
    this.kind = verdict.query().kind();
    this.isOfRows = !(verdict.evidence() instanceof AnalyzedQuery);
    this.forMicros =
        verdict.walk().query().when().map(When::forMicros).orElseGet(OptionalLong::empty);
    this.responds = verdict.walk().response().isPresent();
    this.sink = sink;
    sink.columns(verdict.columns().stream().map(OutputColumn::column).toList());
  }

  @Override
  public void columns(List<Column> evidence) {
    columns = evidence;
    edge = indexOf("edge");
  }

  @Override
  public boolean row(Row row) {
    boolean isFall = edge >= 0 && row.values().get(edge).equals(FALL);
    if (isFall || value(row, AutomaticColumns.REPEAT).equals(BooleanValue.TRUE)) {
      return true;
    }
    follow(row);
    // Rows come when their runs end: one that began earlier may come later.
    first = first == null || row.hlc() < first.hlc() ? row : first;
    episodes++;
    return !kind.isFulfilledByOne();
  }

  /**
   * Sends the verdict.
   *
   * @param doubt the reason for which the absence of rows proves nothing
   * @param undoing returns the reason for which a row that depends on events up to a packed stamp
   *     may not have been
   * @param missedLong whether a run without a row may have lasted long enough; empty if that is not
   *     known
   * @param isUncertain whether the clocks could reverse a verdict that the cuts of a run decide, or
   *     if there is none, all cuts
   */
  public void finish(
      Optional<String> doubt,
      LongFunction<Optional<String>> undoing,
      Optional<Boolean> missedLong,
      Predicate<Optional<HlcRange>> isUncertain) {
    boolean found = episodes > 0;
    Optional<String> reason =
        first == null ? doubt : undoing.apply(lastNeeded(first)).map(PROVISIONAL::concat);
    String verdict;
    if (!found && kind == Claim.SOMETIMES) {
      verdict = NOT_YET;
    } else if (!found && doubt.isPresent()) {
      verdict = INCONCLUSIVE;
    } else {
      verdict = found == kind.isFulfilledByOne() ? HOLDS : BROKEN;
    }
    List<Value> values = new ArrayList<>();
    values.add(Value.of(verdict));
    values.add(Value.of(episodes));
    AnalyzedVerdict.OF_FIRST.forEach(name -> values.add(automatic(name)));
    values.add(found ? cut() : NullValue.NULL);
    values.add(reason.<Value>map(Value::of).orElse(NullValue.NULL));
    Optional<Boolean> borderline =
        verdict.equals(INCONCLUSIVE) || verdict.equals(NOT_YET)
            ? Optional.empty()
            : isUncertain.test(run()) ? Optional.of(true) : borderline(found, missedLong);
    values.add(borderline.<Value>map(Value::of).orElse(NullValue.NULL));
    sink.row(new Row(HlcTimestamp.MIN_PACKED, 0, values, Optional.empty()));
  }

  /** The cuts of the first run that was found; empty if there is none, or a row has no run. */
  private Optional<HlcRange> run() {
    return first != null && !responds && value(first, "endHlc") instanceof TimestampValue end
        ? Optional.of(new HlcRange(first.hlc(), end.packed()))
        : Optional.empty();
  }

  /** The last stamp on which a row depends: with FOR, its run must have lasted. */
  private long lastNeeded(Row row) {
    return forMicros.isPresent() && value(row, "endHlc") instanceof TimestampValue end
        ? end.packed()
        : row.hlc();
  }

  /** Follows whether a run has surely lasted long enough. */
  private void follow(Row row) {
    if (responds) {
      isAnyLong |= value(row, "borderline").equals(BooleanValue.FALSE);
      isAnyUnknown |= value(row, "borderline").equals(NullValue.NULL);
      return;
    }
    Value duration = value(row, "durationMicros");
    Value uncertainty = value(row, AutomaticColumns.DURATION_UNCERTAINTY);
    if (forMicros.isEmpty()
        || !(duration instanceof LongValue shown)
        || !(uncertainty instanceof LongValue micros)) {
      isAnyUnknown = true;
    } else {
      isAnyLong |= shown.value() - micros.value() >= forMicros.getAsLong();
    }
  }

  /** Whether the clocks' uncertainty could reverse a verdict; empty if that is not known. */
  private Optional<Boolean> borderline(boolean found, Optional<Boolean> missedLong) {
    if (isOfRows) {
      return Optional.empty();
    }
    if ((forMicros.isEmpty() && !responds) || isAnyLong) {
      return Optional.of(false);
    }
    if (!found) {
      return missedLong;
    }
    return isAnyUnknown ? Optional.empty() : Optional.of(true);
  }

  private Value value(Row row, String automatic) {
    int index = indexOf(automatic);
    return index < 0 ? NullValue.NULL : row.values().get(index);
  }

  private Value automatic(String name) {
    int index = indexOf(name);
    return first == null || index < 0 ? NullValue.NULL : first.values().get(index);
  }

  private int indexOf(String automatic) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).automatic() && columns.get(i).name().equals(automatic)) {
        return i;
      }
    }
    return -1;
  }

  private Value cut() {
    Map<String, Value> values = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      if (first != null && !column.automatic()) {
        String name = column.name();
        boolean ofName = name.startsWith(Statement.Verdict.VALUE_OF);
        values.put(
            ofName ? name.substring(Statement.Verdict.VALUE_OF.length()) : name,
            first.values().get(i));
      }
    }
    return new StructValue(values);
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
