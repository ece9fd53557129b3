// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The events of some nodes that matter to {@link ClockAlignment}, in bounded memory: those of all
 * nodes together, from several such objects, align the clocks of all. Events of a node come in the
 * order of their stamps, apart from some that are late. Thread-safe.
 */
public final class ClockEvidence {
  /*
   * Of a slice of time, the first and the last event of a node matter, the one whose stamp is
   * furthest ahead of the reading, the two events around a fall of the readings and around the next
   * stamp that is a reading again, and the ends of messages.
   *
   * The newest of these are in the first level. If a level is full, its oldest event goes to the
   * next one, whose slices are twice as long, and which has half of the message identities: so each
   * level reaches about twice as far back. An identity is chosen by its hash, so that both ends of
   * a message are chosen, or neither, in whatever object they are.
   *
   * HAZARD: an event whose stamp is no reading of a clock must not be left out, because the stamps
   * after it would become evidence.
   */

  /** The length of a slice in the first level, which continues a span of readings. */
  private static final long SLICE_MICROS = 100_000;

  /** A smaller lead of a stamp, and a smaller fall of readings, is normal. */
  private static final long LEAST_MICROS = ReadingParts.LEAST_STEP_MICROS;

  private static final int LEVELS = 32;
  private static final int EVENTS_OF_LEVEL = 2_048;
  private static final int HASH_FACTOR = 0x9E3779B9;

  /** The body of events of which only the stamp and the reading matter. */
  private static final EventBody READING = new EventBody.Stop();

  private final int eventsOfLevel;
  private final List<Level> levels = new ArrayList<>();
  private long version;
  private long sampledHlc = HlcTimestamp.MIN_PACKED;

  /** The evidence of no events. */
  public ClockEvidence() {
    this(EVENTS_OF_LEVEL);
  }

  /** Evidence with a number of events in each level, 1 or more. */
  ClockEvidence(int eventsOfLevel) {
    this.eventsOfLevel = eventsOfLevel;
    levels.add(new Level(0));
  }

  /** Adds all events of a block. */
  public synchronized void add(EventBlock block) {
    Level newest = levels.get(0);
    List<Level.Track> tracks = block.nodes().stream().map(newest::track).toList();
    for (int row = 0; row < block.size(); row++) {
      EventKind kind = block.kind(row);
      boolean isUsed =
          kind == EventKind.START || kind == EventKind.SEND || kind == EventKind.RECEIVE;
      newest.add(
          tracks.get(block.nodeIndex(row)),
          block.hlc(row),
          block.physicalMicros(row),
          block.isMarked(row, EventMark.UNORDERED),
          isUsed ? block.body(row) : READING);
    }
  }

  /** Adds an event. */
  public synchronized void add(Event event) {
    levels.get(0).add(event);
  }

  /**
   * The events that matter, ordered by stamp, those with equal stamps by node. They have no log,
   * and those that are neither starts nor ends of messages have the body of a stop.
   */
  public synchronized List<Event> events() {
    return levels.stream()
        .flatMap(Level::events)
        .sorted(Comparator.comparingLong(Event::hlc).thenComparing(Event::node))
        .distinct()
        .toList();
  }

  /** A number that changes with each event that changes {@link #events}. */
  public synchronized long version() {
    return version;
  }

  /**
   * The last stamp of an end of a message that is left out, packed; {@link HlcTimestamp#MIN_PACKED}
   * if there is none.
   */
  public synchronized long sampledHlc() {
    return sampledHlc;
  }

  /** Events of about the same age. Guarded by the evidence. */
  private final class Level {
    private final int number;
    private final Map<String, Track> tracks = new HashMap<>();
    private final Deque<Event> kept = new ArrayDeque<>();

    Level(int number) {
      this.number = number;
    }

    Track track(String node) {
      return tracks.computeIfAbsent(node, Track::new);
    }

    void add(Event event) {
      add(
          track(event.node()),
          event.hlc(),
          event.physicalMicros(),
          event.marks().contains(EventMark.UNORDERED),
          event.body());
    }

    void add(Track track, long hlc, long readingMicros, boolean isUnordered, EventBody body) {
      EventBody used = used(body, hlc);
      version++;
      if (readingMicros != Event.NO_PHYSICAL) {
        track.add(hlc, readingMicros, isUnordered, used == null ? READING : used);
      } else if (used != null) {
        keep(event(track.node, hlc, readingMicros, isUnordered, used));
      }
    }

