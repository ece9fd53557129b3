// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.answer.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RowJsonTest {
  private static final long HLC = HlcTimestamp.pack(1_795_200_000_000_000L, 3);

  @Test
  void text_rowOfCuts_printsStampsBareAndCollectionsInOrder() {
    Map<String, Value> r1 = new LinkedHashMap<>();
    r1.put("zk2", Value.of(4));
    r1.put("zk10", Value.of(3));

    String text =
        RowJson.text(
            columns("hlc", "time", "uncertaintyMicros", "r1", "staleness"),
            row(
                new TimestampValue(HLC),
                Value.of("2026-11-20T18:40:00.000000Z"),
                NullValue.NULL,
                new StructValue(r1),
                Value.of(1)));

    assertThat(text)
        .isEqualTo(
            "{\"hlc\":\"1795200000000000.3\",\"time\":\"2026-11-20T18:40:00.000000Z\","
                + "\"uncertaintyMicros\":null,\"r1\":{\"zk2\":4,\"zk10\":3},\"staleness\":1}");
  }

  @Test
  void text_everyFamilyOfValues_printsAsTheFormatSays() {
    assertThat(cell(Value.of(3.0))).isEqualTo("3.0");
    assertThat(cell(Value.of(1e300))).isEqualTo("1.0E300");
    assertThat(cell(new DurationValue(1_500))).isEqualTo("1500");
    assertThat(cell(Value.setOf(Value.of(2), Value.of(1)))).isEqualTo("[1,2]");
    assertThat(cell(Value.of("a\"b\n"))).isEqualTo("\"a\\\"b\\n\"");
    assertThat(cell(Value.of(true))).isEqualTo("true");
    assertThat(cell(NullValue.NULL)).isEqualTo("null");
  }

  @Test
  void text_noNodeMissing_leavesTheColumnOut() {
    List<Column> columns = columns("hlc", "missing");

    assertThat(RowJson.text(columns, row(new TimestampValue(HLC), Value.setOf())))
        .isEqualTo("{\"hlc\":\"1795200000000000.3\"}");
    assertThat(RowJson.text(columns, row(new TimestampValue(HLC), Value.setOf(Value.of("zk3")))))
        .isEqualTo("{\"hlc\":\"1795200000000000.3\",\"missing\":[\"zk3\"]}");
  }

  @Test
  void row_textOfARow_comesBack() {
    List<Column> columns = columns("hlc", "endHlc", "a", "b");
    Row row =
        row(
            new TimestampValue(HLC),
            new TimestampValue(HLC + 1),
            Value.setOf(Value.of(1.0), Value.of("x")),
            new StructValue(Map.of("zk1", NullValue.NULL)));

    StructValue object = (StructValue) JsonValues.parse(RowJson.text(columns, row));

    assertThat(RowJson.columns(object)).isEqualTo(columns);
    assertThat(RowJson.row(columns, object, 0)).isEqualTo(row);
  }

  @Test
  void row_memberAbsent_isNull() {
    StructValue object = (StructValue) JsonValues.parse("{\"a\":1}");

    assertThat(RowJson.row(columns("a", "missing"), object, 2).values())
        .containsExactly(Value.of(1), NullValue.NULL);
  }

  @Test
  void warningIn_rowWithAColumnOfThatName_isNoWarning() {
    StructValue line = (StructValue) JsonValues.parse(RowJson.warning("events are missing"));
    StructValue row = (StructValue) JsonValues.parse("{\"hlc\":\"1.0\",\"warning\":\"x\"}");

    assertThat(RowJson.warningIn(line)).contains("events are missing");
    assertThat(RowJson.warningIn(row)).isEmpty();
  }

  @Test
  void text_note_namesItsParts() {
    assertThat(RowJson.text(new Note("woodblock", 62, 96, 200_000, 0)))
        .isEqualTo(
            "{\"instrument\":\"woodblock\",\"note\":62,\"velocity\":96,\"lengthMicros\":200000}");
  }

  private static String cell(Value value) {
    String object = RowJson.text(columns("a"), row(value));
    return object.substring("{\"a\":".length(), object.length() - 1);
  }

  private static List<Column> columns(String... names) {
    return Stream.of(names)
        .map(name -> new Column(name, AutomaticColumns.isAutomatic(name, Set.of(names))))
        .toList();
  }

  private static Row row(Value... values) {
    long hlc = values[0] instanceof TimestampValue stamp ? stamp.packed() : HlcTimestamp.MIN_PACKED;
    return new Row(hlc, 0, List.of(values), Optional.empty());
  }
}
