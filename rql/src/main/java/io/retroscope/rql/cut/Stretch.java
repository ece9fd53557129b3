package io.retroscope.rql.cut;

/**
 * Consecutive writes at which every cut is examined at once. The writes of one stamp make one cut,
 * at the last of them, but each write counts as a place. Used by one thread.
 */
public final class Stretch {
  private long number;
  private int size;

  /** Begins another stretch, so that nothing is valid that was found for the one before. */
  void begin(int places) {
    number++;
    size = places;
  }

  /** A number that only the present stretch has. */
  long number() {
    return number;
  }

  /** The number of places. */
  public int size() {
    return size;
  }
}
