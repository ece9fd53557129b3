// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.engine.Present;
import io.retroscope.server.live.WatermarkTracker;

/** The present of a server: its clock and its watermark. Thread-safe. */
record ServerPresent(PhysicalClock clock, WatermarkTracker watermarks) implements Present {
  @Override
  public long nowMicros() {
    return clock.micros();
  }

  @Override
  public long completeHlc() {
    // Acknowledged events count at once, not only from the next tick on.
    long watermark = watermarks.advance().hlc();
    return watermarks.countingNodeCount() == 0 ? HlcTimestamp.MAX_PACKED : watermark;
  }
}
