// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.state.CutTime;
import java.util.Optional;

/**
 * A node's log line with its time on a clock that is common to all nodes.
 *
 * @param event its body is a log line; its own reading is unchanged
 * @param time its aligned time; without evidence the physical part of its stamp, and the
 *     uncertainty is empty
 * @param clock the node on whose clock that time is; empty if no clock is known
 * @param late whether it arrived too late for its position, so that later lines may precede it
 */
public record AlignedLine(Event event, CutTime time, Optional<String> clock, boolean late) {
  /** Checks that the event is a log line. */
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
