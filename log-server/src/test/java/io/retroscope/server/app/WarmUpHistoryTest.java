// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the history leads queries through the code that those of users need. */
class WarmUpHistoryTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void history_ofTheUsualExtent_isSealedWithATailAndHasZonesAndRows() throws Exception {
    try (WarmUpHistory history = new WarmUpHistory(folder.resolve("history"), 1)) {
      history.write(WarmUp.Extent.DEFAULT.events());
      assertThat(history.sealedBlockCount()).isGreaterThan(50);
      QueryEngine engine = new QueryEngine(history.source(), QueryLimits.DEFAULT);
      for (String log : WarmUpHistory.logs()) {
        String query = "EXPLAIN ANALYZE SELECT version FROM " + log + " WHEN ";
        Answer stale = new Answer(engine, query + "EXISTS a, b IN version : (a - b > 12);");
        assertThat(stale.number("rows: ")).as(log).isPositive();
        assertThat(new Answer(engine, query + "SPREAD(version) > 60;").number("zones: "))
            .as("blocks of %s that are not read", log)
            .isPositive();
        assertThat(stale.warnings).as(log).isEmpty();
        assertThat(new Answer(engine, query + "version@n0 % 20 = 0;").number("rows: "))
            .as("rows of %s", log)
            .isGreaterThan(50);
      }
      String longer = "EXPLAIN ANALYZE SELECT version FROM nodes3 WHEN MAX(version) < 1000000;";
      assertThat(new Answer(engine, longer).number("rows: "))
          .as("cuts whose numbers have six digits; others have seven")
          .isBetween(1_000L, 30_000L);
    }
  }

  /** Those of a cluster are merged, and one of them comes in pieces. */
  @Test
  void history_inSeveralStores_hasTheAnswersOfOne() throws Exception {
    try (WarmUpHistory one = new WarmUpHistory(folder.resolve("one"), 1);
        WarmUpHistory three = new WarmUpHistory(folder.resolve("three"), 3)) {
      one.write(18_000);
      three.write(18_000);
      for (String log : WarmUpHistory.logs()) {
        String query = "SELECT version FROM " + log + " WHEN SPREAD(version) > 12 EMIT INTERVALS;";
        List<String> expected =
            new Answer(new QueryEngine(one.source(), QueryLimits.DEFAULT), query).lines;
        assertThat(expected).as(log).isNotEmpty();
        assertThat(new Answer(new QueryEngine(three.source(), QueryLimits.DEFAULT), query).lines)
            .as(log)
            .isEqualTo(expected);
      }
    }
  }

  /** The rows of an answer, such as the lines of EXPLAIN ANALYZE. */
  private static final class Answer implements RowSink {
    private final List<String> lines = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    Answer(QueryEngine engine, String statement) {
      engine.run(engine.prepare(statement), this);
    }

    long number(String name) {
      String line = lines.stream().filter(each -> each.contains(name)).findFirst().orElseThrow();
      return Long.parseLong(line.replaceAll(".*" + name + "(\\d+).*", "$1"));
    }

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      lines.add(row.values().toString());
      return true;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }
  }
}
