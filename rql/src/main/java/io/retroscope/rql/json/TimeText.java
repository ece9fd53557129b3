// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;

/**
 * The text of times, most of which differ from the one before only within their minute. Used by one
 * thread.
 */
public final class TimeText {
  private static final long MINUTE_MICROS = 60_000_000;
  private static final int MINUTE_CHARS = "2026-11-22T18:40:".length();
  private static final int FIRST_DIGIT_MICROS = 10_000_000;
  private static final int SECOND_MICROS = 1_000_000;

  private final char[] text = "2026-11-22T18:40:00.000000Z".toCharArray();
  private long minute = -1;

  /**
   * Returns the characters of {@link HlcTimestamp#isoMicros}, in an array that is used again for
   * the next time.
   */
  public char[] of(long micros) {
    if (micros < 0 || micros > HlcTimestamp.MAX_MICROS) {
      return HlcTimestamp.isoMicros(micros).toCharArray();
    }
    if (micros / MINUTE_MICROS != minute) {
      minute = micros / MINUTE_MICROS;
      HlcTimestamp.isoMicros(micros).getChars(0, MINUTE_CHARS, text, 0);
    }
    int rest = (int) (micros % MINUTE_MICROS);
    int at = MINUTE_CHARS;
    for (int unit = FIRST_DIGIT_MICROS; unit >= 1; unit /= 10) {
      text[at++] = (char) ('0' + rest / unit % 10);
      at += unit == SECOND_MICROS ? 1 : 0; // the point
    }
    return text;
  }
}
