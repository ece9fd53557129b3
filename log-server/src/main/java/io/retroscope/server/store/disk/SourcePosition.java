// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

/**
 * The position up to which a repeatable source of submissions has been read. It is stored together
 * with the submissions, so that after a crash nothing is missing and nothing is read twice
 * unnecessarily.
 *
 * @param source names the source, 1 to {@value #MAX_SOURCE_LENGTH} characters
 * @param next the position of the next item to read
 * @param epoch the epoch of the source's history in which that position was reached, -1 if the
 *     source has none
 */
public record SourcePosition(String source, long next, int epoch) {
  /** The largest length of a source's name. */
  public static final int MAX_SOURCE_LENGTH = 1_000;

  /** Checks the ranges. */
  public SourcePosition {
    if (source.isEmpty() || source.length() > MAX_SOURCE_LENGTH || next < 0 || epoch < -1) {
      throw new IllegalArgumentException(
          "position %d, epoch %d, of source \"%s\"".formatted(next, epoch, source));
    }
  }
}
