package io.retroscope.rql.answer;

import io.retroscope.clock.HlcTimestamp;

/**
 * A place in the emission of a STREAM at which it can be resumed so that no row is lost or
 * repeated. Rows come in the order of the stamps at which they are found, which is not the order of
 * their own stamps: an interval is found at its end.
 *
 * @param start packed; a walk that begins here finds all later rows unchanged
 * @param hlc packed; all rows found at lower stamps have been sent
 * @param count how many of the rows found at the stamp itself have been sent
 */
public record StreamPlace(long start, long hlc, int count) {
  /** Returns whether a row has been sent already. */
  public boolean isPast(long foundHlc, int number) {
    return foundHlc < hlc || (foundHlc == hlc && number <= count);
  }

  /** The text {@code <start>/<stamp>/<count>}, as {@link #parse} reads it. */
  public String text() {
    return HlcTimestamp.text(start) + "/" + HlcTimestamp.text(hlc) + "/" + count;
  }

  /**
   * Reads a place.
   *
   * @throws IllegalArgumentException if the text is not a place
   */
  public static StreamPlace parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("not <start>/<stamp>/<count>: " + text);
    }
    return new StreamPlace(
        HlcTimestamp.parse(parts[0]), HlcTimestamp.parse(parts[1]), Integer.parseInt(parts[2]));
  }
}
