// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
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

class ResultPrinterTest {
  private static final long HLC = HlcTimestamp.pack(1_795_200_000_000_000L, 3);
  private static final List<Column> COLUMNS =
      List.of(new Column("hlc", true), new Column("r1", false), new Column("lag", false));
  private static final List<Row> ROWS =
      List.of(
          row(stamp(0), nodes("zk1", Value.of(4), "zk2", Value.of(3)), Value.of(1)),
          row(stamp(420), nodes("zk1", Value.of(4), "zk2", NullValue.NULL), NullValue.NULL),
          row(stamp(9_000), nodes(), Value.of(100)));

  private final StringWriter printed = new StringWriter();

  @Test
  void aligned_rows_setsNumbersToTheRight() {
    assertThat(print(OutputFormat.ALIGNED, COLUMNS, ROWS))
        .isEqualTo(
            """
             hlc                     | r1                  |  lag
            -------------------------+---------------------+------
             hlc'1795200000000000.3' | {zk1: 4, zk2: 3}    |    1
             hlc'1795200000000420.3' | {zk1: 4, zk2: NULL} | NULL
             hlc'1795200000009000.3' | {}                  |  100
            (3 rows)
            """);
  }

  @Test
  void aligned_noRows_printsTheHeading() {
    assertThat(print(OutputFormat.ALIGNED, COLUMNS, List.of()))
        .isEqualTo(
            """
             hlc | r1 | lag
            -----+----+-----
            (0 rows)
            """);
  }

  @Test
  void aligned_live_printsEachRowAtOnceAndWidensFromThereOn() {
    PrintWriter out = new PrintWriter(printed);
    ResultPrinter printer = OutputFormat.ALIGNED.printer(out, 80, true);
    printer.columns(List.of(new Column("a", false), new Column("b", false)));
    printer.row(row(Value.of(1), Value.of("x")));
    assertThat(printed.toString())
        .isEqualTo(
            """
             a | b
            ---+---
             1 | x
            """);

    printer.row(row(Value.of(12345), Value.of("y")));
    printer.row(row(Value.of(2), Value.of("z")));
    printer.end();

    assertThat(printed.toString())
        .endsWith(
            """
             12345 | y
                 2 | z
            (3 rows)
            """);
  }

  @Test
  void aligned_manyRows_holdsBackOnlyTheSample() {
    ResultPrinter printer = OutputFormat.ALIGNED.printer(new PrintWriter(printed), 80, false);
    printer.columns(List.of(new Column("a", false)));
    for (int i = 1; i < AlignedPrinter.SAMPLE_ROWS; i++) {
      printer.row(row(Value.of(i)));
    }
    assertThat(printed.toString()).isEmpty();

    printer.row(row(Value.of(0)));

    assertThat(printed.toString().lines()).hasSize(AlignedPrinter.SAMPLE_ROWS + 2);
  }

  @Test
  void aligned_longCells_holdsBackOnlySoManyCharacters() {
    ResultPrinter printer = OutputFormat.ALIGNED.printer(new PrintWriter(printed), 80, false);
    printer.columns(List.of(new Column("a", false)));

    printer.row(row(Value.of("x".repeat(AlignedPrinter.SAMPLE_CHARACTERS))));

    assertThat(printed.toString()).isNotEmpty();
  }

  @Test
  void aligned_wideCharacters_keepTheColumnsStraight() {
    List<Column> columns = List.of(new Column("text", false), new Column("n", false));

    assertThat(
            print(
                OutputFormat.ALIGNED,
                columns,
                List.of(row(Value.of("日本"), Value.of(1)), row(Value.of("e\u0301a"), Value.of(2)))))
        .isEqualTo(
            """
             text | n
            ------+---
             日本 | 1
             e\u0301a   | 2
            (2 rows)
            """);
  }

  @Test
  void aligned_textWithControlCharacters_neverReachesTheTerminal() {
    assertThat(
            print(
                OutputFormat.ALIGNED,
                List.of(new Column("a", false)),
                List.of(row(Value.of("red \u001B[31m\r\n\u202Etxt")))))
        .contains("red \\u001B[31m\\r\\n\\u202Etxt");
  }

