// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.replay;

import io.retroscope.event.EventBody;
import java.util.List;

/**
 * What a node recorded at one time of its own clock. Immutable.
 *
 * @param node 1 to 200 characters
 * @param log the log of its events
 * @param micros the clock's time, in microseconds since 1970
 * @param file the name of its file, for messages
 * @param line its line within the file, from 1
 * @param bodies its events in their order; not changed any more
 */
public record Reading(
    String node, String log, long micros, String file, long line, List<EventBody> bodies) {
  /** Its place, for messages. */
  String place() {
    return file + ":" + line;
  }
}
