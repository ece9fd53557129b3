// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.server.api.AnswerForm.Format;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AnswerFormTest {
  private static final String PROBLEM =
      ProblemJson.text(503, "It stopped", "it was \"full\", twice");
  private static final String REASON = "It stopped: it was \"full\", twice";

  private final StringBuilder written = new StringBuilder();

  private AnswerForm begun(Format format) {
    AnswerForm form =
        format.form(
            (text, length) -> {
              written.append(text, 0, length);
              return true;
            });
    form.columns(List.of(new Column("x", false), new Column("y", false)));
    form.row(new Row(0, 0, List.of(Value.of(1), Value.of("a,b")), Optional.empty()));
    form.warning("events are missing");
    return form;
  }

  @Test
  void lines_complete_endWithTheLastRow() {
    begun(Format.LINES).end();
    assertThat(written)
        .hasToString("{\"x\":1,\"y\":\"a,b\"}\n{\"warning\":\"events are missing\"}\n");
  }

  @Test
  void cells_ofARow_areWrittenAsTheRow() {
    for (Format format : Format.values()) {
      Row row = new Row(0, 0, List.of(Value.of(1), Value.of("a,b")), Optional.empty());
      RowCells cells = new RowCells();
      cells.load(row);
      AnswerForm form = begun(format);
      written.setLength(0);
      assertThat(form.row(row)).isTrue();
      String ofRow = written.toString();
      written.setLength(0);
      assertThat(form.cells(cells)).isTrue();
      assertThat(written).hasToString(ofRow);
    }
  }

  @Test
  void row_receiverThatWantsNoMore_isToldSo() {
    for (Format format : Format.values()) {
      Row row = new Row(0, 0, List.of(Value.of(1)), Optional.empty());
      RowCells cells = new RowCells();
      cells.load(row);
      AnswerForm form = format.form((text, length) -> false);
      form.columns(List.of(new Column("x", false)));
      assertThat(form.row(row)).as("%s", format).isFalse();
      assertThat(form.cells(cells)).as("%s", format).isFalse();
    }
  }

  @Test
  void lines_failed_endWithAProblemLine() {
    begun(Format.LINES).problem(PROBLEM, REASON);
    assertThat(written.toString()).endsWith("}\n{\"problem\":" + PROBLEM + "}\n");
  }

  @Test
  void csv_complete_endsWithTheLastRow() {
    begun(Format.CSV).end();
    assertThat(written).hasToString("x,y\r\n1,\"a,b\"\r\n");
  }

  @Test
  void csv_failed_endsWithARecordOfOneCell() {
    begun(Format.CSV).problem(PROBLEM, REASON);
    assertThat(written)
        .hasToString("x,y\r\n1,\"a,b\"\r\n\"error: It stopped: it was \"\"full\"\", twice\"\r\n");
  }

  @Test
  void result_completeAndFailed_haveRecordsOfTheirOwn() {
    begun(Format.RESULT).end();
    String complete = written.toString();
    written.setLength(0);
    begun(Format.RESULT).problem(PROBLEM, REASON);
    assertThat(complete.lines().toList()).hasSize(4);
    assertThat(written.toString().lines().toList()).hasSize(4);
    assertThat(written.toString()).contains(PROBLEM).isNotEqualTo(complete);
  }

  @Test
  void accepted_firstSupportedType() {
    assertThat(Format.accepted("text/html, Text/CSV;q=0.5, application/x-ndjson"))
        .isEqualTo(Format.CSV);
    assertThat(Format.accepted("application/vnd.retroscope.result, text/csv"))
        .isEqualTo(Format.RESULT);
    assertThat(Format.accepted("")).isEqualTo(Format.LINES);
    assertThat(Format.accepted("image/png")).isEqualTo(Format.LINES);
  }
}