  @Test
  void vertical_rows_printsALineForEachValue() {
    assertThat(print(OutputFormat.VERTICAL, COLUMNS, ROWS.subList(0, 2)))
        .isEqualTo(
            """
            -[ row 1 ]-------------------
            hlc | hlc'1795200000000000.3'
            r1  | {zk1: 4, zk2: 3}
            lag | 1
            -[ row 2 ]-------------------
            hlc | hlc'1795200000000420.3'
            r1  | {zk1: 4, zk2: NULL}
            lag | NULL
            (2 rows)
            """);
  }

  @Test
  void vertical_wideNames_marksTheBorder() {
    assertThat(
            print(
                OutputFormat.VERTICAL,
                List.of(new Column("uncertaintyMicros", true)),
                List.of(row(Value.of(12)))))
        .isEqualTo(
            """
            -[ row 1 ]--------+---
            uncertaintyMicros | 12
            (1 row)
            """);
  }

  @Test
  void csv_textThatASpreadsheetWouldCompute_hasAnApostrophe() {
    List<Column> columns = List.of(new Column("=a", false), new Column("b", false));

    assertThat(
            print(
                OutputFormat.CSV,
                columns,
                List.of(
                    row(Value.of("=1+1"), Value.of(-1)),
                    row(Value.of("+1"), Value.of("-1")),
                    row(Value.of("@x"), new DurationValue(-1500)),
                    row(Value.of("\tx"), Value.of("\rx")),
                    row(Value.of("a=b"), Value.of(-0.5)))))
        .isEqualTo("'=a,b\r\n'=1+1,-1\r\n'+1,'-1\r\n'@x,-1500\r\n'\tx,\"'\rx\"\r\na=b,-0.5\r\n");
  }

  @Test
  void csv_rows_followsRfc4180() {
    List<Column> columns = List.of(new Column("a \"b\"", false), new Column("c", false));

    assertThat(
            print(
                OutputFormat.CSV,
                columns,
                List.of(
                    row(Value.of("x,y\nz"), Value.of(1)),
                    row(NullValue.NULL, Value.of("")),
                    row(stamp(0), new DurationValue(1500)),
                    row(nodes("zk1", Value.of("a")), Value.setOf(Value.of(1), Value.of(2.0))))))
        .isEqualTo(
            """
            "a ""b""\",c\r
            "x,y
            z",1\r
            ,""\r
            1795200000000000.3,1500\r
            "{""zk1"":""a""}","[1,2.0]"\r
            """);
  }

  @Test
  void tsv_rows_escapesWhatSeparates() {
    assertThat(
            print(
                OutputFormat.TSV,
                List.of(new Column("a", false), new Column("b", false)),
                List.of(row(Value.of("x\ty\\z\n"), Value.of(1)), row(NullValue.NULL, Value.of(2)))))
        .isEqualTo("a\tb\nx\\ty\\\\z\\n\t1\n\t2\n");
  }

  @Test
  void json_rows_isOneArray() {
    assertThat(print(OutputFormat.JSON, COLUMNS, ROWS.subList(0, 2)))
        .isEqualTo(
            """
            [
            {"hlc":"1795200000000000.3","r1":{"zk1":4,"zk2":3},"lag":1},
            {"hlc":"1795200000000420.3","r1":{"zk1":4,"zk2":null},"lag":null}
            ]
            """);
    assertThat(print(OutputFormat.JSON, COLUMNS, List.of())).isEqualTo("[]\n");
  }

  @Test
  void jsonl_rows_isOneObjectALine() {
    assertThat(print(OutputFormat.JSONL, COLUMNS, ROWS.subList(0, 2)))
        .isEqualTo(
            """
            {"hlc":"1795200000000000.3","r1":{"zk1":4,"zk2":3},"lag":1}
            {"hlc":"1795200000000420.3","r1":{"zk1":4,"zk2":null},"lag":null}
            """);
    assertThat(print(OutputFormat.JSONL, COLUMNS, List.of())).isEmpty();
  }

  @Test
  void json_warning_isPartOfTheAnswer() {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    for (OutputFormat format : List.of(OutputFormat.JSON, OutputFormat.JSONL)) {
      ResultPrinter printer = format.printer(out, 80, false);
      printer.columns(List.of(new Column("a", false)));
      printer.row(row(Value.of(1)));
      printer.warning("w1 is \"silent\"");
      printer.end();
    }
    out.flush();
    assertThat(text.toString())
        .isEqualTo(
            """
            [
            {"a":1},
            {"warning":"w1 is \\"silent\\""}
            ]
            {"a":1}
            {"warning":"w1 is \\"silent\\""}
            """);
  }

