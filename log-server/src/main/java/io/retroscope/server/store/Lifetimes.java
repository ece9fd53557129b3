package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * When each node was heard from, as ranges of stamps within which it was never silent for longer
 * than {@link #MAX_GAP_MICROS}. Thread-safe.
 */
final class Lifetimes {
  /** Sightings no further apart than this belong to one range. */
  static final long MAX_GAP_MICROS = 100_000;

  private final Map<String, TreeMap<Long, Long>> ranges = new HashMap<>();

  /** What a sighting changed: the range that now holds it, and where swallowed ones began. */
  record Touched(HlcRange range, List<Long> removed) {}

  /** A range that was stored. */
  synchronized void restore(String node, HlcRange range) {
    ranges.computeIfAbsent(node, name -> new TreeMap<>()).put(range.from(), range.to());
  }

  /** Notes that the node was heard from, without a long silence, from one stamp to another. */
  synchronized Touched touch(String node, long firstHlc, long lastHlc) {
    TreeMap<Long, Long> own = ranges.computeIfAbsent(node, name -> new TreeMap<>());
    long from = firstHlc;
    long to = lastHlc;
    Map.Entry<Long, Long> before = own.floorEntry(firstHlc);
    if (before != null && isNear(before.getValue(), firstHlc)) {
      from = before.getKey();
      to = Math.max(lastHlc, before.getValue());
    }
    List<Long> removed = new ArrayList<>();
    for (Map.Entry<Long, Long> after = own.higherEntry(from);
        after != null && isNear(to, after.getKey());
        after = own.higherEntry(from)) {
      removed.add(after.getKey());
      to = Math.max(to, after.getValue());
      own.remove(after.getKey());
    }
    own.put(from, to);
    return new Touched(new HlcRange(from, to), removed);
  }

  static boolean isNear(long earlier, long later) {
    return later <= earlier
        || HlcTimestamp.micros(later) - HlcTimestamp.micros(earlier) <= MAX_GAP_MICROS;
  }

  /** All ranges as they are now, those of each node ascending. */
  synchronized Map<String, List<HlcRange>> snapshot() {
    Map<String, List<HlcRange>> copy = new HashMap<>();
    ranges.forEach(
        (node, own) -> {
          List<HlcRange> list = new ArrayList<>(own.size());
          own.forEach((from, to) -> list.add(new HlcRange(from, to)));
          copy.put(node, list);
        });
    return copy;
  }
}
