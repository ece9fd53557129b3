// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowLineTest {
  private static final List<String> SCALARS =
      List.of(
          "1",
          "-7",
          "-0",
          "007",
          "- 1",
          "-null",
          "-true",
          "1.5",
          "-0.0",
          "1e3",
          "1E400",
          "1.",
          "12345678901234567890",
          "-9223372036854775808",
          "999999999999999999",
          "true",
          "false",
          "null",
          "tru",
          "nulll",
          "\"x\"",
          "\"\"",
          "\"\\u0041\"",
          "\"\\ud800\"",
          "\"é\"",
          "\"\t\"",
          "\"1\t,\"x\"",
          "1 2",
          "");
  private static final List<String> TIMES =
      List.of(
          "2026-11-20T18:40:00.001000Z",
          "2026-11-20T18:40:59.999999Z",
          "2026-11-20T18:40:60.000000Z",
          "2026-11-20T18:40:75.000000Z",
          "2026-11-20T18:40:0x.000000Z",
          "2026-11-20T18:40:00.00000/Z",
          "2026-11-20T18:40:00,000000Z",
          "2026-11-20T18:40:00.000000z",
          "2026-11-20T18:40:00.000000Zx",
          "2026-11-20T18:40:00.00000Z",
          "2026-11-20t18:40:00.000000Z",
          "2026-02-30T18:40:00.000000Z",
          "2026-11-20T24:00:00.000000Z",
          "1970-01-01T00:00:00.000000Z",
          "1969-12-31T23:59:59.999999Z",
          "1969-12-31T23:59:00.000000Z",
          "0000-00-00T00:00:00.000000Z",
          "\0".repeat(17) + "00.000000Z",
          "9999-12-31T23:59:59.999999Z");
  private static final List<String> STAMPS =
      List.of(
          "\"5.0\"",
          "\"1795200000000000.4095\"",
          "\"5.4096\"",
          "\"5\"",
          "5",
          "-5",
          "-0",
          "\"hlc'5.0'\"",
          "\"99999999999999999.0\"",
          "\"5.\"",
          "\"\"",
          "null",
          "5.1");
  private static final List<String> NESTED =
      List.of(
          "[1]",
          "[]",
          "{}",
          "{\"$micros\":5}",
          "{\"$hlc\":\"5.1\",\"x\":1}",
          "{\"$hlcs\":\"5.1\"}",
          "{\"$$hlc\":\"5.1\"}",
          "{\"$ hlc\":\"5.1\"}",
          "{\"a\":{\"b\":1}}",
          "{\"a\":1,\"$micros\":5}",
          "{\"a\":1,\"a\":2}",
          "{\"a\":1,}",
          "{,\"a\":1}",
          "{\"a\"}",
          "{\"a\":1");

  @Test
  void read_anyLine_isWhatTheSlowReaderReads() {
    long seed = Long.getLong("line.seed", System.nanoTime());
    Random random = new Random(seed);
    RowCells cells = new RowCells();
    RowLine usual = new RowLine(new StructNames("values"), cells);
    int read = 0;
    for (int i = 0; i < 80_000; i++) {
      String text = line(random);
      String what = "-Dline.seed=%d: %s".formatted(seed, text);
      if (read(usual, text)) {
        read++;
        assertThat(List.of(cells.row())).as(what).isEqualTo(slow(text, what));
      }
    }
    assertThat(read).as("lines of the usual shape").isGreaterThan(10_000);
  }

  private static boolean read(RowLine usual, String text) {
    byte[] line = ("xx" + text + "}").getBytes(StandardCharsets.UTF_8);
    return usual.read(line, 2, line.length - 1);
  }

  private static List<Row> slow(String text, String what) {
    Rows rows = new Rows();
    try {
      new ResultReader(rows).line(text);
    } catch (IllegalArgumentException e) {
      throw new AssertionError(what + " is refused: " + e.getMessage(), e);
    }
    return rows.all;
  }

  private static String line(Random random) {
    StringBuilder line = new StringBuilder("{\"row\":{\"hlc\":");
    line.append(random.nextInt(6) > 0 ? "\"1795200000000000.3\"" : pick(STAMPS, random));
    line.append(",\"ordinal\":").append(random.nextInt(9) > 0 ? "0" : pick(SCALARS, random));
    line.append(random.nextInt(9) > 0 ? ",\"values\":[" : " , \"values\" : [ ");
    line.append(
        Stream.generate(() -> cell(random))
            .limit(random.nextInt(4))
            .collect(Collectors.joining(",")));
    line.append(random.nextInt(30) > 0 ? "]" : "],\"note\":{}");
    line.append(random.nextInt(30) > 0 ? "}}" : "}} 1");
    if (random.nextInt(4) == 0) {
      line.setCharAt(random.nextInt(line.length()), (char) (' ' + random.nextInt(100)));
    }
    if (random.nextInt(20) == 0) {
      line.setLength(random.nextInt(line.length()));
    }
    return line.toString();
  }

  private static String cell(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> pick(SCALARS, random);
      case 1 -> "\"" + pick(TIMES, random) + "\"";
      case 2 -> "{\"$hlc\":" + pick(STAMPS, random) + "}";
      case 3 -> pick(NESTED, random);
      default -> nodes(random);
    };
  }

  private static String nodes(Random random) {
    return Stream.generate(() -> node(random))
        .limit(random.nextInt(4))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String node(Random random) {
    String mark = random.nextInt(9) == 0 ? "$" : "";
    String value = random.nextInt(4) > 0 ? "" + random.nextLong() : pick(SCALARS, random);
    return "\"" + mark + (char) ('a' + random.nextInt(5)) + "\":" + value;
  }

  private static String pick(List<String> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{\"$hlc\":\"5.0\"},\"2026-11-20T18:40:00.001000Z\",null,{\"a\":1,\"b\":-2}]",
        "[]",
        "[1,-2,1.5,true,false,\"\",\"x y\"]",
        "[{\"a\":1.5,\"b\":null,\"c\":\"x\",\"d\":true},{}]"
      })
  void read_usualLine_isRead(String values) {
    String line = "{\"row\":{\"hlc\":\"5.0\",\"ordinal\":7,\"values\":" + values + "}}";
    RowLine usual = new RowLine(new StructNames("values"), new RowCells());
    assertThat(read(usual, line)).isTrue();
    assertThat(read(usual, line + "\r")).isTrue();
  }

  @Test
  void read_timeOfOneMinuteAfterAnother_isItsOwn() {
    RowCells cells = new RowCells();
    RowLine usual = new RowLine(new StructNames("values"), cells);
    for (String time : TIMES.subList(0, 2)) {
      for (String other : List.of(time, time.replace("18:40", "18:41"))) {
        read(usual, "{\"row\":{\"hlc\":\"5.0\",\"ordinal\":0,\"values\":[\"" + other + "\"]}}");
        assertThat(cells.kind(0)).isEqualTo(RowCells.Kind.TIME);
        assertThat(cells.row().values().get(0)).hasToString("StringValue[value=" + other + "]");
      }
    }
  }

  /** The scanner of times compares with the minute before, and at first there is none. */
  @Test
  void read_controlCharactersAsTheFirstTime_areLeftToTheSlowReader() {
    String text = "\0".repeat("2026-11-20T18:40:".length()) + "00.000000Z";
    String line = "{\"row\":{\"hlc\":\"5.0\",\"ordinal\":0,\"values\":[\"" + text + "\"]}}";
    assertThat(read(new RowLine(new StructNames("values"), new RowCells()), line)).isFalse();
  }

  private static final class Rows implements RowSink {
    final List<Row> all = new ArrayList<>();

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return all.add(row);
    }

    @Override
    public void warning(String message) {}
  }
}
