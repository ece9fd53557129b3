// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.replay;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody;
import java.util.List;

/**
 * What a node recorded at one time of its own clock. Immutable.
 *
 * @param node 1 to 200 characters
 * @param log the log of its events
 * @param micros the clock's time, in microseconds since 1970
 * @param file the name of its file, for messages
 * @param line its line within the file, from 1; 0 if it is not known
 * @param bodies its events in their order; not changed any more
 * @param isOfOneClock whether one clock gave the times of all nodes in its file, so that their
 *     order is sure
 */
public record ClockReading(
    String node,
    String log,
    long micros,
    String file,
    long line,
    List<EventBody> bodies,
    boolean isOfOneClock) {
  /** A reading of the node's own clock. */
  public ClockReading(
      String node, String log, long micros, String file, long line, List<EventBody> bodies) {
    this(node, log, micros, file, line, bodies, false);
  }

  /** Its lowest possible stamp, packed. The stamp 0.0 is that of no event. */
  long packed() {
    return HlcTimestamp.pack(Math.max(1, micros));
  }

  /** A place, for messages. */
  static String place(String file, long line) {
    return line == 0 ? file : file + ":" + line;
  }
}
