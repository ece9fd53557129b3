package io.retroscope.server.lines;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.CutTime;
import java.util.Optional;

/**
 * A node's log line and when it was written on the clock of one node for all.
 *
 * @param event its body is a log line; its own reading is as the node recorded it
 * @param time its aligned time; without evidence the physical part of its stamp, and the
 *     uncertainty is empty
 * @param clock the node on whose clock that time is; empty where no clock is known
 * @param late whether it came too late for its place: lines that belong after it may stand before
 *     it
 */
public record AlignedLine(Event event, CutTime time, Optional<String> clock, boolean late) {
  /** Checks that it is a line. */
  public AlignedLine {
    if (!(event.body() instanceof EventBody.LogLine)) {
      throw new IllegalArgumentException("no log line: " + event);
    }
  }

  /** The text and its fields. */
  public EventBody.LogLine line() {
    return (EventBody.LogLine) event.body();
  }
}
