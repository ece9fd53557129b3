// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.answer.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JsonGenerator;

/**
 * Result rows as JSON objects, with one member per column, for programs: {@code
 * {"hlc":"1795200000000000.3","time":"...","uncertaintyMicros":null,"r1":{"zk1":4,"zk2":3}}}.
 *
 * <p>A DURATION is integer microseconds and a TIMESTAMP the plain {@code "p.l"}, so a row that is
 * read back contains a LONG and a STRING there, except in the automatic columns. {@link
 * ResultWriter} has a form that preserves the types. {@link RowJsonWriter} writes them.
 */
public final class RowJson {
  private static final Set<String> STAMP_COLUMNS = Set.of("hlc", "endHlc", "triggerHlc");

  private RowJson() {}

  /** Returns one row as {@link RowJsonWriter} does, which is faster for several rows. */
  public static String text(List<Column> columns, Row row) {
    return new RowJsonWriter(columns).text(row);
  }

  /** Returns the object of a row with the mark that an event which came late added it. */
  public static String late(String row) {
    return JsonText.before(row, out -> out.writeBooleanProperty("late", true));
  }

  /** Returns a line for a warning among the rows. */
  public static String warning(String message) {
    return JsonValues.text(new StructValue(Map.of("warning", Value.of(message))));
  }

  /** Returns the message if the object is a {@link #warning} rather than a row. */
  public static Optional<String> warningIn(StructValue object) {
    return object.fields().size() == 1
            && object.fields().get("warning") instanceof StringValue message
        ? Optional.of(message.value())
        : Optional.empty();
  }

  /** Returns a row's note as one JSON object. */
  public static String text(Note note) {
    return JsonText.of(out -> write(out, note));
  }

  static void write(JsonGenerator out, Note note) {
    out.writeStartObject();
    out.writeName("instrument").writeString(note.instrument());
    out.writeName("note").writeNumber(note.note());
    out.writeName("velocity").writeNumber(note.velocity());
    out.writeName("lengthMicros").writeNumber(note.lengthMicros());
    if (note.pan() != 0) {
      out.writeName("pan").writeNumber(note.pan());
    }
    out.writeEndObject();
  }

  /** Returns the columns of a row's object. */
  public static List<Column> columns(StructValue object) {
    return object.fields().keySet().stream()
        .map(name -> new Column(name, AutomaticColumns.isAutomatic(name, object.fields().keySet())))
        .toList();
  }

  /**
   * Returns the row of an object.
   *
   * @param columns the columns of the result's rows; an absent member is NULL
   * @throws IllegalArgumentException if {@code hlc} or {@code endHlc} is not a timestamp
   */
  public static Row row(List<Column> columns, StructValue object, int ordinal) {
    List<Value> values = new ArrayList<>(columns.size());
    for (Column column : columns) {
      Value value = object.fields().getOrDefault(column.name(), NullValue.NULL);
      boolean stamp =
          column.automatic()
              && STAMP_COLUMNS.contains(column.name())
              && value instanceof StringValue;
      values.add(stamp ? stamp((StringValue) value) : value);
    }
    long hlc =
        object.fields().get("hlc") instanceof StringValue text
            ? stamp(text).packed()
            : HlcTimestamp.MIN_PACKED;
    return new Row(hlc, ordinal, values, Optional.empty());
  }

  private static TimestampValue stamp(StringValue text) {
    return new TimestampValue(HlcTimestamp.parse(text.value()));
  }
}
