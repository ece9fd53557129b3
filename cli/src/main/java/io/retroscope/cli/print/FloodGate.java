// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.print;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A rate limit for log messages of one kind: after the limit is reached, further messages in the
 * same minute are omitted, and their number is reported with the next message. Thread-safe.
 */
final class FloodGate {
  /** The result for a message that must be omitted. */
  static final long SHUT = -1;

  /** The maximum number of messages of one kind per minute. */
  static final int MAX_PER_MINUTE = 20;

  /** The maximum number of tracked kinds; the oldest one is evicted first. */
  static final int MAX_KINDS = 1_000;

  private static final long MINUTE_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final Map<String, Minute> minutes =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Minute> eldest) {
          return size() > MAX_KINDS;
        }
      };

  private static final class Minute {
    private final long beganMillis;
    private long count;

    Minute(long beganMillis) {
      this.beganMillis = beganMillis;
    }

    long leftOut() {
      return Math.max(0, count - MAX_PER_MINUTE);
    }
  }

  /**
   * Counts a message.
   *
   * @return {@link #SHUT} if it must be omitted; otherwise the number of messages of its kind that
   *     were omitted since the last one
   */
  synchronized long leftOut(String kind, long nowMillis) {
    Minute minute = minutes.computeIfAbsent(kind, unused -> new Minute(nowMillis));
    long leftOut = 0;
    if (Math.abs(nowMillis - minute.beganMillis) >= MINUTE_MILLIS) {
      leftOut = minute.leftOut();
      minute = new Minute(nowMillis);
      minutes.put(kind, minute);
    }
    minute.count++;
    return minute.count > MAX_PER_MINUTE ? SHUT : leftOut;
  }
}
