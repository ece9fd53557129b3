// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.RowCells;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.SerializedString;

/**
 * A writer of cells as JSON, in the form of {@link JsonValues} or, if it keeps types, in that of
 * {@link ResultWriter}. Used by one thread.
 */
public final class CellJson {
  private static final String TYPE_MARK = "$";

  private final boolean keepsTypes;
  private final TimeText times = new TimeText();

  /** The names of nodes by their place in a row, with their JSON. */
  private @Nullable String[] names = new String[8];

  private SerializableString[] fieldNames = new SerializableString[8];

  /**
   * Creates a writer.
   *
   * @param keepsTypes whether a DURATION or TIMESTAMP is an object that names its type
   */
  public CellJson(boolean keepsTypes) {
    this.keepsTypes = keepsTypes;
  }

  /** Writes a cell at the generator's position. */
  public void write(JsonGenerator out, RowCells cells, int cell) {
    switch (cells.kind(cell)) {
      case VALUE -> write(out, cells.value(cell));
      case LONG -> out.writeNumber(cells.number(cell));
      case STAMP -> writeStamp(out, cells.number(cell));
      case TIME -> writeTime(out, cells.number(cell));
      case NODES -> writeNodes(out, cells, cell);
    }
  }

  private void writeNodes(JsonGenerator out, RowCells cells, int cell) {
    out.writeStartObject();
    int first = cells.firstNode(cell);
    for (int node = first; node < cells.endNode(cell); node++) {
      out.writeName(fieldName(node - first, cells.node(node)));
      if (cells.isNodeLong(node)) {
        out.writeNumber(cells.nodeNumber(node));
      } else {
        write(out, cells.nodeValue(node));
      }
    }
    out.writeEndObject();
  }

  @SuppressWarnings("ReferenceEquality") // Another object with the same name is only slower.
  private SerializableString fieldName(int place, String name) {
    if (place >= names.length) {
      names = Arrays.copyOf(names, 2 * place);
      fieldNames = Arrays.copyOf(fieldNames, names.length);
    }
    if (names[place] != name) {
      names[place] = name;
      fieldNames[place] = new SerializedString(fieldName(name));
    }
    return fieldNames[place];
  }

  private String fieldName(String name) {
    return keepsTypes && name.startsWith(TYPE_MARK) ? TYPE_MARK + name : name;
  }

  private void writeTime(JsonGenerator out, long micros) {
    char[] time = times.of(micros);
    out.writeString(time, 0, time.length);
  }

  private void writeStamp(JsonGenerator out, long packed) {
    if (keepsTypes) {
      out.writeStartObject();
      out.writeName(ResultWriter.HLC);
    }
    out.writeString(HlcTimestamp.text(packed));
    if (keepsTypes) {
      out.writeEndObject();
    }
  }

  private void write(JsonGenerator out, Value value) {
    if (!keepsTypes) {
      JsonValues.write(out, value);
    } else if (value instanceof DurationValue duration) {
      out.writeStartObject();
      out.writeName(ResultWriter.MICROS).writeNumber(duration.micros());
      out.writeEndObject();
    } else if (value instanceof DoubleValue number && !Double.isFinite(number.value())) {
      out.writeStartObject();
      out.writeName(ResultWriter.DOUBLE).writeString(Double.toString(number.value()));
      out.writeEndObject();
    } else if (value instanceof TimestampValue timestamp) {
      writeStamp(out, timestamp.packed());
    } else if (value instanceof SetValue set) {
      out.writeStartArray();
      set.elements().forEach(element -> write(out, element));
      out.writeEndArray();
    } else if (value instanceof StructValue struct) {
      out.writeStartObject();
      for (Map.Entry<String, Value> field : struct.fields().entrySet()) {
        write(out.writeName(fieldName(field.getKey())), field.getValue());
      }
      out.writeEndObject();
    } else {
      JsonValues.write(out, value);
    }
  }
}
