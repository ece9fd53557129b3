// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.event.Value;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.server.store.disk.StoreException;
import java.util.ArrayList;
import java.util.List;

/** The receiver of the sentences of an explanation, the first of them. */
final class CutExplanation implements RowSink {
  /** A phone shows a few sentences. */
  private static final int MAX_SENTENCES = 12;

  private final List<String> sentences = new ArrayList<>();
  private int column = -1;

  private CutExplanation() {}

  /**
   * Returns the sentences that a statement EXPLAIN CUT finds; none if it fails, or if the events
   * cannot be read.
   *
   * @param engine over the stored events
   */
  static List<String> of(QueryEngine engine, String statement) {
    CutExplanation found = new CutExplanation();
    try {
      engine.run(engine.prepare(statement), found);
    } catch (RqlException | StoreException e) {
      // An explanation is an addition: the message is sent without it.
      return List.of();
    }
    return found.sentences;
  }

  @Override
  public void columns(List<Column> columns) {
    for (int i = 0; i < columns.size(); i++) {
      column = columns.get(i).name().equals("explanation") ? i : column;
    }
  }

  @Override
  public boolean row(Row row) {
    Value value = row.values().get(column);
    if (value instanceof StringValue sentence) {
      sentences.add(sentence.value());
    }
    return sentences.size() < MAX_SENTENCES;
  }

  @Override
  public void warning(String message) {}
}
