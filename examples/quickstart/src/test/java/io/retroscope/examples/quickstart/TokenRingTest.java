// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TokenRingTest {
  /** The query of the README. */
  private static final String TWO_AT_WORK =
      "SELECT working FROM ring WHEN COUNT n IN NODES : (working@n) >= 2 EMIT INTERVALS;";

  @TempDir Path folder;

  @Test
  void main_logServer_showsTheTurnsOnWhichBothWork() throws Exception {
    try (LogServer server = LogServer.start(ServerConfig.in(folder).port(0).build())) {
      TokenRing.main(new String[] {server.uri().toString()});

      List<Row> bothWork = new ArrayList<>();
      try (RqlClient client = new RqlClient(server.uri())) {
        client.run(TWO_AT_WORK, gatherInto(bothWork));
      }
      // Ten turns have the bug; a machine that stalls for 10 ms may hide one.
      assertThat(bothWork).hasSizeBetween(5, 10);
    }
  }

  @Test
  void source_file_isUnderSixtyLines() throws Exception {
    Path source =
        Path.of("src/main/java/io/retroscope/examples/quickstart/TokenRing.java").toAbsolutePath();
    assertThat(Files.readAllLines(source)).hasSizeLessThan(60);
  }

  @Test
  void pages_query_isTheOneTested() throws Exception {
    assertThat(Files.readString(Path.of("README.md"))).contains(TWO_AT_WORK);
    assertThat(Files.readString(Path.of("../../README.md"))).contains(TWO_AT_WORK);
  }

  private static RowSink gatherInto(List<Row> rows) {
    return new RowSink() {
      @Override
      public void columns(List<Column> columns) {}

      @Override
      public boolean row(Row row) {
        return rows.add(row);
      }

      @Override
      public void warning(String message) {
        throw new AssertionError(message);
      }
    };
  }
}
