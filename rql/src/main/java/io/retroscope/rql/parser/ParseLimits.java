package io.retroscope.rql.parser;

/**
 * How large a text the parser takes on. Beyond a limit it reports an error; it never runs out of
 * stack.
 *
 * @param maxCharacters of the whole text, in UTF-16 units
 * @param maxNesting of parentheses, braces and prefix operators inside each other
 * @param maxDepth of a tree of operators, so that whoever walks it may do so recursively
 */
public record ParseLimits(int maxCharacters, int maxNesting, int maxDepth) {
  /**
   * Generous for people, and safe on the stack of 1 MiB that Java gives a thread. On a smaller one,
   * the engine ends what is too deep for it with an error.
   */
  public static final ParseLimits DEFAULT = new ParseLimits(100_000, 100, 500);

  /** Checks that each is positive. */
  public ParseLimits {
    if (maxCharacters <= 0 || maxNesting <= 0 || maxDepth <= 0) {
      throw new IllegalArgumentException(
          "limits must be positive: " + maxCharacters + ", " + maxNesting + ", " + maxDepth);
    }
  }
}
