package io.retroscope.rql.cut;

/**
 * A predicate over LONGs, evaluated without objects in the present state: exactly, or not at all.
 * Used by one thread.
 *
 * <p>A walk passes over a cut without its listener if the rule shows that the predicate is not TRUE
 * there and cannot fail. {@link #UNKNOWN} is therefore always right.
 */
public interface QuietRule {
  /** The predicate is FALSE. */
  int FALSE = 0;

  /** The predicate is NULL. */
  int NULL = 1;

  /** The predicate is TRUE. */
  int TRUE = 2;

  /** The predicate has to be evaluated, and may fail. */
  int UNKNOWN = 3;

  /** Returns one of the constants. */
  int truth();

  /** Returns whether the predicate is surely not TRUE, and cannot fail. */
  default boolean isQuiet() {
    return truth() < TRUE;
  }
}
