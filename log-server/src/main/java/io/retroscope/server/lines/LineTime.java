package io.retroscope.server.lines;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A moment as people name it: an instant, or how long ago.
 *
 * @param micros since the Unix epoch; or, where {@code ago}, before now
 */
public record LineTime(long micros, boolean ago) {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(us|ms|s|m|h|d)");
  private static final Map<String, ChronoUnit> UNITS =
      Map.of(
          "us", ChronoUnit.MICROS,
          "ms", ChronoUnit.MILLIS,
          "s", ChronoUnit.SECONDS,
          "m", ChronoUnit.MINUTES,
          "h", ChronoUnit.HOURS,
          "d", ChronoUnit.DAYS);

  /**
   * Reads {@code 2026-11-20T18:40:00.25Z} or {@code 10m}.
   *
   * @param name what it is called in the message
   * @throws IllegalArgumentException if it is neither
   */
  static LineTime parse(String name, String text) {
    Matcher duration = DURATION.matcher(text);
    if (duration.matches()) {
      ChronoUnit unit = UNITS.getOrDefault(duration.group(2), ChronoUnit.SECONDS);
      return new LineTime(
          Long.parseLong(duration.group(1)) * unit.getDuration().toNanos() / 1_000, true);
    }
    try {
      return new LineTime(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(text)), false);
    } catch (DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException(
          name
              + " is neither an instant nor a duration: \""
              + text
              + "\" (like 2026-11-20T18:40:00Z, or 10m for ten minutes ago)",
          e);
    }
  }

  /** The moment in microseconds since the Unix epoch. */
  long at(long nowMicros) {
    return ago ? nowMicros - micros : micros;
  }
}
