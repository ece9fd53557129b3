// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoUnit;

/**
 * A hybrid logical timestamp: microseconds since the Unix epoch and a logical counter, packed in
 * one {@code long} whose signed order is the order of the stamps.
 *
 * <pre>
 *   bit 63                                 12 11          0
 *      +------------------------------------+-------------+
 *      | physical microseconds (52 bits)    | logical (12)|     ... and bit 63 flipped
 *      +------------------------------------+-------------+
 * </pre>
 *
 * <p>Because the top bit is flipped, comparing stamps means comparing signed longs, from 1970 to
 * 2112. So a packed zero is an instant in 2041 and never means "unset".
 *
 * <p>The static methods work on packed longs, for code that must not allocate. Immutable.
 *
 * @param packed the packed form; every long is a valid stamp
 */
public record HlcTimestamp(long packed) implements Comparable<HlcTimestamp> {
  /** Bits of the logical counter. */
  public static final int LOGICAL_BITS = 12;

  /** The largest logical counter; an increment beyond it carries into the microseconds. */
  public static final int MAX_LOGICAL = (1 << LOGICAL_BITS) - 1;

  /** The last microsecond that fits 52 bits, in September 2112. */
  public static final long MAX_MICROS = (1L << (Long.SIZE - LOGICAL_BITS)) - 1;

  /** The packed form of {@code 0.0}, below every other stamp. */
  public static final long MIN_PACKED = Long.MIN_VALUE;

  /** The packed form above every other stamp. */
  public static final long MAX_PACKED = Long.MAX_VALUE;

  private static final long SIGN = Long.MIN_VALUE;
  private static final DateTimeFormatter ISO_MICROS =
      new DateTimeFormatterBuilder().appendInstant(6).toFormatter();

  private static final long MICROS_PER_DAY = 86_400_000_000L;
  private static final byte[] ISO_SHAPE =
      "0000-00-00T00:00:00.000000Z".getBytes(StandardCharsets.ISO_8859_1);

  /**
   * Packs a stamp with logical counter 0.
   *
   * @throws IllegalArgumentException if the microseconds are outside 0 to {@link #MAX_MICROS}
   */
  public static long pack(long micros) {
    return pack(micros, 0);
  }

  /**
   * Packs a stamp.
   *
   * @param micros microseconds since the Unix epoch, 0 to {@link #MAX_MICROS}
   * @param logical 0 to {@link #MAX_LOGICAL}
   * @throws IllegalArgumentException if either is out of range
   */
  public static long pack(long micros, int logical) {
    if (micros < 0 || micros > MAX_MICROS) {
      throw new IllegalArgumentException(
          "physical microseconds outside 0.." + MAX_MICROS + ": " + micros);
    }
    if (logical < 0 || logical > MAX_LOGICAL) {
      throw new IllegalArgumentException(
          "logical counter outside 0.." + MAX_LOGICAL + ": " + logical);
    }
    return (micros << LOGICAL_BITS | logical) ^ SIGN;
  }

  /** Packs microseconds that are known to be in range. */
  static long packInRange(long micros) {
    return (micros << LOGICAL_BITS) ^ SIGN;
  }

  /** The physical part of a packed stamp, in microseconds since the Unix epoch. */
  public static long micros(long packed) {
    return (packed ^ SIGN) >>> LOGICAL_BITS;
  }

  /** The logical part of a packed stamp, 0 to {@link #MAX_LOGICAL}. */
  public static int logical(long packed) {
    return (int) packed & MAX_LOGICAL;
  }

  /** The 8 bytes that carry a stamp between processes: {@code micros << 12 | logical}. */
  public static long toWire(long packed) {
    return packed ^ SIGN;
  }

  /** The stamp whose wire form is {@code wire}. */
  public static long fromWire(long wire) {
    return wire ^ SIGN;
  }

  /** The text form {@code <micros>.<logical>} of a packed stamp, without quotes. */
  public static String text(long packed) {
    return micros(packed) + "." + logical(packed);
  }

  /** The physical part as an ISO-8601 instant with six decimals, in UTC. */
  public static String isoMicros(long micros) {
    // Each row of a result contains such a text, and the formatter takes longer than the rest of
    // the row. It remains for the times that no clock shows.
    return micros < 0 || micros > MAX_MICROS
        ? formatted(micros)
        : isoText(LocalDate.ofEpochDay(micros / MICROS_PER_DAY), micros % MICROS_PER_DAY);
  }

  static String formatted(long micros) {
    return ISO_MICROS.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  private static String isoText(LocalDate date, long microsOfDay) {
    byte[] text = ISO_SHAPE.clone();
    long seconds = microsOfDay / 1_000_000;
    digits(text, 4, date.getYear());
    digits(text, 7, date.getMonthValue());
    digits(text, 10, date.getDayOfMonth());
    digits(text, 13, seconds / 3_600);
    digits(text, 16, seconds / 60 % 60);
    digits(text, 19, seconds % 60);
    digits(text, 26, microsOfDay % 1_000_000);
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  /** Writes the digits of a number before a position. */
  private static void digits(byte[] text, int end, long number) {
    int at = end;
    for (long rest = number; rest > 0; rest /= 10) {
      text[--at] += (byte) (rest % 10);
    }
  }

  /**
   * Reads {@code <micros>.<logical>}, plain {@code <micros>}, or either inside {@code hlc'...'}.
   *
   * @throws IllegalArgumentException if the text has none of these forms or a part is out of range;
   *     the message contains the text
   */
  public static long parse(String text) {
    String bare =
        text.length() > 5 && text.startsWith("hlc'") && text.endsWith("'")
            ? text.substring(4, text.length() - 1)
            : text;
    int dot = bare.indexOf('.');
    long micros = digits(bare, 0, dot < 0 ? bare.length() : dot, 16);
    long logical = dot < 0 ? 0 : digits(bare, dot + 1, bare.length(), 4);
    if (micros < 0 || logical < 0) {
      throw new IllegalArgumentException(
          "not an HLC timestamp <micros>.<logical>: " + abbreviate(text));
    }
    return pack(micros, (int) logical);
  }

  /** The number in a part of the text, -1 if it is not one of 1 to {@code maxLength} digits. */
  private static long digits(String text, int from, int to, int maxLength) {
    if (from == to || to - from > maxLength) {
      return -1;
    }
    long number = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = 10 * number + digit;
    }
    return number;
  }

  private static String abbreviate(String text) {
    return text.length() <= 60 ? text : text.substring(0, 60) + "...";
  }

  /** The stamp with these parts; see {@link #pack(long, int)}. */
  public static HlcTimestamp of(long micros, int logical) {
    return new HlcTimestamp(pack(micros, logical));
  }

  /** The physical part, in microseconds since the Unix epoch. */
  public long micros() {
    return micros(packed);
  }

  /** The logical part, 0 to {@link #MAX_LOGICAL}. */
  public int logical() {
    return logical(packed);
  }

  /** The physical part as an instant. */
  public Instant toInstant() {
    return Instant.EPOCH.plus(micros(), ChronoUnit.MICROS);
  }

  @Override
  public int compareTo(HlcTimestamp other) {
    return Long.compare(packed, other.packed);
  }

  /** The RQL literal {@code hlc'<micros>.<logical>'}. */
  @Override
  public String toString() {
    return "hlc'" + text(packed) + "'";
  }
}
