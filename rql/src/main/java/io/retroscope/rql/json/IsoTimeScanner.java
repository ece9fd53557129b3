// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;

/**
 * A scanner of times in the form of {@link HlcTimestamp#isoMicros}, most of which differ from the
 * one before only within their minute. Used by one thread.
 */
final class IsoTimeScanner {
  /** The number of characters of a time. */
  static final int LENGTH = "2026-11-22T18:40:00.000000Z".length();

  /** The result for a text that is not a time. */
  static final long NONE = Long.MIN_VALUE;

  private static final long SECOND_MICROS = 1_000_000;
  private static final int MINUTE_CHARS = "2026-11-22T18:40:".length();
  private static final int POINT = MINUTE_CHARS + 2;

  private final byte[] minute = "1970-01-01T00:00:".getBytes(StandardCharsets.ISO_8859_1);
  private long minuteMicros;

  /** Returns the microseconds since the Unix epoch of the time that begins at a place of a line. */
  long micros(byte[] line, int from) {
    boolean isTime = line[from + POINT] == '.' && line[from + LENGTH - 1] == 'Z';
    if (!isTime || line[from + MINUTE_CHARS] > '5' || !hasMinute(line, from)) {
      return NONE;
    }
    int seconds = digits(line, from + MINUTE_CHARS, from + POINT);
    int micros = digits(line, from + POINT + 1, from + LENGTH - 1);
    return seconds < 0 || micros < 0 ? NONE : minuteMicros + SECOND_MICROS * seconds + micros;
  }

  private boolean hasMinute(byte[] line, int from) {
    int to = from + MINUTE_CHARS;
    return Arrays.equals(line, from, to, minute, 0, MINUTE_CHARS) || readMinute(line, from);
  }

  private boolean readMinute(byte[] line, int from) {
    String text = new String(line, from, MINUTE_CHARS, StandardCharsets.ISO_8859_1) + "00.000000Z";
    long micros;
    try {
      micros = SECOND_MICROS * Instant.parse(text).getEpochSecond();
    } catch (DateTimeException e) {
      return false;
    }
    if (!HlcTimestamp.isoMicros(micros).equals(text)) {
      return false;
    }
    System.arraycopy(line, from, minute, 0, MINUTE_CHARS);
    minuteMicros = micros;
    return true;
  }

  /** The number in a part of the line; negative if there are other characters than digits. */
  private static int digits(byte[] line, int from, int to) {
    int number = 0;
    for (int i = from; i < to; i++) {
      int digit = line[i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = 10 * number + digit;
    }
    return number;
  }
}
