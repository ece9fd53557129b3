// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

/**
 * The limits of what an outer query holds until its inner query ends.
 *
 * @param maxRows rows, groups and distinct values
 * @param maxBytes their estimated size in bytes
 */
public record OuterLimits(int maxRows, long maxBytes) {
  /** The defaults: a million rows and 256 MB. */
  public static final OuterLimits DEFAULT = new OuterLimits(1_000_000, 256L << 20);

  /** Checks that each is positive. */
  public OuterLimits {
    if (maxRows <= 0 || maxBytes <= 0) {
      throw new IllegalArgumentException(
          "limits must be positive: maxRows=" + maxRows + " maxBytes=" + maxBytes);
    }
  }
}
