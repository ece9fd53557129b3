// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.util.Iterator;
import java.util.Optional;

/**
 * Whether the bounds of the clocks decide the order of events of different nodes, which derived
 * stamps take from the clocks. Used by one thread.
 */
public final class ClockOrder {
  /*
   * Each event is within an interval on the reference node's clock. The longest parts of these
   * intervals before and after their stamps bound all of them: two events are in the order of their
   * stamps if these are further apart than both parts together. If no event comes for so long, the
   * cut there is the same whatever the clocks were.
   */

  private final ClockOffsets offsets;
  private final Optional<HlcRange> run;
  private boolean isBounded = true;
  private long mostBeforeMicros;
  private long mostAfterMicros;
  private long leastBetweenNodes = Long.MAX_VALUE;
  private long longestPauseOfRun = -1;
  private String lastNode = "";
  private long lastHlc = Long.MIN_VALUE;

  private ClockOrder(ClockOffsets offsets, Optional<HlcRange> run) {
    this.offsets = offsets;
    this.run = run;
  }

  /**
   * Reads the events that matter, up to the first one whose clock is not bounded.
   *
   * @param run of the cuts that decide; empty if all cuts of the range do
   */
  public static ClockOrder of(
      EventSource.View view, Interest interest, HlcRange range, Optional<HlcRange> run) {
    ClockOrder order = new ClockOrder(view.clockOffsets(), run);
    Iterator<Event> events = view.scan(interest.logs(), range);
    while (order.isBounded && events.hasNext() && !interest.isCancelled()) {
      Event event = events.next();
      if (interest.counts(event.node()) && matters(event, interest)) {
        order.add(event);
      }
    }
    return order;
  }

  private static boolean matters(Event event, Interest interest) {
    String log = event.log();
    if (event.body() instanceof EventBody.StateChange state) {
      return state.changes().stream().anyMatch(change -> interest.follows(log, change.variable()));
    }
    if (event.body() instanceof EventBody.LogLine line) {
      return interest.follows(log, MomentaryVariables.MESSAGE)
          || line.fields().keySet().stream().anyMatch(field -> interest.follows(log, field));
    }
    return (event.body() instanceof EventBody.Send
            && interest.follows(log, MomentaryVariables.SEND))
        || (event.body() instanceof EventBody.Receive
            && interest.follows(log, MomentaryVariables.RECEIVE));
  }

  private void add(Event event) {
    Optional<Offset> offset =
        event.hasPhysical() ? offsets.offset(event.node(), event.hlc()) : Optional.empty();
    isBounded =
        offset.isPresent()
            && offset.get().lowMicros().isPresent()
            && offset.get().highMicros().isPresent();
    if (!isBounded) {
      return;
    }
    long micros = HlcTimestamp.micros(event.hlc());
    long leadMicros = micros - event.physicalMicros();
    long low = offset.get().lowMicros().getAsLong();
    long high = offset.get().highMicros().getAsLong();
    mostBeforeMicros = Math.max(mostBeforeMicros, leadMicros - low);
    mostAfterMicros = Math.max(mostAfterMicros, high - leadMicros);
    if (lastHlc != Long.MIN_VALUE) {
      addPause(event, micros - HlcTimestamp.micros(lastHlc));
    }
    lastNode = event.node();
    lastHlc = event.hlc();
  }

  private void addPause(Event end, long micros) {
    if (!lastNode.equals(end.node())) {
      leastBetweenNodes = Math.min(leastBetweenNodes, micros);
    }
    if (run.isPresent() && run.get().from() <= lastHlc && end.hlc() <= run.get().to()) {
      longestPauseOfRun = Math.max(longestPauseOfRun, micros);
    }
  }

  /** Whether the cuts that decide are the same for every possible time of the events. */
  public boolean isSure() {
    long doubtMicros = mostBeforeMicros + mostAfterMicros;
    return isBounded && (leastBetweenNodes > doubtMicros || longestPauseOfRun > doubtMicros);
  }
}
