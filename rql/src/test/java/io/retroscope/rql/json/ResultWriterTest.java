// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ResultWriterTest {
  private static final long HLC = HlcTimestamp.pack(1_795_200_000_000_000L, 3);

  private final List<String> lines = new ArrayList<>();
  private final ResultWriter writer = new ResultWriter(lines::add);
  private final Received received = new Received();
  private final ResultReader reader = new ResultReader(received);

  @Test
  void row_everyFamilyOfValues_comesBackEqual() {
    List<Value> values =
        List.of(
            NullValue.NULL,
            Value.of(true),
            Value.of(Long.MIN_VALUE),
            Value.of(-0.5),
            Value.of("$micros"),
            new DurationValue(-1),
            new TimestampValue(HLC),
            Value.setOf(new DurationValue(5), new TimestampValue(HLC), Value.of(1)),
            Value.of(Double.NaN),
            Value.setOf(Value.of(Double.NEGATIVE_INFINITY), Value.of("NaN")),
            new StructValue(Map.of("$micros", Value.of(7))),
            new StructValue(Map.of("$$hlc", Value.of("1.0"))));
    Row row = new Row(HLC, 4, values, Optional.of(new Note("woodblock", 60, 96, 200_000, -0.5)));

    writer.row(row);
    reader.line(lines.get(0));

    assertThat(received.rows).containsExactly(row);
  }

  /** The names of nodes stay the same from row to row, or change at any place. */
  @Test
  void row_randomStructs_comeBackEqual() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<Row> rows = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        List<Value> values = new ArrayList<>();
        for (int cell = random.nextInt(5); cell >= 0; cell--) {
          values.add(random.nextInt(4) > 0 ? struct(random, 2) : value(random, 1));
        }
        rows.add(new Row(HLC + i, i, values, Optional.empty()));
      }
      Received all = new Received();
      ResultReader own = new ResultReader(all);
      rows.forEach(row -> new ResultWriter(own::line).row(row));
      assertThat(all.rows).as("seed %d", seed).isEqualTo(rows);
    }
  }

  private static Value value(Random random, int depth) {
    return switch (random.nextInt(depth == 0 ? 5 : 7)) {
      case 0 -> NullValue.NULL;
      case 1 -> Value.of(random.nextInt(9) / 2.0);
      case 2 -> new DurationValue(random.nextLong());
      case 3 -> new TimestampValue(HLC + random.nextInt(9));
      case 4 -> Value.of("t" + random.nextInt(3));
      case 5 -> Value.setOf(value(random, depth - 1), Value.of(3));
      default -> struct(random, depth - 1);
    };
  }

  private static StructValue struct(Random random, int depth) {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int field = 0; field < 12; field++) {
      if (random.nextInt(6) > 0) {
        String mark = random.nextInt(12) == 0 ? "$" : "";
        Value number = Value.of(random.nextLong());
        fields.put(mark + "n" + field, random.nextInt(3) > 0 ? number : value(random, depth));
      }
    }
    return new StructValue(fields);
  }

  @Test
  void line_fieldTwice_isRefused() {
    String row =
        "{\"row\":{\"hlc\":\"1.0\",\"ordinal\":0,\"values\":[{\"a\":1,\"b\":2,\"%s\":3}]}}";
    assertThat(reader.line(row.formatted("c"))).isTrue();
    for (String twice : List.of("a", "b")) {
      assertThatThrownBy(() -> reader.line(row.formatted(twice)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is given twice");
    }
    String others = row.formatted("d").replace("\"a\"", "\"b\"");
    assertThatThrownBy(() -> reader.line(others)).hasMessageContaining("is given twice");
    String half = row.formatted("\\ud800");
    assertThatThrownBy(() -> reader.line(half)).hasMessageContaining("surrogate");
  }

  /** The third row begins as the second one, after which only names of the first one follow. */
  @Test
  void line_fieldTwiceAsInTwoRowsBefore_isRefused() {
    String row = "{\"row\":{\"hlc\":\"1.0\",\"ordinal\":0,\"values\":[%s]}}";
    reader.line(row.formatted("{\"a\":1,\"b\":2,\"c\":3}"));
    reader.line(row.formatted("{\"a\":1,\"c\":2}"));
    assertThatThrownBy(() -> reader.line(row.formatted("{\"a\":1,\"c\":2,\"c\":3}")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is given twice");
  }

  /** Bytes and texts may follow each other, in every form that a line has. */
  @Test
  void line_bytes_areReadAsTheirText() {
    List<Value> values =
        List.of(
            new TimestampValue(HLC),
            Value.of("2026-11-20T18:40:00.001000Z"),
            NullValue.NULL,
            new StructValue(Map.of("zk1", Value.of(7))),
            Value.of("ü"));
    List<Row> rows = new ArrayList<>();
    for (int size = 1; size <= values.size(); size++) {
      rows.add(new Row(HLC, size, values.subList(0, size), Optional.empty()));
    }
    rows.forEach(writer::row);
    writer.warning("ü");
    writer.end();
    List<Boolean> wanted = new ArrayList<>();
    for (String line : lines) {
      byte[] bytes = ("é" + line + "é").getBytes(StandardCharsets.UTF_8);
      wanted.add(reader.line(bytes, 2, bytes.length - 2));
    }

    assertThat(received.rows).isEqualTo(rows);
    assertThat(received.warnings).containsExactly("ü");
    assertThat(wanted).containsExactly(true, true, true, true, true, true, false);
  }

  @Test
  void line_bytesOfAFieldTwice_areRefusedAsTheirText() {
    String line =
        "{\"row\":{\"hlc\":\"1.0\",\"ordinal\":0,\"values\":[{\"a\":1,\"b\":2,\"a\":3}]}}";
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> reader.line(bytes, 0, bytes.length))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("values.a: is given twice");
    assertThatThrownBy(() -> reader.line(line)).hasMessage("values.a: is given twice");
  }

  @Test
  void line_wholeResult_handsEverythingOnAndKnowsItsEnd() {
    writer.columns(List.of(new Column("hlc", true), new Column("r1", false)));
    writer.warning("events are missing");
    writer.progress(100, HLC);
    writer.end();

    assertThat(lines)
        .containsExactly(
            "{\"columns\":[{\"name\":\"hlc\",\"automatic\":true},"
                + "{\"name\":\"r1\",\"automatic\":false}]}",
            "{\"warning\":\"events are missing\"}",
            "{\"progress\":{\"cuts\":100,\"hlc\":\"1795200000000000.3\"}}",
            "{\"end\":true}");
    assertThat(lines.stream().map(reader::line).toList()).containsExactly(true, true, true, false);
    assertThat(received.columns).extracting(Column::name).containsExactly("hlc", "r1");
    assertThat(received.warnings).containsExactly("events are missing");
    assertThat(received.progress).containsExactly("100 " + HLC);
    assertThat(reader.problem()).isEmpty();
  }

  @Test
  void line_problem_comesBackWithItsDiagnostics() {
    Diagnostic diagnostic =
        new Diagnostic(
            "RQL0203", "unknown variable", new SourceRange(7, 10), Optional.of("did you mean r1?"));
    RqlException error = new RqlException("SELECT r11 FROM setd", List.of(diagnostic));

    writer.problem(ProblemJson.text(400, error));
    reader.line(lines.get(0));

    RqlException back =
        ProblemJson.error(reader.problem().orElseThrow(), error.text()).orElseThrow();
    assertThat(back.diagnostics()).containsExactly(diagnostic);
    assertThat(ProblemJson.detail(reader.problem().orElseThrow()))
        .isEqualTo("RQL0203: unknown variable");
  }

  @Test
  void error_rangesBeyondTheStatement_areCutToIt() {
    StructValue problem =
        (StructValue)
            JsonValues.parse("{\"diagnostics\":[{\"code\":\"RQL1\",\"start\":90,\"end\":-4}]}");

    assertThat(ProblemJson.error(problem, "SHOW").orElseThrow().diagnostics().get(0).range())
        .isEqualTo(new SourceRange(4, 4));
  }

  @Test
  void line_garbage_isRefused() {
    for (String line : List.of("", "x", "[]", "{}", "{\"rows\":1}", "{\"columns\":[{}]}", "{\"")) {
      assertThatThrownBy(() -> reader.line(line))
          .as(line)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void row_receiverHasEnough_saysSo() {
    assertThat(new ResultWriter(line -> false).row(new Row(HLC, 0, List.of(), Optional.empty())))
        .isFalse();
  }

  private static final class Received implements RowSink {
    final List<Column> columns = new ArrayList<>();
    final List<Row> rows = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();
    final List<String> progress = new ArrayList<>();

    @Override
    public void columns(List<Column> all) {
      columns.addAll(all);
    }

    @Override
    public boolean row(Row row) {
      return rows.add(row);
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    @Override
    public void progress(long cuts, long hlc) {
      progress.add(cuts + " " + hlc);
    }
  }
}