    /** The body if it matters here; null if it is left out. */
    private @Nullable EventBody used(EventBody body, long hlc) {
      if (body instanceof EventBody.Start) {
        return body;
      }
      String id =
          body instanceof EventBody.Send send
              ? send.id()
              : body instanceof EventBody.Receive receive ? receive.id() : null;
      if (id == null) {
        return null;
      }
      if (number > 0 && (id.hashCode() * HASH_FACTOR) >>> (Integer.SIZE - number) != 0) {
        sampledHlc = Math.max(sampledHlc, hlc);
        return null;
      }
      return body;
    }

    private void keep(Event event) {
      kept.addLast(event);
      if (kept.size() > eventsOfLevel) {
        Event oldest = kept.removeFirst();
        if (number + 1 < LEVELS) {
          older().add(oldest);
        } else {
          sampledHlc = Math.max(sampledHlc, oldest.hlc());
        }
      }
    }

    private Level older() {
      if (levels.size() == number + 1) {
        levels.add(new Level(number + 1));
      }
      return levels.get(number + 1);
    }

    Stream<Event> events() {
      return Stream.concat(kept.stream(), tracks.values().stream().flatMap(Track::pending));
    }

    /** The events of one node. */
    private final class Track {
      private final String node;
      private long slice = Long.MIN_VALUE;
      private long lastHlc;
      private long lastReadingMicros;
      private boolean isLastKept = true;

      /** The event of the slice with the greatest lead. */
      private long highHlc;

      private long highReadingMicros;
      private boolean isHighKept = true;

      /** Whether stamps have been ahead of the readings since these fell. */
      private boolean isBehind;

      /** The stamp at which a counter was last so high that it may be carried. */
      private long carriedMicros = Long.MIN_VALUE;

      Track(String node) {
        this.node = node;
      }

      void add(long hlc, long readingMicros, boolean isUnordered, EventBody body) {
        long aheadMicros = HlcTimestamp.micros(hlc) - readingMicros;
        long own = Math.floorDiv(HlcTimestamp.micros(hlc), SLICE_MICROS << number);
        boolean begins = own != slice;
        boolean falls =
            slice != Long.MIN_VALUE && lastReadingMicros - readingMicros >= LEAST_MICROS;
        boolean turns = falls || (isBehind && aheadMicros < LEAST_MICROS);
        boolean ends = begins || turns;
        boolean isKept = ends || isUnordered || body != READING || mayCarry(hlc);
        if (isKept) {
          keepPending(ends);
        }
        isLastKept = isKept;
        if (begins || aheadMicros > HlcTimestamp.micros(highHlc) - highReadingMicros) {
          highHlc = hlc;
          highReadingMicros = readingMicros;
          isHighKept = isLastKept;
        }
        isBehind = (isBehind || falls) && aheadMicros >= LEAST_MICROS;
        slice = own;
        lastHlc = hlc;
        lastReadingMicros = readingMicros;
        if (isLastKept) {
          keep(event(node, hlc, readingMicros, isUnordered, body));
        }
      }

      private boolean mayCarry(long hlc) {
        if (HlcTimestamp.logical(hlc) < StampDoubts.HIGH_LOGICAL
            || HlcTimestamp.micros(hlc) == carriedMicros) {
          return false;
        }
        carriedMicros = HlcTimestamp.micros(hlc);
        return true;
      }

      /** Keeps what is pending, in the order of stamps; the last event only if the slice ends. */
      private void keepPending(boolean ends) {
        if (!isHighKept) {
          keep(high());
          isHighKept = true;
          isLastKept |= lastHlc == highHlc;
        }
        if (ends && !isLastKept) {
          keep(last());
        }
      }

      private Event high() {
        return event(node, highHlc, highReadingMicros, false, READING);
      }

      private Event last() {
        return event(node, lastHlc, lastReadingMicros, false, READING);
      }

      /** The events that matter if the slice ends now, and are not kept yet. */
      Stream<Event> pending() {
        return Stream.concat(
            isHighKept ? Stream.empty() : Stream.of(high()),
            isLastKept ? Stream.empty() : Stream.of(last()));
      }
    }
  }

  private static Event event(
      String node, long hlc, long readingMicros, boolean isUnordered, EventBody body) {
    Set<EventMark> marks = isUnordered ? Set.of(EventMark.UNORDERED) : Set.of();
    return new Event(node, "", hlc, readingMicros, Event.NO_SEQUENCE, marks, body);
  }
}
