package io.retroscope.cli.sound;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.sonify.rule.LiveSoundscape;
import io.retroscope.sonify.rule.RuleRows;
import io.retroscope.sonify.soundscape.Origin;
import java.util.List;

/**
 * A sink of the state before a STREAM.
 *
 * @param rows the reader of the rule's rows
 */
record SnapshotSink(RuleRows rows, LiveSoundscape soundscape) implements RowSink {
  @Override
  public void columns(List<Column> columns) {
    rows.columns(columns);
  }

  @Override
  public boolean row(Row row) {
    rows.row(row, Origin.HISTORY, soundscape::addHistory);
    return true;
  }

  @Override
  public void warning(String message) {}
}
