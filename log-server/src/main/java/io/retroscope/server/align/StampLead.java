// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.Map;
import java.util.TreeMap;

/**
 * The lead of stamps over the readings that they were made with, over time. It bounds how wrong a
 * stamp may be about its instant. Not thread-safe.
 */
final class StampLead {
  /*
   * Instants are expressed by the stamps' physical parts. A node that has not heard from the
   * highest clock for a while stamps with its own lower readings, and after a fast clock is set
   * back no stamp advances. The greatest lead bounds the effect of either, and evidence ages by
   * that additional amount.
   */

  /** The largest lead that is considered; stamps further ahead are refused by default. */
  static final double MAX_LEAD_MICROS = 60e6;

  private static final long BUCKET_MICROS = 10_000_000;
  private static final int MAX_BUCKETS = 8_192;

  private final TreeMap<Long, Double> leadsMicros = new TreeMap<>();
  private long bucket = Long.MIN_VALUE;
  private double mostMicros;
  private double recentMicros;

  void add(double leadMicros, double timeMicros) {
    long at = (long) Math.floor(timeMicros / BUCKET_MICROS);
    if (at == bucket && leadMicros <= mostMicros) {
      return;
    }
    mostMicros =
        leadsMicros.merge(at, Math.max(0, Math.min(leadMicros, MAX_LEAD_MICROS)), Math::max);
    bucket = at;
    recentMicros = mostMicros(at);
    if (leadsMicros.size() > MAX_BUCKETS) {
      leadsMicros.pollFirstEntry();
    }
  }

  /** The greatest lead around an instant, 0 or more. */
  double aroundMicros(double instantMicros) {
    long at = (long) Math.floor(instantMicros / BUCKET_MICROS);
    if (at == bucket) {
      return recentMicros;
    }
    if (leadsMicros.isEmpty()) {
      return 0;
    }
    double aroundMicros = mostMicros(at);
    Map.Entry<Long, Double> last = leadsMicros.floorEntry(at);
    return Math.max(
        aroundMicros, last == null ? leadsMicros.firstEntry().getValue() : last.getValue());
  }

  private double mostMicros(long at) {
    double mostMicros = 0;
    for (double leadMicros : leadsMicros.subMap(at - 1, true, at + 1, true).values()) {
      mostMicros = Math.max(mostMicros, leadMicros);
    }
    return mostMicros;
  }
}
