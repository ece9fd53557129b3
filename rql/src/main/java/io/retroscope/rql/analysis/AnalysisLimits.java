// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

/**
 * The limits that a query is checked against before it runs.
 *
 * @param maxBoundNames names that quantifiers bind at once; each multiplies the work of a cut by
 *     the size of its collection
 * @param maxItems columns of a result, after {@code *} is expanded
 */
public record AnalysisLimits(int maxBoundNames, int maxItems) {
  /** The defaults. */
  public static final AnalysisLimits DEFAULT = new AnalysisLimits(8, 2_000);

  /** Checks that each is positive. */
  public AnalysisLimits {
    if (maxBoundNames <= 0 || maxItems <= 0) {
      throw new IllegalArgumentException(
          "limits must be positive: " + maxBoundNames + ", " + maxItems);
    }
  }
}
