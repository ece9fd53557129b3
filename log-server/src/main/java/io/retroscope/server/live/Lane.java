package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.server.store.Incarnation;
import java.util.concurrent.TimeUnit;

/** One run of a node as the watermark sees it. Guarded by its tracker. */
final class Lane {
  /** How long a node may be heard from and not get on, and still holds the watermark. */
  static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** What a run is to the watermark. */
  enum Standing {
    /** It does not hold the watermark, and nothing is expected of it: it has ended. */
    ENDED,
    /** It was silent for too long, or has not got on for too long. */
    SILENT,
    /** It is heard from and below the watermark. */
    BEHIND,
    /** As {@link #BEHIND}, but so close and on its way that the watermark waits. */
    CATCHING_UP,
    /** The watermark does not pass it. */
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

  /** How far its frontier was ahead of the server's clock when it last moved; negative if not. */
  long leadMicros;

  /** Whether it was heard from since it was last looked at. */
  boolean changed;

  /** Whether the tracker has dropped it. */
  boolean forgotten;

  /** Of {@link Frontiers}: whether it waits there. */
  boolean queued;

  /** Of {@link Deadlines}: the earliest that waits there. */
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

  /** How long it may be silent: what it promised itself may be longer than the idle timeout. */
  long patienceNanos(long idleNanos) {
    return Math.max(idleNanos, TimeUnit.MICROSECONDS.toNanos(incarnation.assuredMicros()));
  }

  boolean isStuck(long complete, long idleNanos) {
    return complete - lastMovedNanos > stuckAfterNanos(idleNanos);
  }

  private long stuckAfterNanos(long idleNanos) {
    return Math.max(patienceNanos(idleNanos), STUCK_NANOS);
  }

  /**
   * What it is to a watermark.
   *
   * @param complete up to when everything that was sent has been read
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

  /** When it has another standing at the latest if nothing is heard of it. */
  long deadlineNanos(long idleNanos) {
    long patience = patienceNanos(idleNanos);
    long silent = Math.min(lastHeardNanos + patience, lastMovedNanos + stuckAfterNanos(idleNanos));
    return 1
        + (standing == Standing.CATCHING_UP ? Math.min(silent, lastMovedNanos + patience) : silent);
  }
}
