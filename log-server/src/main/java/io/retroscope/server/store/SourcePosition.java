package io.retroscope.server.store;

/**
 * How far a source of submissions that can be read again has been read: stored together with what
 * was read, so that after a crash nothing is missing and nothing is read twice for nothing.
 *
 * @param source names the source, 1 to {@value #MAX_SOURCE_LENGTH} characters
 * @param next the position of what is to be read next
 * @param epoch of the source's history in which that position was reached, -1 if it tells none
 */
public record SourcePosition(String source, long next, int epoch) {
  /** How long a source's name may be. */
  public static final int MAX_SOURCE_LENGTH = 1_000;

  /** Checks the ranges. */
  public SourcePosition {
    if (source.isEmpty() || source.length() > MAX_SOURCE_LENGTH || next < 0 || epoch < -1) {
      throw new IllegalArgumentException(
          "position %d, epoch %d, of source \"%s\"".formatted(next, epoch, source));
    }
  }
}
