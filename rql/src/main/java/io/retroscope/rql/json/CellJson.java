package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.RowCells;
import java.util.Arrays;
import java.util.Map;

/**
 * A writer of cells as JSON, in the form of {@link JsonValues} or, if it keeps types, in that of
 * {@link ResultWriter}. Used by one thread.
 */
public final class CellJson {
  private static final String[] NO_NAMES = {};

  private final boolean keepsTypes;
  private final TextBuffer out;
  private final TextBuffer scratch = new TextBuffer();

  /** The last time's text, of which most times of other rows have the second or minute. */
  private final TimeText times = new TimeText();

  /** The names of nodes by their place in a row, and the JSON of each with its colon. */
  private String[] names = NO_NAMES;

  private String[] nameTexts = NO_NAMES;

  /**
   * Creates a writer.
   *
   * @param keepsTypes whether a DURATION or TIMESTAMP is an object
   * @param out takes the text
   */
  public CellJson(boolean keepsTypes, TextBuffer out) {
    this.keepsTypes = keepsTypes;
    this.out = out;
  }

  /** Writes one cell. */
  public void write(RowCells cells, int cell) {
    switch (cells.kind(cell)) {
      case VALUE -> write(cells.value(cell));
      case LONG -> out.append(cells.number(cell));
      case STAMP -> stamp(cells.number(cell));
      case TIME -> {
        out.append('"');
        times.append(cells.number(cell), out);
        out.append('"');
      }
      case NODES -> nodes(cells, cell);
    }
  }

  /** Writes the text of a time, without quotes. */
  public void time(long micros) {
    times.append(micros, out);
  }

  private void nodes(RowCells cells, int cell) {
    out.append('{');
    int first = cells.firstNode(cell);
    for (int node = first; node < cells.endNode(cell); node++) {
      if (node > first) {
        out.append(',');
      }
      out.append(name(node, cells.node(node)));
      if (cells.isNodeLong(node)) {
        out.append(cells.nodeNumber(node));
      } else {
        write(cells.nodeValue(node));
      }
    }
    out.append('}');
  }

  @SuppressWarnings("ReferenceEquality") // Another object with the same name is only slower.
  private String name(int place, String name) {
    if (place >= names.length) {
      names = Arrays.copyOf(names, Math.max(8, 2 * place));
      nameTexts = Arrays.copyOf(nameTexts, names.length);
    }
    if (names[place] != name) {
      names[place] = name;
      scratch.clear();
      scratch.appendJson(fieldName(name));
      scratch.append(':');
      nameTexts[place] = scratch.toString();
    }
    return nameTexts[place];
  }

  private String fieldName(String name) {
    return keepsTypes && name.startsWith("$") ? "$" + name : name;
  }

  private void stamp(long packed) {
    out.append(keepsTypes ? "{\"" + ResultWriter.HLC + "\":\"" : "\"");
    out.appendStamp(packed);
    out.append(keepsTypes ? "\"}" : "\"");
  }

  /** Writes a value. */
  public void write(Value value) {
    if (value instanceof LongValue number) {
      out.append(number.value());
    } else if (value instanceof StringValue string) {
      out.appendJson(string.value());
    } else {
      value.accept(new Writer(this));
    }
  }

  private record Writer(CellJson cells) implements Value.Visitor<TextBuffer> {
    private TextBuffer out() {
      return cells.out;
    }

    private TextBuffer text(String text) {
      cells.out.append(text);
      return cells.out;
    }

    @Override
    public TextBuffer nullValue(NullValue value) {
      return text("null");
    }

    @Override
    public TextBuffer booleanValue(BooleanValue value) {
      return text(value.value() ? "true" : "false");
    }

    @Override
    public TextBuffer longValue(LongValue value) {
      out().append(value.value());
      return out();
    }

    @Override
    public TextBuffer doubleValue(DoubleValue value) {
      String text = Double.toString(value.value());
      return text(Double.isFinite(value.value()) ? text : '"' + text + '"');
    }

    @Override
    public TextBuffer stringValue(StringValue value) {
      out().appendJson(value.value());
      return out();
    }

    @Override
    public TextBuffer durationValue(DurationValue value) {
      text(cells.keepsTypes ? "{\"" + ResultWriter.MICROS + "\":" : "");
      out().append(value.micros());
      return text(cells.keepsTypes ? "}" : "");
    }

    @Override
    public TextBuffer timestampValue(TimestampValue value) {
      cells.stamp(value.packed());
      return out();
    }

    @Override
    public TextBuffer setValue(SetValue value) {
      String separator = "[";
      for (Value element : value.elements()) {
        text(separator);
        cells.write(element);
        separator = ",";
      }
      return text(value.elements().isEmpty() ? "[]" : "]");
    }

    @Override
    public TextBuffer structValue(StructValue value) {
      String separator = "{";
      for (Map.Entry<String, Value> field : value.fields().entrySet()) {
        text(separator);
        out().appendJson(cells.fieldName(field.getKey()));
        out().append(':');
        cells.write(field.getValue());
        separator = ",";
      }
      return text(value.fields().isEmpty() ? "{}" : "}");
    }
  }

  /**
   * The text of times, most of which differ from the one before only within their minute. Used by
   * one thread.
   */
  private static final class TimeText {
    private static final long MINUTE_MICROS = 60_000_000;
    private static final int MINUTE_CHARS = "2026-11-22T18:40:".length();

    private long minute = -1;
    private String start = "";

    void append(long micros, TextBuffer out) {
      if (micros < 0 || micros > HlcTimestamp.MAX_MICROS) {
        out.append(HlcTimestamp.isoMicros(micros));
        return;
      }
      if (micros / MINUTE_MICROS != minute) {
        minute = micros / MINUTE_MICROS;
        start = HlcTimestamp.isoMicros(micros).substring(0, MINUTE_CHARS);
      }
      int rest = (int) (micros % MINUTE_MICROS);
      out.append(start);
      for (int unit = 10_000_000; unit >= 1; unit /= 10) {
        out.append((char) ('0' + rest / unit % 10));
        if (unit == 1_000_000) {
          out.append('.');
        }
      }
      out.append('Z');
    }
  }
}
