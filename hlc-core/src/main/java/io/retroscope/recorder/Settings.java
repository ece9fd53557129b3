package io.retroscope.recorder;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settings from outside the program: the environment variable {@code RETROSCOPE_X_Y}, else the
 * system property {@code retroscope.x.y}. Blank counts as absent.
 */
final class Settings {
  private final Function<String, @Nullable String> environment;
  private final Function<String, @Nullable String> properties;

  Settings(
      Function<String, @Nullable String> environment,
      Function<String, @Nullable String> properties) {
    this.environment = environment;
    this.properties = properties;
  }

  static Settings ofProcess() {
    return new Settings(System::getenv, System::getProperty);
  }

  /** The setting's text; {@code name} is like {@code state.directory}. */
  Optional<String> text(String name) {
    String value = environment.apply(environmentName(name));
    if (value == null || value.isBlank()) {
      value = properties.apply("retroscope." + name);
    }
    return value == null || value.isBlank() ? Optional.empty() : Optional.of(value.strip());
  }

  private static String environmentName(String name) {
    return "RETROSCOPE_" + name.toUpperCase(Locale.ROOT).replace('.', '_');
  }

  Optional<Long> number(String name) {
    return parsed(name, "a whole number", Long::valueOf);
  }

  Optional<Boolean> truth(String name) {
    return parsed(name, "true (on) or false (off)", Settings::parseTruth);
  }

  Optional<Duration> millis(String name) {
    return parsed(
        name, "a number of milliseconds", text -> Duration.ofMillis(Long.parseLong(text)));
  }

  /** One of an enumeration's constants, in either case. */
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

  private <T> Optional<T> parsed(String name, String expected, Function<String, T> parser) {
    return text(name)
        .map(
            text -> {
              try {
                return parser.apply(text);
              } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                    environmentName(name)
                        + " (or retroscope."
                        + name
                        + ") must be "
                        + expected
                        + ": \""
                        + text
                        + "\"",
                    e);
              }
            });
  }
}
