// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import java.util.concurrent.TimeUnit;

/**
 * The limits of what a STREAM remembers of its rows, so that it can send what an event changes that
 * comes late.
 *
 * @param boundMicros how long after the rows at its stamp an event may come without loss
 * @param maxShownBytes of heap for the rows of one stream; with more rows the bound is shorter
 */
public record LateLimits(long boundMicros, long maxShownBytes) {
  /** A minute, and rows for two MiB. */
  public static final LateLimits DEFAULT = new LateLimits(TimeUnit.MINUTES.toMicros(1), 2 << 20);

  /** The number of streams that may each remember as much as one. */
  private static final int FULL_STREAMS = 64;

  /** The bytes for the rows of one of several streams: many share what some may have each. */
  public long shownBytes(int streams) {
    return Math.min(maxShownBytes, FULL_STREAMS * maxShownBytes / Math.max(1, streams));
  }

  /** Checks that every limit is positive. */
  public LateLimits {
    if (boundMicros <= 0 || maxShownBytes <= 0) {
      throw new IllegalArgumentException(
          "limits must be positive: boundMicros=%d maxShownBytes=%d"
              .formatted(boundMicros, maxShownBytes));
    }
  }
}
