package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/** All ways in on which events may wait. Guarded by their tracker, but for {@link #add}. */
final class Inflows {
  private final long startNanos;
  private final long idleNanos;
  private final List<Inflow> all = new CopyOnWriteArrayList<>();

  /** Since when one has been behind; empty while none is. */
  private OptionalLong behindSinceNanos = OptionalLong.empty();

  Inflows(long startNanos, long idleNanos) {
    this.startNanos = startNanos;
    this.idleNanos = idleNanos;
  }

  void add(Inflow inflow) {
    all.add(inflow);
  }

  /** Packed: what is known to wait unread is above it. */
  long bound() {
    return all.stream().mapToLong(Inflow::bound).min().orElse(HlcTimestamp.MAX_PACKED);
  }

  /** Up to when everything that was sent has been read. */
  long completeAsOf(long now) {
    long complete = now;
    for (Inflow inflow : all) {
      complete = Math.min(complete, Math.max(startNanos, inflow.completeAsOfNanos()));
    }
    return complete;
  }

  /** For how long reading was behind, if it no longer is since the last call; else 0. */
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
