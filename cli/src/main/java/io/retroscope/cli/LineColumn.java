package io.retroscope.cli;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.shell.ValueText;
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

/** What can be shown of a log line. */
enum LineColumn {
  /** The aligned time, with a star where the line came too late for its place. */
  TIME("time") {
    @Override
    Value value(AlignedLine line) {
      return Value.of(HlcTimestamp.isoMicros(line.time().micros()));
    }

    @Override
    String text(AlignedLine line) {
      return super.text(line) + (line.late() ? "*" : "");
    }
  },
  /** By how much that may be wrong. */
  UNCERTAINTY("uncertaintyMicros") {
    @Override
    Value value(AlignedLine line) {
      OptionalLong micros = line.time().uncertaintyMicros();
      return micros.isPresent() ? Value.of(micros.getAsLong()) : NullValue.NULL;
    }

    @Override
    String text(AlignedLine line) {
      OptionalLong micros = line.time().uncertaintyMicros();
      return micros.isPresent()
          ? String.format(Locale.ROOT, "±%.3f ms", micros.getAsLong() / 1e3)
          : "±unknown";
    }
  },
  /** The node on whose clock the aligned time is. */
  CLOCK("clock") {
    @Override
    Value value(AlignedLine line) {
      return line.clock().<Value>map(Value::of).orElse(NullValue.NULL);
    }
  },
  /** What the node's own clock read. */
  RAW("raw") {
    @Override
    Value value(AlignedLine line) {
      Event event = line.event();
      return event.hasPhysical()
          ? Value.of(HlcTimestamp.isoMicros(event.physicalMicros()))
          : NullValue.NULL;
    }
  },
  /** The stamp. */
  HLC("hlc") {
    @Override
    Value value(AlignedLine line) {
      return new TimestampValue(line.event().hlc());
    }

    @Override
    String text(AlignedLine line) {
      return HlcTimestamp.text(line.event().hlc());
    }
  },
  /** Who wrote it. */
  NODE("node") {
    @Override
    Value value(AlignedLine line) {
      return Value.of(line.event().node());
    }
  },
  /** Where to. */
  LOG("log") {
    @Override
    Value value(AlignedLine line) {
      return Value.of(line.event().log());
    }
  },
  /** How serious it is, as the line says itself. */
  LEVEL("level") {
    @Override
    Value value(AlignedLine line) {
      Value level = line.line().fields().get(LineLevel.FIELD);
      return level instanceof StringValue ? level : NullValue.NULL;
    }
  },
  /** The text. */
  MESSAGE("message") {
    @Override
    Value value(AlignedLine line) {
      return Value.of(line.line().message());
    }
  },
  /** All that was said beside the text. */
  FIELDS("fields") {
    @Override
    Value value(AlignedLine line) {
      return new StructValue(line.line().fields());
    }

    /** The level stands in a column of its own. */
    @Override
    String text(AlignedLine line) {
      return line.line().fields().entrySet().stream()
          .filter(field -> !field.getKey().equals(LineLevel.FIELD))
          .map(FIELDS::pair)
          .collect(Collectors.joining(" "));
    }
  },
  /** Whether it came too late for its place. */
  LATE("late") {
    @Override
    Value value(AlignedLine line) {
      return Value.of(line.late());
    }

    @Override
    String text(AlignedLine line) {
      return line.late() ? "late" : "";
    }
  };

  private final String heading;

  LineColumn(String heading) {
    this.heading = heading;
  }

  /** The heading where columns have one. */
  String heading() {
    return heading;
  }

  /** What a program gets. */
  abstract Value value(AlignedLine line);

  /** What a person reads; empty where there is nothing. */
  String text(AlignedLine line) {
    Value value = value(line);
    return value instanceof NullValue ? "" : ValueText.of(value);
  }

  /** Whether what follows stands below what follows in the line above; not behind free text. */
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

  /** Reads the name of a column. */
  static final class Converter implements ITypeConverter<LineColumn> {
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
