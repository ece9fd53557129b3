// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.state.CutTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Orders log lines by their aligned times. It receives events in the order of their stamps, holds a
 * bounded number of lines back, and never changes a reading. Not thread-safe.
 */
final class LineMerge {
  /*
   * Aligned times are estimates, which are updated periodically, so two of them may contradict the
   * order of cause and effect by less than their uncertainty. Therefore a line's position in the
   * order is its aligned time, but not before the position of any line that is known to have come
   * before it: earlier lines of its node, and lines before a recorded message that its node had
   * received. Equal positions are ordered by stamp, and a cause has the lower one. So no effect
   * precedes its cause, and elsewhere the aligned time decides.
   *
   * A stamp's physical part was read at or before its event from a clock that is no higher than the
   * driver's. So the aligned time of an event is after that part, except for the estimate's error.
   * Once all events up to a stamp have been received, later events have positions after that stamp.
   * How long a line must be held back therefore depends on its own lead, not on the largest one.
   */

  /** The number of lines held back until their position is certain. */
  static final int MAX_HELD = 1 << 16;

  /** The number of messages whose receive event may still arrive. */
  static final int MAX_MESSAGES = 1 << 16;

  /** The number of lines remembered so that none is returned twice. */
  static final int MAX_REMEMBERED = 1 << 16;

  private static final Comparator<AlignedLine> BY_STAMP =
      Comparator.<AlignedLine>comparingLong(line -> line.event().hlc())
          .thenComparing(line -> line.event().node(), NaturalOrder.INSTANCE);

  private final LineRequest wanted;
  private final LevelNotes levels = new LevelNotes();
  private final long sinceMicros;
  private final long untilMicros;
  private final HoldingQueue<AlignedLine> held = new HoldingQueue<>(MAX_HELD, BY_STAMP);
  private final Map<String, Long> placeOfNode = new HashMap<>();
  private final Map<String, Long> placeOfMessage = new Recent<>(MAX_MESSAGES);
  private final Map<LineName, Boolean> given = new Recent<>(MAX_REMEMBERED);
  private ClockOffsets clocks;
  private long lastPlace = Long.MIN_VALUE;
  private long highestHlc = Long.MIN_VALUE;

  /** The identity of a line. */
  private record LineName(String node, long hlc) {}

  LineMerge(LineRequest wanted, ClockOffsets clocks, long nowMicros) {
    this.wanted = wanted;
    this.clocks = clocks;
    this.sinceMicros = wanted.since().map(time -> time.at(nowMicros)).orElse(Long.MIN_VALUE);
    this.untilMicros = wanted.until().map(time -> time.at(nowMicros)).orElse(Long.MAX_VALUE);
  }

  /** Uses these aligned times from now on. */
  void use(ClockOffsets newClocks) {
    clocks = newClocks;
  }

  /** Adds the next event; all events except lines and messages are ignored. */
  void add(Event event, long nowNanos) {
    if (event.body() instanceof EventBody.Send send) {
      Long place = placeOfNode.get(event.node());
      if (place != null) {
        placeOfMessage.merge(send.id(), place, Math::max);
      }
    } else if (event.body() instanceof EventBody.Receive receive) {
      Long place = placeOfMessage.get(receive.id());
      if (place != null) {
        placeOfNode.merge(event.node(), place, Math::max);
      }
    } else if (wanted.matchesWithoutLevel(event)) {
      if (wanted.level().isPresent()) {
        levels.see((EventBody.LogLine) event.body());
      }
      if (wanted.matches(event)) {
        addLine(event, nowNanos);
      }
    }
  }

  /** Returns the new sentences about levels of lines that cannot be judged. */
  List<String> notes() {
    return levels.take();
  }

  private void addLine(Event event, long nowNanos) {
    CutTime time = CutTime.of(event, clocks);
    if (time.micros() < sinceMicros
        || time.micros() > untilMicros
        || given.put(new LineName(event.node(), event.hlc()), true) != null) {
      return;
    }
    // An event that arrives out of order was not caused by those that arrived before it, but may
    // have caused some of them, which did not wait for it.
    boolean inOrder = event.hlc() >= highestHlc;
    highestHlc = Math.max(highestHlc, event.hlc());
    long place =
        inOrder ? placeOfNode.merge(event.node(), time.micros(), Math::max) : time.micros();
    boolean late = !inOrder || place < lastPlace;
    held.add(new AlignedLine(event, time, clock(event), late), place, nowNanos);
  }

  /** Without a reading or an offset, the time is that of the stamp, on no particular clock. */
  private Optional<String> clock(Event event) {
    return event.hasPhysical() && clocks.offset(event.node(), event.hlc()).isPresent()
        ? clocks.referenceNode()
        : Optional.empty();
  }

  /**
   * Removes the first line that can be released.
   *
   * @param horizonMicros all lines with positions up to here have arrived
   * @param patienceNanos lines that arrived before this moment are released in any case
   */
  Optional<AlignedLine> poll(long horizonMicros, long patienceNanos) {
    return held.poll(horizonMicros, patienceNanos)
        .map(
            line -> {
              lastPlace = Math.max(lastPlace, line.key());
              return line.item();
            });
  }

  /** The number of lines that are held back. */
  int heldCount() {
    return held.size();
  }

  /** A map that drops its oldest entries above a limit. */
  private static final class Recent<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int maxCount;

    Recent(int maxCount) {
      this.maxCount = maxCount;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > maxCount;
    }
  }
}
