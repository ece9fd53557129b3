package io.retroscope.rql.cut;

/** Hears of the cuts of a walk, in order. Called by one thread. */
public interface CutListener {
  /**
   * The state at the start of the range, where no followed variable is written there.
   *
   * @return whether the walk goes on
   */
  boolean start(long hlc);

  /**
   * A cut: a followed variable was written or unset at this stamp.
   *
   * @return whether the walk goes on
   */
  boolean cut(long hlc);

  /**
   * Nothing below the stamp is still to come.
   *
   * @return whether the walk goes on
   */
  boolean reached(long hlc);

  /** Whether nobody waits for the cuts any more. */
  boolean isCancelled();

  /** Something that a reader of the result must know. */
  void warning(String message);
}
