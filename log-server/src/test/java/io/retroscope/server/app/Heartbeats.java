// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Submission;
import java.util.List;

/** A sender of single heartbeats to a store. */
final class Heartbeats {
  private Heartbeats() {}

  static void send(EventStore store, String node, long micros) {
    Event heartbeat = new Event(node, "", HlcTimestamp.pack(micros), new EventBody.Heartbeat());
    store
        .append(
            new Submission.Lines(
                List.of(new Submission.NumberedEvent(1, heartbeat)), List.of(), 100))
        .join();
  }
}
