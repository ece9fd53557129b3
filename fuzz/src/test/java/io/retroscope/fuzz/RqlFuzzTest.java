// SPDX-License-Identifier: Apache-2.0
package io.retroscope.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.retroscope.event.Event;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Any text is refused with a diagnosis, or is a statement that can be printed and run. */
class RqlFuzzTest {
  private static final QueryLimits LIMITS = new QueryLimits(1_000, 1_000, 100, 100, 1_000_000);
  private static final RqlParser PARSER = new RqlParser();
  private static final QueryEngine ENGINE =
      new QueryEngine(new InMemoryEventSource(events(), ClockOffsets.UNKNOWN), LIMITS);

  @FuzzTest(maxDuration = "2m")
  void run_text_isRefusedOrRuns(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    try {
      for (Statement statement : PARSER.parseScript(text)) {
        String printed = RqlFormatter.format(statement);
        assertThat(PARSER.parseScript(printed))
            .extracting(RqlFormatter::format)
            .containsExactly(printed);
      }
      PreparedQuery query = ENGINE.prepare(text);
      if (!query.isStream()) {
        ENGINE.run(query, new FirstRows());
      }
    } catch (RqlException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  private static List<Event> events() {
    try (InputStream in = RqlFuzzTest.class.getResourceAsStream("events.ndjson")) {
      NdjsonReader reader = new NdjsonReader(in, NdjsonReader.Limits.FILE);
      List<Event> events = new ArrayList<>();
      for (Optional<Event> next = reader.next(); next.isPresent(); next = reader.next()) {
        events.add(next.get());
      }
      return events;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class FirstRows implements RowSink {
    private int count;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return ++count < 100;
    }

    @Override
    public void warning(String message) {}
  }
}
