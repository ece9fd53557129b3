package io.retroscope.rql.outer;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.analysis.AnalyzedVerdict;
import io.retroscope.rql.analysis.OutputColumn;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Claim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  private static final Value FALL = Value.of("fall");

  private final Claim kind;
  private final RowSink sink;
  private List<Column> columns = List.of();
  private int edge = -1;
  private long episodes;
  private @Nullable Row first;

  /** Creates a receiver of the evidence. */
  public VerdictRow(AnalyzedVerdict verdict, RowSink sink) {
    this.kind = verdict.query().kind();
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
    if (edge >= 0 && row.values().get(edge).equals(FALL)) {
      return true;
    }
    first = first == null ? row : first;
    episodes++;
    return kind != Claim.EVENTUALLY;
  }

  /**
   * Sends the verdict.
   *
   * @param doubt the reason for which the absence of rows proves nothing
   */
  public void finish(Optional<String> doubt) {
    boolean found = episodes > 0;
    String verdict;
    if (!found && doubt.isPresent()) {
      verdict = INCONCLUSIVE;
    } else {
      verdict = found == (kind == Claim.EVENTUALLY) ? HOLDS : BROKEN;
    }
    List<Value> values = new ArrayList<>();
    values.add(Value.of(verdict));
    values.add(Value.of(episodes));
    AnalyzedVerdict.OF_FIRST.forEach(name -> values.add(automatic(name)));
    values.add(found ? cut() : NullValue.NULL);
    values.add(found ? NullValue.NULL : doubt.<Value>map(Value::of).orElse(NullValue.NULL));
    sink.row(new Row(HlcTimestamp.MIN_PACKED, 0, values, Optional.empty()));
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
