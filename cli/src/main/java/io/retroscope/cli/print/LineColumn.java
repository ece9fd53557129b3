// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.print;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.print.ValueText;
import io.retroscope.server.lines.AlignedLine;
import io.retroscope.server.lines.LineLevel;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The columns of a log line. */
public enum LineColumn {
  /** The aligned time, with a star if the line arrived too late for its place. */
  TIME("time") {
    @Override
    public Value value(AlignedLine line) {
      return Value.of(HlcTimestamp.isoMicros(line.time().micros()));
    }

    @Override
    public String text(AlignedLine line) {
      return super.text(line) + (line.late() ? "*" : "");
    }
  },
  /** The uncertainty of the aligned time. */
  UNCERTAINTY("uncertaintyMicros") {
    @Override
    public Value value(AlignedLine line) {
      OptionalLong micros = line.time().uncertaintyMicros();
      return micros.isPresent() ? Value.of(micros.getAsLong()) : NullValue.NULL;
    }

    @Override
    public String text(AlignedLine line) {
      OptionalLong micros = line.time().uncertaintyMicros();
      return micros.isPresent()
          ? String.format(Locale.ROOT, "±%.3f ms", micros.getAsLong() / 1e3)
          : "±unknown";
    }
  },
  /** The node to whose clock the aligned time refers. */
  CLOCK("clock") {
    @Override
    public Value value(AlignedLine line) {
      return line.clock().<Value>map(Value::of).orElse(NullValue.NULL);
    }
  },
  /** The reading of the node's own clock. */
  RAW("raw") {
    @Override
    public Value value(AlignedLine line) {
      Event event = line.event();
      return event.hasPhysical()
          ? Value.of(HlcTimestamp.isoMicros(event.physicalMicros()))
          : NullValue.NULL;
    }
  },
  /** The stamp. */
  HLC("hlc") {
    @Override
    public Value value(AlignedLine line) {
      return new TimestampValue(line.event().hlc());
    }

    @Override
    public String text(AlignedLine line) {
      return HlcTimestamp.text(line.event().hlc());
    }
  },
  /** The node that wrote the line. */
  NODE("node") {
    @Override
    public Value value(AlignedLine line) {
      return Value.of(line.event().node());
    }
  },
  /** The log of the line. */
  LOG("log") {
    @Override
    public Value value(AlignedLine line) {
      return Value.of(line.event().log());
    }
  },
  /** The level, as given in the line. */
  LEVEL("level") {
    @Override
    public Value value(AlignedLine line) {
      return line.line().fields().getOrDefault(LineLevel.FIELD, NullValue.NULL);
    }
  },
  /** The text. */
  MESSAGE("message") {
    @Override
    public Value value(AlignedLine line) {
      return Value.of(line.line().message());
    }
  },
  /** The fields of the line. */
  FIELDS("fields") {
    @Override
    public Value value(AlignedLine line) {
      return new StructValue(line.line().fields());
    }

    /** Excludes the level, which has a separate column. */
    @Override
    public String text(AlignedLine line) {
      return line.line().fields().entrySet().stream()
          .filter(field -> !field.getKey().equals(LineLevel.FIELD))
          .map(FIELDS::pair)
          .collect(Collectors.joining(" "));
    }
  },
  /** Whether the line arrived too late for its place. */
  LATE("late") {
    @Override
    public Value value(AlignedLine line) {
      return Value.of(line.late());
    }

    @Override
    public String text(AlignedLine line) {
      return line.late() ? "late" : "";
    }
  };

  private final String heading;

  LineColumn(String heading) {
    this.heading = heading;
  }

  /** The heading, in formats with headings. */
  public String heading() {
    return heading;
  }

  /** The value for programs. */
  public abstract Value value(AlignedLine line);

  /** The text for users; empty if there is none. */
  public String text(AlignedLine line) {
    Value value = value(line);
    return value instanceof NullValue ? "" : ValueText.of(value);
  }

  /** Whether the next column is aligned with that of the line above; false after free text. */
  boolean isAligned() {
    return this != MESSAGE && this != FIELDS;
  }

  String pair(Map.Entry<String, Value> field) {
    String value = ValueText.of(field.getValue());
    boolean quoted = value.isEmpty() || value.chars().anyMatch(c -> c == ' ' || c == '"');
    return ValueText.printable(field.getKey())
        + "="
        + (quoted ? '"' + value.replace("\"", "\\\"") + '"' : value);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A converter of column names. */
  public static final class Converter implements ITypeConverter<LineColumn> {
    @Override
    public LineColumn convert(String text) {
      List<LineColumn> all = Arrays.asList(values());
      return all.stream()
          .filter(column -> column.toString().equalsIgnoreCase(text.strip()))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "no such column: \""
                          + text
                          + "\"; the columns are "
                          + all.stream()
                              .map(LineColumn::toString)
                              .collect(Collectors.joining(", "))));
    }
  }
}
