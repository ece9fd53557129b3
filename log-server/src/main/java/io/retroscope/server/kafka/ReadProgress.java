// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.live.Inflow;

/**
 * How far one partition has been read, stored and published. Not thread-safe.
 *
 * <p>The end of the partition is queried periodically. Once everything up to an end is stored, the
 * partition is complete as of the instant before that query.
 */
public final class ReadProgress {
  private long next;
  private long end;
  private long targetEnd;
  private long targetNanos = Inflow.NEVER;
  private long completeNanos;

  /**
   * A partition that is read from an offset on.
   *
   * @param completeNanos the instant as of which it is complete; {@link Inflow#NEVER} if none is
   *     known
   */
  public ReadProgress(long next, long completeNanos) {
    this.next = next;
    this.completeNanos = completeNanos;
  }

  /** Notes the partition's end, which was queried after an instant. */
  public void ends(long end, long queriedNanos) {
    this.end = end;
    if (next >= end) {
      completeNanos = Math.max(completeNanos, queriedNanos);
      targetNanos = Inflow.NEVER;
    } else if (targetNanos == Inflow.NEVER) {
      targetEnd = end;
      targetNanos = queriedNanos;
    }
  }

  /** Notes that everything before an offset is stored and published. */
  public void stored(long next) {
    this.next = next;
    if (targetNanos != Inflow.NEVER && next >= targetEnd) {
      completeNanos = Math.max(completeNanos, targetNanos);
      targetNanos = Inflow.NEVER;
    }
  }

  /** The offset before which everything is stored. */
  public long next() {
    return next;
  }

  /** The known number of unread records. */
  long lagCount() {
    return Math.max(0, end - next);
  }

  /** The instant as of which everything is stored and published. */
  public long completeNanos() {
    return completeNanos;
  }
}
