// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.RowCells;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.SerializedString;

/**
 * A writer of cells as JSON, in the form of {@link JsonValues} or, if it keeps types, in that of
 * {@link ResultWriter}. Used by one thread.
 */
public final class CellJson {
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
    return keepsTypes ? JsonValues.nameOfResult(name) : name;
  }

  private void writeTime(JsonGenerator out, long micros) {
    char[] time = times.of(micros);
    out.writeString(time, 0, time.length);
  }

  private void writeStamp(JsonGenerator out, long packed) {
    if (keepsTypes) {
      JsonValues.writeStampOfResult(out, packed);
    } else {
      out.writeString(HlcTimestamp.text(packed));
    }
  }

  private void write(JsonGenerator out, Value value) {
    if (keepsTypes) {
      JsonValues.writeOfResult(out, value);
    } else {
      JsonValues.write(out, value);
    }
  }
}
