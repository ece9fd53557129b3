// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.rql.ast.Literals;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;

/**
 * A moment as entered by a user: an instant, or a time before now.
 *
 * @param micros since the Unix epoch; or, if {@code ago}, before now
 */
public record LineTime(long micros, boolean ago) {
  /**
   * Parses {@code 2026-11-20T18:40:00.25Z} or {@code 10m}.
   *
   * @param name the parameter's name in the message
   * @throws IllegalArgumentException if it is neither
   */
  static LineTime parse(String name, String text) {
    OptionalLong ago = Literals.durationMicros(text);
    if (ago.orElse(-1) >= 0) {
      return new LineTime(ago.getAsLong(), true);
    }
    try {
      return new LineTime(
          ChronoUnit.MICROS.between(Instant.EPOCH, OffsetDateTime.parse(text).toInstant()), false);
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
