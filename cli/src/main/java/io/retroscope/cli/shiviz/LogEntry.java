// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import io.retroscope.cli.file.InputException;
import io.retroscope.clock.HlcTimestamp;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * One event of a ShiViz log.
 *
 * @param line the line of its clock, counted from 1
 * @param clock the vector clock without zeros, ordered by host
 * @param fields the other groups that matched a text, in their order
 */
record LogEntry(
    String file,
    int line,
    String host,
    Map<String, Integer> clock,
    String text,
    Map<String, String> fields) {
  LogEntry {
    clock = Collections.unmodifiableMap(new TreeMap<>(clock));
    fields = new LinkedHashMap<>(fields);
  }

  /** The group with the reading of the host's clock. */
  static final String PHYSICAL = "pt";

  /**
   * The reading of the host's clock in microseconds since 1970; empty if the entry has none.
   *
   * @throws InputException if it is no time
   */
  OptionalLong physicalMicros() {
    String given = fields.getOrDefault(PHYSICAL, "");
    if (given.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      long micros = given.matches("\\d{1,19}(\\.\\d+)?") ? number(given) : instant(given);
      if (micros >= 0 && micros <= HlcTimestamp.MAX_MICROS) {
        return OptionalLong.of(micros);
      }
    } catch (DateTimeParseException | ArithmeticException e) {
      // The time is refused below.
    }
    throw refuse(
        "pt is no time: \"%s\"; a number of s, ms, us or ns since 1970, or one such as 2026-11-20T18:40:00Z is"
            .formatted(given));
  }

  /** A number of seconds, milliseconds, microseconds or nanoseconds, by its size. */
  private static long number(String digits) {
    BigDecimal number = new BigDecimal(digits);
    int whole = number.precision() - number.scale();
    int power = whole <= 11 ? 6 : whole <= 14 ? 3 : whole <= 17 ? 0 : -3;
    return number.scaleByPowerOfTen(power).setScale(0, RoundingMode.FLOOR).longValueExact();
  }

  private static long instant(String text) {
    Instant instant = OffsetDateTime.parse(text.replace(' ', 'T')).toInstant();
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }

  /** The host's own count of its events, from 1. */
  int own() {
    return clock.getOrDefault(host, 0);
  }

  InputException refuse(String reason) {
    return new InputException(file, line, reason);
  }
}
