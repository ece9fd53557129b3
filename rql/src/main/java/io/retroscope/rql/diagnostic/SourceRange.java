// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.diagnostic;

/**
 * A range of a query's text.
 *
 * @param start index of the first character, from 0
 * @param end index after the last character
 */
public record SourceRange(int start, int end) {
  /** Checks the order. */
  public SourceRange {
    if (start < 0 || end < start) {
      throw new IllegalArgumentException("not a range: " + start + ".." + end);
    }
  }

  /** Returns the range from the start of this one to the end of another. */
  public SourceRange to(SourceRange other) {
    return new SourceRange(start, other.end);
  }
}
