package io.retroscope.server.lines;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value.StringValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** How serious a log line is, by its field {@value #FIELD}; the least serious first. */
public enum LineLevel {
  /** The finest detail. */
  TRACE,
  /** For whoever looks for an error. */
  DEBUG,
  /** The ordinary course. */
  INFO,
  /** Something is not as it should be. */
  WARN,
  /** Something failed. */
  ERROR,
  /** Nothing goes on. */
  FATAL;

  /** The field of a log line that names its level. */
  public static final String FIELD = "level";

  /**
   * The level of this name, in any case.
   *
   * @throws IllegalArgumentException if there is none; the message names them all
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

  /** The level that a log line names; empty if it names none that is known. */
  static Optional<LineLevel> of(Event event) {
    return event.body() instanceof EventBody.LogLine line
            && line.fields().get(FIELD) instanceof StringValue name
        ? known(name.value())
        : Optional.empty();
  }

  /** Loggers do not agree on all names. */
  private static Optional<LineLevel> known(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    return switch (upper) {
      case "WARNING" -> Optional.of(WARN);
      case "SEVERE" -> Optional.of(ERROR);
      default -> Arrays.stream(values()).filter(level -> level.name().equals(upper)).findFirst();
    };
  }
}
