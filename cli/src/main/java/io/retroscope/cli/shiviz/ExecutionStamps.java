// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The stamps of the entries of one execution, which are requested in causal order. */
final class ExecutionStamps {
  /*
   * A vector clock contains no physical time. Without readings, one step along the longest chain of
   * causes is one millisecond, and entries of the same step are concurrent. With readings, stamps
   * are those of a hybrid logical clock: the highest of the reading, and one more than the stamps
   * of the host's entry before and of all causes. The events of one entry (receives, values, text,
   * sends, in this order) share its microsecond and differ in the logical counter.
   */
  private static final long STEP_MICROS = 1_000;

  private final List<LogEntry> entries;
  private final CausalOrder order;
  private final long startMicros;
  private final boolean hasReadings;
  private final long start;
  private final long[] last;
  private final Map<String, Long> highest = new HashMap<>();
  private long end;

  /**
   * Stamps from a time on, which none precedes.
   *
   * @param startMicros where the stamps before it ended
   * @throws io.retroscope.cli.file.InputException if only some entries have readings
   */
  ExecutionStamps(List<LogEntry> entries, CausalOrder order, long startMicros) {
    this.entries = entries;
    this.order = order;
    this.startMicros = startMicros;
    last = new long[entries.size()];
    hasReadings = entries.stream().anyMatch(entry -> entry.physicalMicros().isPresent());
    long lowest = Long.MAX_VALUE;
    for (LogEntry entry : entries) {
      OptionalLong reading = entry.physicalMicros();
      if (hasReadings && reading.isEmpty()) {
        throw entry.refuse("no pt was found in this event, but other events have one");
      }
      lowest = Math.min(lowest, reading.orElse(startMicros));
    }
    start = HlcTimestamp.pack(Math.max(startMicros, lowest - 1));
    end = hasReadings ? start : stamp(order.lastStep() + 1);
  }

  private long stamp(int step) {
    return HlcTimestamp.pack(startMicros + step * STEP_MICROS);
  }

  /** The first stamp of an entry with so many events. */
  long first(int index, int events) {
    long stamp = hasReadings ? replayed(index) : stamp(order.step(index));
    last[index] = stamp + events - 1;
    if (hasReadings) {
      end = Math.max(end, last[index] + 1);
    }
    return stamp;
  }

  private long replayed(int index) {
    LogEntry entry = entries.get(index);
    long reading = HlcTimestamp.pack(entry.physicalMicros().orElse(0));
    long stamp = Math.max(reading, start + 1);
    for (int cause : order.causes(index)) {
      stamp = Math.max(stamp, last[cause] + 1);
    }
    return stamp;
  }

  /**
   * The reading of an entry, unless a higher one of the host came before: then the stamp's lead is
   * no evidence of another clock.
   */
  long physical(int index) {
    LogEntry entry = entries.get(index);
    OptionalLong reading = entry.physicalMicros();
    if (reading.isEmpty()) {
      return Event.NO_PHYSICAL;
    }
    long before = highest.merge(entry.host(), reading.getAsLong(), Math::max);
    return before > reading.getAsLong() ? Event.NO_PHYSICAL : reading.getAsLong();
  }

  /** A stamp below all. */
  long start() {
    return start;
  }

  /** A stamp above all that were requested. */
  long end() {
    return end;
  }
}
