package io.retroscope.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A limit for messages of one kind: after so many within a minute the rest of that minute is left
 * out, and the next one says how many were. Thread-safe.
 */
final class FloodGate {
  /** The answer for a message that is to be left out. */
  static final long SHUT = -1;

  /** Messages of one kind in a minute. */
  static final int MAX_PER_MINUTE = 20;

  /** Kinds that are remembered; the oldest one is forgotten first. */
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
   * @return {@link #SHUT} if it is to be left out; else the number of messages of its kind that
   *     were left out since the last one
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
