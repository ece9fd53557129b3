// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.session;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.sonify.rule.Rule;
import java.io.IOException;
import java.util.List;

/** A sink of EXPLAIN, which only checks a statement. */
final class CheckSink implements RowSink {
  private CheckSink() {}

  /** Checks a statement whose query has another text, so that an error shows its own. */
  static void check(Session session, Rule rule) throws IOException {
    if (rule.kind() != Rule.Kind.ROWS) {
      session.run("EXPLAIN " + rule.statement(), new CheckSink());
    }
  }

  @Override
  public void columns(List<Column> columns) {}

  @Override
  public boolean row(Row row) {
    return true;
  }

  @Override
  public void warning(String message) {}
}
