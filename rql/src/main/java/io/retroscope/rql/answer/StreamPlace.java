// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.answer;

import io.retroscope.clock.HlcTimestamp;

/**
 * A place in the emission of a STREAM at which it can be resumed so that no row is lost or
 * repeated. Rows come in the order of the stamps at which they are found, which is not the order of
 * their own stamps: an interval is found at its end.
 *
 * @param start packed; a walk that begins here finds all rows above {@code from} unchanged
 * @param hlc packed; all rows found at lower stamps have been sent
 * @param count how many of the rows found at the stamp itself have been sent
 * @param from packed, at most {@code hlc}; the digest is of the rows found above this stamp
 * @param digest of the rows that were sent and not retracted: a walk that finds others shows that
 *     events came late meanwhile
 * @param arrivals a number of the server for the late events that are taken into account; 0 if it
 *     has none
 * @param row the digest of the last row that was sent, by which it is named if it is retracted; 0
 *     at other places
 */
public record StreamPlace(
    long start, long hlc, int count, long from, long digest, long arrivals, long row) {
  /** The count of a place after all rows found at its stamp. */
  public static final int ALL = Integer.MAX_VALUE;

  private static final int HEX = 16;

  /** Creates a place that remembers no rows. */
  public StreamPlace(long start, long hlc, int count) {
    this(start, hlc, count, hlc, 0, 0, 0);
  }

  /** Returns whether a row has been sent already. */
  public boolean isPast(long foundHlc, int number) {
    return foundHlc < hlc || (foundHlc == hlc && number <= count);
  }

  /** Whether it remembers which rows have been sent. */
  public boolean remembers() {
    return from < hlc;
  }

  /**
   * The text {@code <start>/<stamp>/<count>/<from>/<digest>/<arrivals>/<row>}, as {@link #parse}
   * reads it; without what follows the count if the place has none of it.
   */
  public String text() {
    String text = HlcTimestamp.text(start) + "/" + HlcTimestamp.text(hlc) + "/" + count;
    return from == hlc && digest == 0 && arrivals == 0 && row == 0
        ? text
        : String.join(
            "/",
            text,
            HlcTimestamp.text(from),
            Long.toHexString(digest),
            Long.toHexString(arrivals),
            rowText(row));
  }

  /**
   * Reads the digest of a row.
   *
   * @throws IllegalArgumentException if the text is none
   */
  public static long rowOf(String text) {
    return Long.parseUnsignedLong(text, HEX);
  }

  /** The text of a row's digest. */
  public static String rowText(long row) {
    return Long.toHexString(row);
  }

  /**
   * Reads a place, also one with the first three parts only.
   *
   * @throws IllegalArgumentException if the text is not a place
   */
  public static StreamPlace parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 3 && parts.length != 7) {
      throw new IllegalArgumentException(
          "not <start>/<stamp>/<count>/<from>/<digest>/<arrivals>/<row>: " + text);
    }
    StreamPlace place =
        new StreamPlace(
            HlcTimestamp.parse(parts[0]), HlcTimestamp.parse(parts[1]), Integer.parseInt(parts[2]));
    return parts.length == 3
        ? place
        : new StreamPlace(
            place.start,
            place.hlc,
            place.count,
            HlcTimestamp.parse(parts[3]),
            Long.parseUnsignedLong(parts[4], HEX),
            Long.parseUnsignedLong(parts[5], HEX),
            rowOf(parts[6]));
  }
}
