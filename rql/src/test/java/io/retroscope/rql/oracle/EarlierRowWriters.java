// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.json.JsonBuffer;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.json.RowJson;
import io.retroscope.rql.print.CsvText;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.core.JsonGenerator;

/** Rows in every format, written value by value with a generator of JSON. */
final class EarlierRowWriters {
  private EarlierRowWriters() {}

  /** The object of NDJSON, without a line end. */
  static String object(List<Column> columns, Row row) {
    int missing = columns.indexOf(new Column("missing", true));
    return new JsonBuffer()
        .text(
            out -> {
              out.writeStartObject();
              for (int i = 0; i < columns.size(); i++) {
                Value value = row.values().get(i);
                boolean empty =
                    value instanceof NullValue
                        || (value instanceof SetValue set && set.elements().isEmpty());
                if (i != missing || !empty) {
                  JsonValues.write(out.writeName(columns.get(i).name()), value);
                }
              }
              out.writeEndObject();
            });
  }

  /** The line that keeps types, without a line end. */
  static String lossless(Row row) {
    return new JsonBuffer()
        .text(
            out -> {
              out.writeStartObject();
              out.writeName("row").writeStartObject();
              out.writeName("hlc").writeString(HlcTimestamp.text(row.hlc()));
              out.writeName("ordinal").writeNumber(row.ordinal());
              out.writeName("values").writeStartArray();
              row.values().forEach(value -> write(out, value));
              out.writeEndArray();
              row.note().ifPresent(note -> out.writeName("note").writeRawValue(RowJson.text(note)));
              out.writeEndObject();
              out.writeEndObject();
            });
  }

  private static void write(JsonGenerator out, Value value) {
    if (value instanceof DurationValue duration) {
      out.writeStartObject();
      out.writeName("$micros").writeNumber(duration.micros());
      out.writeEndObject();
    } else if (value instanceof DoubleValue number && !Double.isFinite(number.value())) {
      out.writeStartObject();
      out.writeName("$double").writeString(Double.toString(number.value()));
      out.writeEndObject();
    } else if (value instanceof TimestampValue timestamp) {
      out.writeStartObject();
      out.writeName("$hlc").writeString(HlcTimestamp.text(timestamp.packed()));
      out.writeEndObject();
    } else if (value instanceof SetValue set) {
      out.writeStartArray();
      set.elements().forEach(element -> write(out, element));
      out.writeEndArray();
    } else if (value instanceof StructValue struct) {
      out.writeStartObject();
      for (Map.Entry<String, Value> field : struct.fields().entrySet()) {
        String name = field.getKey();
        write(out.writeName(name.startsWith("$") ? "$" + name : name), field.getValue());
      }
      out.writeEndObject();
    } else {
      JsonValues.write(out, value);
    }
  }

  /** The record of CSV. */
  static String csv(Row row) {
    return row.values().stream()
            .map(value -> value instanceof StringValue s ? CsvText.cell(s.value()) : csv(value))
            .collect(Collectors.joining(","))
        + "\r\n";
  }

  private static String csv(Value value) {
    String text = plain(value);
    boolean bare = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n');
    return bare ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  /** The record with tabs. */
  static String tsv(Row row) {
    return row.values().stream()
            .map(
                value ->
                    (value instanceof StringValue s ? s.value() : plain(value))
                        .replace("\\", "\\\\")
                        .replace("\t", "\\t")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r"))
            .collect(Collectors.joining("\t"))
        + "\n";
  }

  private static String plain(Value value) {
    if (value instanceof NullValue) {
      return "";
    }
    return value instanceof TimestampValue timestamp
        ? HlcTimestamp.text(timestamp.packed())
        : JsonValues.text(value);
  }
}
