// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.store.run.Incarnation;
import java.util.concurrent.TimeUnit;

/** The watermark's state of one run of a node. Guarded by its tracker. */
final class Lane {
  /** The time for which an active run without progress holds the watermark. */
  static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** The shortest time without progress after which a run that holds the watermark is overdue. */
  static final long OVERDUE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The effect of a run on the watermark. */
  enum Standing {
    /** Does not hold the watermark, and nothing more is expected from it. */
    ENDED,
    /** Silent, or without progress, for too long. */
    SILENT,
    /** Active, with a frontier below the watermark. */
    BEHIND,
    /** As {@link #BEHIND}, but so close and advancing that the watermark waits. */
    CATCHING_UP,
    /** Holds the watermark, which does not pass its frontier. */
    COUNTS;

    boolean isHeard() {
      return this == BEHIND || this == CATCHING_UP || this == COUNTS;
    }
  }

  final NodeLanes node;
  Incarnation incarnation;
  long lastHeardNanos;
  long lastMovedNanos;
  Standing standing = Standing.SILENT;

  /**
   * The lead of its frontier over the server's clock when it last advanced; negative if it lags.
   */
  long leadMicros;

  /** Whether it was known at the start of the server and has sent nothing since. */
  boolean awaited;

  /** Whether it has sent anything since it was last examined. */
  boolean changed;

  /** Whether the tracker has dropped it. */
  boolean forgotten;

  /** Whether it is queued in {@link Frontiers}. */
  boolean queued;

  /** Its earliest entry in {@link Deadlines}. */
  long dueNanos = Deadlines.NEVER;

  long gapSinceNanos;
  boolean gapReported;

  Lane(NodeLanes node, Incarnation incarnation, long now) {
    this.node = node;
    this.incarnation = incarnation;
    this.lastHeardNanos = now;
    this.lastMovedNanos = now;
    this.gapSinceNanos = now;
  }

  long frontier() {
    return incarnation.frontier();
  }

  /** The silence that is allowed: the run's own promise may be longer than the idle timeout. */
  long patienceNanos(long idleNanos) {
    return Math.max(idleNanos, TimeUnit.MICROSECONDS.toNanos(incarnation.assuredMicros()));
  }

  boolean isStuck(long complete, long idleNanos) {
    return complete - lastMovedNanos > stuckAfterNanos(idleNanos);
  }

  /** Whether its first gap has been open for as long as an active run may be without progress. */
  boolean isMissingFor(long complete, long idleNanos) {
    return complete - gapSinceNanos > stuckAfterNanos(idleNanos);
  }

  /**
   * Whether it holds the watermark for longer than a run does that keeps its promises: heartbeats
   * come at least every third of the silence that they allow. A run that may be silent only briefly
   * is soon left out.
   */
  boolean isOverdue(long complete, long idleNanos) {
    long allowed = Math.max(OVERDUE_NANOS, patienceNanos(idleNanos) / 2);
    return awaited || complete - lastMovedNanos > allowed;
  }

  /** What of its events is not known. */
  Incompleteness unheard() {
    long gaps = incarnation.gapCount();
    return gaps > 0
        ? new Incompleteness.MissingBlocks(node.name, frontier(), gaps)
        : new Incompleteness.Silent(node.name, frontier());
  }

  private long stuckAfterNanos(long idleNanos) {
    return Math.max(patienceNanos(idleNanos), STUCK_NANOS);
  }

  /**
   * Its effect on a watermark.
   *
   * @param complete the instant up to which everything that was sent has been read
   */
  Standing standing(long watermark, long complete, long idleNanos) {
    if (node.isEnded(this)) {
      return Standing.ENDED;
    }
    long patience = patienceNanos(idleNanos);
    if (complete - lastHeardNanos > patience || isStuck(complete, idleNanos)) {
      return Standing.SILENT;
    }
    if (standing == Standing.COUNTS || frontier() >= watermark) {
      return Standing.COUNTS;
    }
    boolean close =
        frontier() != EventBlock.NO_HEARTBEAT
            && HlcTimestamp.micros(watermark) - HlcTimestamp.micros(frontier())
                <= TimeUnit.NANOSECONDS.toMicros(patience);
    return close && complete - lastMovedNanos <= patience ? Standing.CATCHING_UP : Standing.BEHIND;
  }

  /** The latest time at which {@link #standing} changes if it sends nothing. */
  long deadlineNanos(long idleNanos) {
    long patience = patienceNanos(idleNanos);
    long silent = Math.min(lastHeardNanos + patience, lastMovedNanos + stuckAfterNanos(idleNanos));
    return 1
        + (standing == Standing.CATCHING_UP ? Math.min(silent, lastMovedNanos + patience) : silent);
  }
}
