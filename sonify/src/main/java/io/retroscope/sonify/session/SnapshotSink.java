// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.session;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.sonify.rule.RuleRows;
import io.retroscope.sonify.rule.SoundInput;
import io.retroscope.sonify.soundscape.Origin;
import java.util.List;
import java.util.function.Consumer;

/**
 * A sink of the state before a STREAM.
 *
 * @param rows the reader of the rule's rows
 * @param out takes the inputs
 */
public record SnapshotSink(RuleRows rows, Consumer<SoundInput> out) implements RowSink {
  @Override
  public void columns(List<Column> columns) {
    rows.columns(columns);
  }

  @Override
  public boolean row(Row row) {
    rows.row(row, Origin.HISTORY, out);
    return true;
  }

  @Override
  public void warning(String message) {}
}
