// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.MessageEnd;
import io.retroscope.rql.cut.SentMessages;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** A search forwards from an event for the messages that followed from it. Used by one thread. */
final class Sequel {
  /** The most events that are found. */
  static final int MAX_EVENTS = 6;

  /** The most events that are read. */
  static final int MAX_READ = 20_000;

  /** The next sends of a node that are followed. */
  private static final int SENDS_OF_NODE = 2;

  private final View view;
  private final Map<String, Integer> sendsLeft = new HashMap<>();
  private final SentMessages<Event> sends = new SentMessages<>();
  private final List<Event> found = new ArrayList<>();

  Sequel(View view) {
    this.view = view;
  }

  /**
   * Returns the next sends of an event's node, their receipts, the next sends of the receivers, and
   * so on.
   *
   * @param end packed, the last stamp
   */
  List<Event> of(Event start, long end) {
    if (end <= start.hlc()) {
      return List.of();
    }
    sendsLeft.put(start.node(), SENDS_OF_NODE);
    Iterator<Event> events =
        view.scan(BackwardEvents.logs(view), new HlcRange(start.hlc() + 1, end));
    for (int read = 0; events.hasNext() && read < MAX_READ && found.size() < MAX_EVENTS; read++) {
      take(events.next());
    }
    return found;
  }

  private void take(Event event) {
    if (event.body() instanceof Send && sendsLeft.getOrDefault(event.node(), 0) > 0) {
      sendsLeft.merge(event.node(), -1, Integer::sum);
      sends.add(MessageEnd.of(event), event);
      found.add(event);
    } else if (event.body() instanceof Receive && sends.sendOf(MessageEnd.of(event)).isPresent()) {
      sendsLeft.putIfAbsent(event.node(), 1);
      found.add(event);
    }
  }
}
