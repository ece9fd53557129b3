// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.MessageEnd;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The events after a cut that end the values of its witnesses, and the receipts of messages that
 * crossed it. Used by one thread.
 */
final class Aftermath {
  /** The most events that are read. */
  static final int MAX_READ = 20_000;

  private final Map<Witness, Event> ends = new HashMap<>();
  private final Map<Event, Event> receipts = new HashMap<>();
  private boolean complete = true;

  /** Reads the events after a cut. */
  Aftermath(View view, List<Witness> witnesses, List<Event> inFlight, long cut) {
    long last = view.extent().map(HlcRange::to).orElse(HlcTimestamp.MIN_PACKED);
    if (cut >= last) {
      return;
    }
    Iterator<Event> events = view.scan(BackwardEvents.logs(view), new HlcRange(cut + 1, last));
    int read = 0;
    while (events.hasNext()
        && (ends.size() < witnesses.size() || receipts.size() < inFlight.size())) {
      if (read++ == MAX_READ) {
        complete = false;
        return;
      }
      take(events.next(), witnesses, inFlight);
    }
  }

  private void take(Event event, List<Witness> witnesses, List<Event> inFlight) {
    for (Witness witness : witnesses) {
      if (witness.node().equals(event.node()) && ends(event, witness)) {
        ends.putIfAbsent(witness, event);
      }
    }
    if (event.body() instanceof Receive) {
      for (Event send : inFlight) {
        if (MessageEnd.of(send).canBeSendOf(MessageEnd.of(event))) {
          receipts.putIfAbsent(send, event);
        }
      }
    }
  }

  private static boolean ends(Event event, Witness witness) {
    if (event.body() instanceof EventBody.StateChange change) {
      return event.log().equals(witness.log())
          && change.changes().stream()
              .anyMatch(
                  c ->
                      c.variable().equals(witness.variable())
                          && !(c.operation() == EventBody.Operation.SET
                              && c.value().equals(witness.value())));
    }
    return event.body() instanceof EventBody.Stop || event.body() instanceof EventBody.Start;
  }

  /** The event that replaced the value of a witness; empty if none was found. */
  Optional<Event> end(Witness witness) {
    return Optional.ofNullable(ends.get(witness));
  }

  /** The receipt of a message; empty if none was found. */
  Optional<Event> receipt(Event send) {
    return Optional.ofNullable(receipts.get(send));
  }

  /** Whether all events after the cut were read that matter. */
  boolean isComplete() {
    return complete;
  }
}
