// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

/**
 * The limits of the text that the parser accepts. Beyond a limit it reports an error; it never
 * exhausts the stack.
 *
 * @param maxCharacters of the whole text, in UTF-16 units
 * @param maxNesting of parentheses, braces and prefix operators inside each other
 * @param maxDepth of a tree of operators, so that it can be traversed recursively
 */
public record ParseLimits(int maxCharacters, int maxNesting, int maxDepth) {
  /**
   * Defaults that suffice for hand-written queries and are safe on Java's usual stack of 1 MiB per
   * thread. On a smaller stack, the engine ends an expression that is too deep with an error.
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
