// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayList;
import java.util.List;

/** The answers of queries over a source. */
final class Answers {
  private static final String ANSWERED = "blocks answered by their zones: ";

  private Answers() {}

  /**
   * The rows without warnings: blocks that are still to come are gaps, about which a store warns.
   */
  static List<String> rows(EventSource source, String query) {
    return run(source, query, QueryLimits.DEFAULT).rows();
  }

  /** The warnings of a query. */
  static List<String> warnings(EventSource source, String query) {
    return run(source, query, QueryLimits.DEFAULT).warnings();
  }

  private record Answer(List<String> rows, List<String> warnings) {}

  private static Answer run(EventSource source, String query, QueryLimits limits) {
    List<String> rows = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    // Of the blocks that are still to come, a source in memory knows nothing.
    QueryEngine engine = new QueryEngine(source, limits).assumingComplete();
    engine.run(
        engine.prepare(query + ";"),
        new RowSink() {
          @Override
          public void columns(List<Column> columns) {}

          @Override
          public boolean row(Row row) {
            return rows.add(row.toString());
          }

          @Override
          public void warning(String message) {
            warnings.add(message);
          }
        });
    return new Answer(rows, warnings);
  }

  /** The rows, or the first error of a query, such as about a name that no event has yet. */
  static List<String> rowsOrError(EventSource source, String query) {
    return rowsOrError(source, query, QueryLimits.DEFAULT);
  }

  static List<String> rowsOrError(EventSource source, String query, QueryLimits limits) {
    try {
      return run(source, query, limits).rows();
    } catch (RqlException e) {
      return List.of(e.diagnostics().get(0).message());
    }
  }

  /** The number of blocks for which their zones answered. */
  static long answeredByZones(EventSource source, String query) {
    return rowsOrError(source, "EXPLAIN ANALYZE " + query).stream()
        .filter(row -> row.contains(ANSWERED))
        .mapToLong(row -> Long.parseLong(row.replaceAll("(?s).*" + ANSWERED + "(\\d+).*", "$1")))
        .sum();
  }
}
