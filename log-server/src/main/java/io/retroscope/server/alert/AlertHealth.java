// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.live.WatermarkTracker;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** The words for how far behind the evaluation of alerts is. */
final class AlertHealth {
  private static final long TOLERATED_MICROS = TimeUnit.SECONDS.toMicros(4);

  private AlertHealth() {}

  /**
   * The health of an evaluation that waits for no silent node.
   *
   * @param reachedHlc packed, up to which alerts are evaluated
   * @param nowMicros on the server's clock
   */
  static String of(WatermarkTracker watermarks, long reachedHlc, long nowMicros) {
    if (reachedHlc == HlcTimestamp.MIN_PACKED) {
      return "stalled: no node has sent anything yet";
    }
    long lag = nowMicros - HlcTimestamp.micros(reachedHlc);
    if (lag <= TOLERATED_MICROS) {
      return "ok";
    }
    String behind = "evaluated up to %d s ago".formatted(TimeUnit.MICROSECONDS.toSeconds(lag));
    if (watermarks.heldMicros() > 0) {
      return "stalled: %s, because the clocks of %s are ahead"
          .formatted(behind, String.join(", ", new TreeSet<>(watermarks.holders().keySet())));
    }
    return watermarks.countingNodeCount() == 0
        ? "stalled: no node sends, " + behind
        : "catching up: " + behind;
  }
}
