// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/** All sources in which events may wait. Guarded by their tracker, except for {@link #add}. */
final class Inflows {
  private final long startNanos;
  private final long idleNanos;
  private final List<Inflow> all = new CopyOnWriteArrayList<>();

  /** The time since when an inflow lags; empty while none does. */
  private OptionalLong behindSinceNanos = OptionalLong.empty();

  Inflows(long startNanos, long idleNanos) {
    this.startNanos = startNanos;
    this.idleNanos = idleNanos;
  }

  void add(Inflow inflow) {
    all.add(inflow);
  }

  /** Packed: all unread events are above this stamp. */
  long bound() {
    return all.stream().mapToLong(Inflow::bound).min().orElse(HlcTimestamp.MAX_PACKED);
  }

  /** The sentences about those that hold the watermark. */
  List<String> holding() {
    return all.stream().flatMap(inflow -> inflow.holding().stream()).toList();
  }

  /** The instant up to which everything that was sent has been read. */
  long completeAsOf(long now) {
    long complete = now;
    for (Inflow inflow : all) {
      complete = Math.min(complete, Math.max(startNanos, inflow.completeAsOfNanos()));
    }
    return complete;
  }

  /**
   * The time for which reading lagged, if it has stopped lagging since the last call; otherwise 0.
   */
  long blockedNanos(long now, long complete) {
    long blocked = 0;
    if (now - complete > idleNanos) {
      behindSinceNanos = OptionalLong.of(behindSinceNanos.orElse(complete));
    } else if (behindSinceNanos.isPresent()) {
      blocked = now - behindSinceNanos.getAsLong();
      behindSinceNanos = OptionalLong.empty();
    }
    return blocked;
  }
}
