// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TerminalTableTest {
  private static final long HLC = HlcTimestamp.pack(1_795_200_000_000_000L, 3);

  private final StringWriter printed = new StringWriter();

  @Test
  void aligned_tooWideForTheTerminal_leavesOutWhatTheAnswerAdds() {
    List<Column> columns =
        List.of(
            new Column("hlc", true),
            new Column("time", true),
            new Column("uncertaintyMicros", true),
            new Column("endHlc", true),
            new Column("endTime", true),
            new Column("cuts", true),
            new Column("lag", false));
    Row row =
        row(
            stamp(0),
            Value.of("2026-11-20T18:40:00.000000Z"),
            NullValue.NULL,
            stamp(420),
            Value.of("2026-11-20T18:40:00.000420Z"),
            Value.of(2),
            Value.of(1));

    assertThat(printWithin(100, columns, row))
        .isEqualTo(
            """
             lag | hlc                     | time 2026-11-20  | endHlc                  | cuts
            -----+-------------------------+------------------+-------------------------+------
               1 | hlc'1795200000000000.3' | 18:40:00.000000Z | hlc'1795200000000420.3' |    2
            (1 row; \\x also shows uncertaintyMicros, endTime)
            """);
    assertThat(printWithin(60, columns, row))
        .isEqualTo(
            """
             lag | hlc                     | time 2026-11-20  | cuts
            -----+-------------------------+------------------+------
               1 | hlc'1795200000000000.3' | 18:40:00.000000Z |    2
            (1 row; \\x also shows uncertaintyMicros, endHlc, endTime)
            """);
    assertThat(printWithin(20, columns, row)).startsWith("-[ row 1 ]").contains("\nendTime ");
    assertThat(printWithin(1_000, columns, row)).endsWith("\n(1 row)\n");
  }

  private static String printWithin(int width, List<Column> columns, Row row) {
    StringWriter text = new StringWriter();
    ResultPrinter printer = AlignedPrinter.within(new PrintWriter(text), width, false);
    printer.columns(columns);
    printer.row(row);
    printer.end();
    return text.toString();
  }

  @Test
  void aligned_columnOfTheQuery_isNeverLeftOut() {
    List<Column> columns = List.of(new Column("cuts", false), new Column("hlc", false));

    assertThat(printWithin(5, columns, row(Value.of(1), Value.of(2))))
        .isEqualTo("-[ ro\ncuts | 1\nhlc  | 2\n(1 row)\n");
  }

  @Test
  void aligned_liveOnATerminal_hasRoomToSpareAndRepeatsItsHeadingWhenItWidens() {
    ResultPrinter printer = AlignedPrinter.within(new PrintWriter(printed), 40, true);
    printer.columns(List.of(new Column("hlc", true), new Column("r1", false)));
    for (long n : new long[] {9, 10, 123_456_789, 1_000_000_000_000L, 2}) {
      printer.row(row(Value.of("x"), nodes("a", Value.of(n))));
    }
    printer.end();

    assertThat(printed.toString())
        .isEqualTo(
            """
             hlc | r1
            -----+------------------
             x   | {a: 9}
             x   | {a: 10}
             x   | {a: 123456789}
             hlc | r1
            -----+--------------------------
             x   | {a: 1000000000000}
             x   | {a: 2}
            (5 rows)
            """);
  }

  @Test
  void aligned_liveThatOutgrowsTheTerminal_keepsItsColumns() {
    ResultPrinter printer = AlignedPrinter.within(new PrintWriter(printed), 20, true);
    printer.columns(List.of(new Column("cuts", true), new Column("text", false)));
    printer.row(row(Value.of(1), Value.of("short")));
    printer.row(row(Value.of(2), Value.of("longer than what fits")));
    printer.row(row(Value.of(3), Value.of("short")));
    printer.end();

    assertThat(printed.toString())
        .isEqualTo(
            """
             cuts | text
            ------+-------
                1 | short
                2 | longer than what fits
                3 | short
            (3 rows)
            """);
  }

  @Test
  void aligned_timeOfAnotherDay_isWhole() {
    List<Column> columns = List.of(new Column("time", true), new Column("r1", false));
    StringWriter text = new StringWriter();
    ResultPrinter printer = AlignedPrinter.within(new PrintWriter(text), 60, false);
    printer.columns(columns);
    printer.row(row(NullValue.NULL, Value.of(1)));
    printer.row(row(Value.of("2026-11-20T23:59:59.999999Z"), Value.of(2)));
    printer.row(row(Value.of("2026-11-21T00:00:00.000001Z"), Value.of(3)));
    printer.end();

    assertThat(text.toString())
        .isEqualTo(
            """
             time 2026-11-20             | r1
            -----------------------------+----
             NULL                        |  1
             23:59:59.999999Z            |  2
             2026-11-21T00:00:00.000001Z |  3
            (3 rows)
            """);
  }

  @Test
  void aligned_timeOfTheQueryOrOfARecord_isWhole() {
    Row row = row(Value.of("2026-11-20T23:59:59.999999Z"));

    assertThat(printWithin(40, List.of(new Column("time", false)), row))
        .contains(" 2026-11-20T23:59:59.999999Z\n");
    assertThat(printWithin(15, List.of(new Column("time", true)), row))
        .contains("time | 2026-11-20T23:59:59.999999Z\n");
  }

  private static TimestampValue stamp(long plusMicros) {
    return new TimestampValue(
        HlcTimestamp.pack(HlcTimestamp.micros(HLC) + plusMicros, HlcTimestamp.logical(HLC)));
  }

  private static StructValue nodes(Object... namesAndValues) {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put((String) namesAndValues[i], (Value) namesAndValues[i + 1]);
    }
    return new StructValue(fields);
  }

  private static Row row(Value... values) {
    long hlc = values[0] instanceof TimestampValue stamp ? stamp.packed() : HLC;
    return new Row(hlc, 0, List.of(values), Optional.empty());
  }
}
