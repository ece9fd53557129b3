package io.retroscope.server.lines;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.CutTime;
import io.retroscope.rql.cut.NaturalOrder;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Puts log lines in the order of their aligned times. Takes events in the order of their stamps,
 * holds lines back within a bound, and never changes a reading. Not thread-safe.
 */
final class LineMerge {
  /*
   * Aligned times are estimates, found anew every so often, so two of them may contradict the order of cause
   * and effect by less than their uncertainty. A line's place in the order is therefore its aligned time, but
   * not before the place of any line that is known to have come before it: earlier ones of its node, and those
   * before a recorded message that its node had received. Equal places are ordered by stamp, and a cause has
   * the lower one. So no effect stands before its cause, and elsewhere the aligned time decides.
   *
   * A stamp's physical part was read at or before its event from a clock that is no higher than the driver's.
   * So the aligned time of an event lies behind that part but for the estimate's error, and where all events up
   * to a stamp have been taken, what is still to come has its place behind it: how far a line must be held
   * back depends on its own lead, not on the largest one.
   */

  /** Lines held back for their place. */
  static final int MAX_HELD = 1 << 16;

  /** Messages whose receipt may still come. */
  static final int MAX_MESSAGES = 1 << 16;

  /** Lines remembered so that none is given twice. */
  static final int MAX_REMEMBERED = 1 << 16;

  private static final Comparator<AlignedLine> BY_STAMP =
      Comparator.<AlignedLine>comparingLong(line -> line.event().hlc())
          .thenComparing(line -> line.event().node(), NaturalOrder.INSTANCE);

  private final LineRequest wanted;
  private final long sinceMicros;
  private final long untilMicros;
  private final HoldingQueue<AlignedLine> held = new HoldingQueue<>(MAX_HELD, BY_STAMP);
  private final Map<String, Long> placeOfNode = new HashMap<>();
  private final Map<String, Long> placeOfMessage = new Recent<>(MAX_MESSAGES);
  private final Map<LineName, Boolean> given = new Recent<>(MAX_REMEMBERED);
  private ClockOffsets clocks;
  private long lastPlace = Long.MIN_VALUE;
  private long highestHlc = Long.MIN_VALUE;

  /** What tells a line from all others. */
  private record LineName(String node, long hlc) {}

  LineMerge(LineRequest wanted, ClockOffsets clocks, long nowMicros) {
    this.wanted = wanted;
    this.clocks = clocks;
    this.sinceMicros = wanted.since().map(time -> time.at(nowMicros)).orElse(Long.MIN_VALUE);
    this.untilMicros = wanted.until().map(time -> time.at(nowMicros)).orElse(Long.MAX_VALUE);
  }

  /** From now on these say what the aligned times are. */
  void use(ClockOffsets newClocks) {
    clocks = newClocks;
  }

  /** Takes the next event; all but lines and messages are ignored. */
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
    } else if (wanted.matches(event)) {
      addLine(event, nowNanos);
    }
  }

  private void addLine(Event event, long nowNanos) {
    CutTime time = CutTime.of(event, clocks);
    if (time.micros() < sinceMicros
        || time.micros() > untilMicros
        || given.put(new LineName(event.node(), event.hlc()), true) != null) {
      return;
    }
    // What comes against the order of stamps was not caused by what came before it, but may have
    // caused some of that, which did not wait for it.
    boolean inOrder = event.hlc() >= highestHlc;
    highestHlc = Math.max(highestHlc, event.hlc());
    long place =
        inOrder ? placeOfNode.merge(event.node(), time.micros(), Math::max) : time.micros();
    boolean late = !inOrder || place < lastPlace;
    held.add(new AlignedLine(event, time, clock(event), late), place, nowNanos);
  }

  /** Without a reading, or without an offset, the time is the stamp's: on nobody's clock. */
  private Optional<String> clock(Event event) {
    return event.hasPhysical() && clocks.offset(event.node(), event.hlc()).isPresent()
        ? clocks.referenceNode()
        : Optional.empty();
  }

  /**
   * Takes the first line that may go.
   *
   * @param horizonMicros no line with a place up to here is still to come
   * @param patienceNanos lines that came before this moment go anyhow
   */
  Optional<AlignedLine> poll(long horizonMicros, long patienceNanos) {
    return held.poll(horizonMicros, patienceNanos)
        .map(
            line -> {
              lastPlace = Math.max(lastPlace, line.key());
              return line.item();
            });
  }

  /** How many lines are held back. */
  int heldCount() {
    return held.size();
  }

  /** Forgets the oldest entries beyond a bound. */
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
