package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * When each node was heard from, as ranges of stamps within which it was never silent for longer
 * than {@link #MAX_GAP_MICROS} or than it had promised. Thread-safe.
 */
final class Lifetimes {
  /** Sightings no further apart than this belong to one range. */
  static final long MAX_GAP_MICROS = 100_000;

  /** In the place of a promise: what the node promised before still holds. */
  static final long NOTHING_PROMISED = -1;

  private final Map<String, TreeMap<Long, End>> ranges = new HashMap<>();

  /**
   * The end of a range.
   *
   * @param hlc packed, inclusive
   * @param promiseMicros within what time the node promised to be heard from again; 0: it did not
   */
  record End(long hlc, long promiseMicros) {
    /** Whether the range includes a later sighting: the node was not silent in between. */
    boolean reaches(long laterHlc) {
      long allowed = Math.max(MAX_GAP_MICROS, EventSource.assuredMicros(promiseMicros));
      return laterHlc <= hlc || HlcTimestamp.micros(laterHlc) - HlcTimestamp.micros(hlc) <= allowed;
    }

    /** With a promise made earlier, of which is known only now that it assures more. */
    End assuredBy(End earlier) {
      long beyond =
          HlcTimestamp.micros(earlier.hlc)
              + EventSource.assuredMicros(earlier.promiseMicros)
              - HlcTimestamp.micros(hlc);
      return beyond <= EventSource.assuredMicros(promiseMicros)
          ? this
          : new End(hlc, EventSource.promiseMicros(beyond));
    }
  }

  /** A range of stamps; see {@link End}. */
  record Lifetime(HlcRange range, long promiseMicros) {}

  /** What a sighting changed: the range that now holds it, and where swallowed ones began. */
  record Touched(Lifetime lifetime, List<Long> removed) {}

  /** A range that was stored. */
  synchronized void restore(String node, Lifetime lifetime) {
    HlcRange range = lifetime.range();
    ranges
        .computeIfAbsent(node, name -> new TreeMap<>())
        .put(range.from(), new End(range.to(), lifetime.promiseMicros()));
  }

  /**
   * Notes that the node was heard from, without a long silence, from one stamp to another.
   *
   * @param promiseMicros what the node promised at the last of these; 0 if that it does not say so
   *     any more, or {@link #NOTHING_PROMISED}
   */
  synchronized Touched touch(String node, long firstHlc, long lastHlc, long promiseMicros) {
    TreeMap<Long, End> own = ranges.computeIfAbsent(node, name -> new TreeMap<>());
    long from = firstHlc;
    End end = new End(lastHlc, Math.max(0, promiseMicros));
    Map.Entry<Long, End> before = own.floorEntry(firstHlc);
    if (before != null && before.getValue().reaches(firstHlc)) {
      from = before.getKey();
      end = later(before.getValue(), lastHlc, promiseMicros);
    }
    List<Long> removed = new ArrayList<>();
    for (Map.Entry<Long, End> after = own.higherEntry(from);
        after != null && end.reaches(after.getKey());
        after = own.higherEntry(from)) {
      removed.add(after.getKey());
      end = after.getValue().hlc() >= end.hlc() ? after.getValue().assuredBy(end) : end;
      own.remove(after.getKey());
    }
    own.put(from, end);
    return new Touched(new Lifetime(new HlcRange(from, end.hlc()), end.promiseMicros()), removed);
  }

  private static End later(End before, long lastHlc, long promiseMicros) {
    if (lastHlc < before.hlc()) {
      return before.assuredBy(new End(lastHlc, Math.max(0, promiseMicros)));
    }
    return new End(
        lastHlc, promiseMicros == NOTHING_PROMISED ? before.promiseMicros() : promiseMicros);
  }

  /** All ranges as they are now, those of each node ascending. */
  synchronized Map<String, List<Lifetime>> snapshot() {
    Map<String, List<Lifetime>> copy = new HashMap<>();
    ranges.forEach(
        (node, own) -> {
          List<Lifetime> list = new ArrayList<>(own.size());
          own.forEach(
              (from, end) ->
                  list.add(new Lifetime(new HlcRange(from, end.hlc()), end.promiseMicros())));
          copy.put(node, list);
        });
    return copy;
  }
}
