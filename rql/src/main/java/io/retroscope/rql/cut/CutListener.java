package io.retroscope.rql.cut;

/** A listener to the cuts of a walk, in order. Called by one thread. */
public interface CutListener {
  /**
   * Receives the state at the start of the range if no followed variable is written there.
   *
   * @return whether the walk continues
   */
  boolean start(long hlc);

  /**
   * Receives a cut: a followed variable was written or unset at this stamp.
   *
   * @return whether the walk continues
   */
  boolean cut(long hlc);

  /**
   * Receives a stamp below which no further cut comes.
   *
   * @return whether the walk continues
   */
  boolean reached(long hlc);

  /** Returns whether the cuts are no longer wanted. */
  boolean isCancelled();

  /** Receives a warning that affects the meaning of the result. */
  void warning(String message);
}
