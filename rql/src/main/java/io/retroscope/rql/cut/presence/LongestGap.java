// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.presence;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Presence.Stay;
import java.util.Iterator;

/**
 * The longest gap between the ranges of one node, up to one of them. Each range is read once,
 * unless the ranges read before have changed. Used by one thread.
 */
final class LongestGap {
  /*
   * HAZARD: late events may close a gap that was read before, which then counts until the range
   * that was read last changes its start.
   */
  private boolean begun;
  private long readFrom;
  private long readTo;
  private long longest;
  private int sightings;

  /** The limit of the node's silence after a range, which must not be before an earlier one. */
  long limit(SilenceLimits limits, Presence presence, Stay last) {
    if (begun
        && presence.latest(readFrom).map(Stay::from).orElse(HlcTimestamp.MIN_PACKED) != readFrom) {
      begun = false;
    }
    if (!begun) {
      readFrom = HlcTimestamp.MIN_PACKED;
      longest = 0;
      sightings = 0;
    }
    Iterator<Stay> stays = presence.from(readFrom);
    boolean continues = true;
    while (continues && stays.hasNext()) {
      continues = read(stays.next(), last.from());
    }
    return limits.unpromised(longest, sightings);
  }

  private boolean read(Stay next, long until) {
    if (next.from() > until) {
      return false;
    }
    boolean isKnown = begun && next.from() == readFrom;
    if (!isKnown) {
      longest = begun ? Math.max(longest, micros(readTo, next.from())) : 0;
      sightings = atMostThree(sightings + 1);
    }
    boolean isMore = next.from() < next.to() && !(isKnown && readFrom < readTo);
    sightings = atMostThree(sightings + (isMore ? 1 : 0));
    begun = true;
    readFrom = next.from();
    readTo = next.to();
    return true;
  }

  private static int atMostThree(int count) {
    return Math.min(count, 3);
  }

  private static long micros(long from, long to) {
    return HlcTimestamp.micros(to) - HlcTimestamp.micros(from);
  }
}
