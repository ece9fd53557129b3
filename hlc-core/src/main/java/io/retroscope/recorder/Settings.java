// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the process: the environment variable {@code RETROSCOPE_X_Y}, otherwise the
 * system property {@code retroscope.x.y}. Blank values are treated as absent.
 */
final class Settings {
  private static final long MAX_MILLIS = Duration.ofDays(365).toMillis();

  private final Function<String, @Nullable String> environment;
  private final Function<String, @Nullable String> properties;

  /** The list to which problems with settings are added; null to throw them instead. */
  private final @Nullable List<String> problems;

  /** Settings that throw if a value is invalid. */
  Settings(
      Function<String, @Nullable String> environment,
      Function<String, @Nullable String> properties) {
    this(environment, properties, null);
  }

  private Settings(
      Function<String, @Nullable String> environment,
      Function<String, @Nullable String> properties,
      @Nullable List<String> problems) {
    this.environment = environment;
    this.properties = properties;
    this.problems = problems;
  }

  static Settings ofProcess() {
    return new Settings(System::getenv, System::getProperty);
  }

  /** The same settings, with another source of properties. */
  Settings withProperties(Function<String, @Nullable String> others) {
    return new Settings(environment, others, problems);
  }

  /**
   * The same settings, but an invalid one is treated as absent, and the reason is added to the
   * list.
   */
  Settings tolerant(List<String> problems) {
    return new Settings(environment, properties, problems);
  }

  /** An environment variable that is not one of Retroscope's, if it is set and not blank. */
  Optional<String> variable(String name) {
    return present(environment.apply(name));
  }

  /** A system property that is not one of Retroscope's, if it is set and not blank. */
  Optional<String> property(String name) {
    return present(properties.apply(name));
  }

  private static Optional<String> present(@Nullable String value) {
    return value == null || value.isBlank() ? Optional.empty() : Optional.of(value.strip());
  }

  /** The setting's text; {@code name} has the form {@code state.directory}. */
  Optional<String> text(String name) {
    return variable(environmentName(name)).or(() -> property("retroscope." + name));
  }

  private static String environmentName(String name) {
    return "RETROSCOPE_" + name.toUpperCase(Locale.ROOT).replace('.', '_');
  }

  /** A whole number within the limits, inclusive. */
  Optional<Long> number(String name, long min, long max) {
    return parsed(
        name,
        max == Long.MAX_VALUE
            ? "a whole number of at least " + min
            : "a whole number from " + min + " to " + max,
        text -> inRange(Long.parseLong(text), min, max));
  }

  private static long inRange(long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(value + " is out of range");
    }
    return value;
  }

  Optional<Boolean> truth(String name) {
    return parsed(name, "true (on) or false (off)", Settings::parseTruth);
  }

  /** A duration of at least one millisecond. */
  Optional<Duration> millis(String name) {
    return parsed(
        name,
        "a number of milliseconds, at least 1",
        text -> Duration.ofMillis(inRange(Long.parseLong(text), 1, MAX_MILLIS)));
  }

  /** A constant of an enumeration, in upper or lower case. */
  <E extends Enum<E>> Optional<E> constant(String name, Class<E> type) {
    return parsed(
        name,
        "one of " + Arrays.toString(type.getEnumConstants()),
        text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)));
  }

  private static Boolean parseTruth(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "1", "yes", "on" -> true;
      case "false", "0", "no", "off" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  /**
   * A setting of any kind.
   *
   * @param expected completes "must be"
   * @param parser throws IllegalArgumentException for a text that it does not accept
   */
  <T> Optional<T> parsed(String name, String expected, Function<String, T> parser) {
    String text = text(name).orElse(null);
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(parser.apply(text));
    } catch (IllegalArgumentException e) {
      String problem = "%s must be %s: \"%s\"".formatted(names(name), expected, text);
      if (problems == null) {
        throw new IllegalArgumentException(problem, e);
      }
      problems.add(problem + "; it is ignored");
      return Optional.empty();
    }
  }

  /** Both names of a setting, for messages. */
  static String names(String name) {
    return environmentName(name) + " (or retroscope." + name + ")";
  }
}
