package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
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
      case TIME -> times.write(out, cells.number(cell));
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

  /** The text of times, most of which differ from the one before only within their minute. */
  private static final class TimeText {
    private static final long MINUTE_MICROS = 60_000_000;
    private static final int MINUTE_CHARS = "2026-11-22T18:40:".length();
    private static final int FIRST_DIGIT_MICROS = 10_000_000;
    private static final int SECOND_MICROS = 1_000_000;

    private final char[] text = "2026-11-22T18:40:00.000000Z".toCharArray();
    private long minute = -1;

    void write(JsonGenerator out, long micros) {
      if (micros < 0 || micros > HlcTimestamp.MAX_MICROS) {
        out.writeString(HlcTimestamp.isoMicros(micros));
        return;
      }
      if (micros / MINUTE_MICROS != minute) {
        minute = micros / MINUTE_MICROS;
        HlcTimestamp.isoMicros(micros).getChars(0, MINUTE_CHARS, text, 0);
      }
      int rest = (int) (micros % MINUTE_MICROS);
      int at = MINUTE_CHARS;
      for (int unit = FIRST_DIGIT_MICROS; unit >= 1; unit /= 10) {
        text[at++] = (char) ('0' + rest / unit % 10);
        at += unit == SECOND_MICROS ? 1 : 0; // the point
      }
      out.writeString(text, 0, text.length);
    }
  }
}
