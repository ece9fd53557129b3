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

  private final TreeMap<Long, Double> leads = new TreeMap<>();
  private long bucket = Long.MIN_VALUE;
  private double most;
  private double recent;

  void add(double leadMicros, double time) {
    long at = (long) Math.floor(time / BUCKET_MICROS);
    if (at == bucket && leadMicros <= most) {
      return;
    }
    most = leads.merge(at, Math.max(0, Math.min(leadMicros, MAX_LEAD_MICROS)), Math::max);
    bucket = at;
    recent = most(at);
    if (leads.size() > MAX_BUCKETS) {
      leads.pollFirstEntry();
    }
  }

  /** The greatest lead around an instant, 0 or more. */
  double around(double instant) {
    long at = (long) Math.floor(instant / BUCKET_MICROS);
    if (at == bucket) {
      return recent;
    }
    if (leads.isEmpty()) {
      return 0;
    }
    double around = most(at);
    Map.Entry<Long, Double> last = leads.floorEntry(at);
    return Math.max(around, last == null ? leads.firstEntry().getValue() : last.getValue());
  }

  private double most(long at) {
    double most = 0;
    for (double lead : leads.subMap(at - 1, true, at + 1, true).values()) {
      most = Math.max(most, lead);
    }
    return most;
  }
}
