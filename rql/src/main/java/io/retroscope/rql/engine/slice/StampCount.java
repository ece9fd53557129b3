// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

/** The number of stamps of a walk, which says when its progress is due. Used by one thread. */
public final class StampCount {
  private static final int STAMPS_BETWEEN_REPORTS = 16_384;

  private long stamps;

  /** Adds stamps; returns whether to report the progress. */
  public boolean add(long more) {
    long before = stamps;
    stamps += more;
    return stamps / STAMPS_BETWEEN_REPORTS > before / STAMPS_BETWEEN_REPORTS;
  }
}
