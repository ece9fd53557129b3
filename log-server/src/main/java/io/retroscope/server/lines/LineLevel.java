package io.retroscope.server.lines;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value.StringValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The severity of a log line, from its field {@value #FIELD}, in ascending order. */
public enum LineLevel {
  TRACE,
  DEBUG,
  INFO,
  WARN,
  ERROR,
  FATAL;

  /** The field of a log line that names its level. */
  public static final String FIELD = "level";

  /**
   * The level of this name, in any case.
   *
   * @throws IllegalArgumentException if there is none; the message lists all levels
   */
  static LineLevel of(String name) {
    return known(name)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no such level: \""
                        + name
                        + "\"; the levels are "
                        + Arrays.stream(values())
                            .map(Enum::name)
                            .collect(Collectors.joining(", "))));
  }

  /** The level of a log line; empty if it has no known level. */
  static Optional<LineLevel> of(Event event) {
    return event.body() instanceof EventBody.LogLine line
            && line.fields().get(FIELD) instanceof StringValue name
        ? known(name.value())
        : Optional.empty();
  }

  /** Logging libraries use different names for some levels. */
  private static Optional<LineLevel> known(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    return switch (upper) {
      case "WARNING" -> Optional.of(WARN);
      case "SEVERE" -> Optional.of(ERROR);
      default -> Arrays.stream(values()).filter(level -> level.name().equals(upper)).findFirst();
    };
  }
}
