// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

/**
 * The limits of POSSIBLY and DEFINITELY, beyond which the answer is undecided.
 *
 * @param maxCuts the number of cuts of the lattice that are visited
 * @param maxBytes the estimated size of the events, the messages and the visited cuts in memory, in
 *     bytes
 */
public record LatticeLimits(long maxCuts, long maxBytes) {
  /** The defaults: a million cuts and 64 MB. */
  public static final LatticeLimits DEFAULT = new LatticeLimits(1_000_000, 64L << 20);

  /** Checks that each is positive. */
  public LatticeLimits {
    if (maxCuts <= 0 || maxBytes <= 0) {
      throw new IllegalArgumentException(
          "limits must be positive: maxCuts=" + maxCuts + " maxBytes=" + maxBytes);
    }
  }
}
