// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBlock;
import io.retroscope.server.health.Health;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.store.StoreListener;
import io.retroscope.server.store.run.Incarnation;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The lag of live queries relative to the most advanced node. It is measured in stamps, so that old
 * recordings may arrive at any time. Thread-safe.
 */
final class WatermarkLag implements Health.Check, StoreListener {
  /** The largest lag of a healthy server. */
  static final long MAX_LAG_MICROS = TimeUnit.MINUTES.toMicros(1);

  private final WatermarkTracker watermarks;
  private final PhysicalClock clock;
  private long highest = HlcTimestamp.MIN_PACKED;

  WatermarkLag(WatermarkTracker watermarks, PhysicalClock clock) {
    this.watermarks = watermarks;
    this.clock = clock;
  }

  @Override
  public void stored(EventBlock block) {}

  @Override
  public synchronized void heard(Collection<Incarnation> incarnations) {
    for (Incarnation incarnation : incarnations) {
      highest = Math.max(highest, incarnation.frontier());
    }
  }

  @Override
  public synchronized Optional<String> trouble() {
    long watermark = watermarks.current().hlc();
    boolean isUnknown = watermark == HlcTimestamp.MIN_PACKED || highest == HlcTimestamp.MIN_PACKED;
    if (isUnknown || watermarks.isAwaitingKnown()) {
      return Optional.empty();
    }
    long lag =
        Math.min(HlcTimestamp.micros(highest), clock.micros()) - HlcTimestamp.micros(watermark);
    return lag <= MAX_LAG_MICROS
        ? Optional.empty()
        : Optional.of(
            "live queries are %d s late: a node makes no progress, see /v1/nodes"
                .formatted(TimeUnit.MICROSECONDS.toSeconds(lag)));
  }
}