  @Test
  void markdown_rows_escapesWhatWouldEndACell() {
    assertThat(
            print(
                OutputFormat.MARKDOWN,
                List.of(new Column("a|b", false), new Column("n", false)),
                List.of(row(Value.of("<x> *y* \\"), Value.of(1)), row(Value.of("z"), Value.of(2)))))
        .isEqualTo(
            """
            | a\\|b | n |
            | --- | ---: |
            | \\<x> \\*y\\* \\\\ | 1 |
            | z | 2 |
            """);
  }

  @Test
  void markdown_noRows_printsTheHeading() {
    assertThat(print(OutputFormat.MARKDOWN, List.of(new Column("a", false)), List.of()))
        .isEqualTo("| a |\n| --- |\n");
  }

  @Test
  void valueText_durations_printInTheLargestWholeUnit() {
    assertThat(
            List.of(0L, 250L, 5_000L, 1_500_000L, 90_000_000L, 7_200_000_000L, 172_800_000_000L)
                .stream()
                .map(micros -> ValueText.of(new DurationValue(micros))))
        .containsExactly("0s", "250us", "5ms", "1500ms", "90s", "2h", "2d");
    assertThat(ValueText.of(new DurationValue(-60_000_000))).isEqualTo("-1m");
  }

  @Test
  void valueText_stringsInCollections_areQuoted() {
    assertThat(ValueText.of(Value.setOf(Value.of(1), Value.of("1"), Value.of("it's"))))
        .isEqualTo("{1, '1', 'it''s'}");
    assertThat(ValueText.of(Value.of("it's"))).isEqualTo("it's");
  }

  @Test
  void live_lateAndRetractedRows_haveMarksInEachFormat() {
    assertThat(printLive(OutputFormat.ALIGNED))
        .isEqualTo(
            """
             hlc                     | a
            -------------------------+---
             hlc'1795200000000000.3' | 1
             hlc'1795200000000000.3' | 2 (late)
            (retracted: the row at hlc'1795200000000000.3')
            (2 rows, 1 retracted)
            """);
    assertThat(printLive(OutputFormat.VERTICAL))
        .isEqualTo(
            """
            -[ row 1 ]-------------------
            hlc | hlc'1795200000000000.3'
            a   | 1
            -[ row 2, late ]-------------
            hlc | hlc'1795200000000000.3'
            a   | 2
            (retracted: the row at hlc'1795200000000000.3')
            (2 rows, 1 retracted)
            """);
    assertThat(printLive(OutputFormat.CSV))
        .isEqualTo(
            """
            hlc,a,mark\r
            1795200000000000.3,1,\r
            1795200000000000.3,2,late\r
            1795200000000000.3,,retracted\r
            """);
    assertThat(printLive(OutputFormat.MARKDOWN))
        .isEqualTo(
            """
            | hlc | a | mark |
            | --- | ---: | --- |
            | hlc'1795200000000000.3' | 1 | NULL |
            | hlc'1795200000000000.3' | 2 | late |
            | hlc'1795200000000000.3' | NULL | retracted |
            """);
    assertThat(printLive(OutputFormat.JSONL))
        .isEqualTo(
            """
            {"hlc":"1795200000000000.3","a":1}
            {"late":true,"hlc":"1795200000000000.3","a":2}
            {"retracted":"1795200000000000.3"}
            """);
  }

  @Test
  void live_tableThatIsTooWide_hasMarksInItsRecords() {
    ResultPrinter printer = OutputFormat.fittedTable(new PrintWriter(printed), 20, true);
    printer.columns(List.of(new Column("a", false)));
    printer.late(row(Value.of("x".repeat(40))));
    assertThat(printed.toString()).contains("-[ row 1, late ]--");
  }

  private static String printLive(OutputFormat format) {
    StringWriter text = new StringWriter();
    ResultPrinter printer = format.livePrinter(new PrintWriter(text), 80);
    printer.columns(List.of(new Column("hlc", true), new Column("a", false)));
    printer.row(row(stamp(0), Value.of(1)));
    printer.late(row(stamp(0), Value.of(2)));
    printer.retracted(HLC);
    printer.end();
    return text.toString();
  }

  private String print(OutputFormat format, List<Column> columns, List<Row> rows) {
    StringWriter text = new StringWriter();
    ResultPrinter printer = format.printer(new PrintWriter(text), 80, false);
    printer.columns(columns);
    rows.forEach(printer::row);
    printer.end();
    return text.toString();
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
