// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.MessageEnd;
import io.retroscope.rql.cut.SentMessages;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** A chain of recorded messages that proves the order of two events. */
enum MessagePath {
  /** A chain of messages leads from one to the other, or they are of one node. */
  FOUND,
  /** There is no chain of recorded messages. */
  NONE,
  /** There are too many events between them. */
  NOT_SEARCHED;

  /** The most events that are read between two events. */
  static final int MAX_READ = 50_000;

  /** Searches for a chain of messages from one event to a later one. */
  static MessagePath search(View view, Event from, Event to) {
    if (from.hlc() > to.hlc()) {
      return NONE;
    }
    if (from.node().equals(to.node())) {
      return FOUND;
    }
    Set<String> reached = new HashSet<>(Set.of(from.node()));
    SentMessages<Boolean> sends = new SentMessages<>();
    Iterator<Event> events =
        view.scan(BackwardEvents.logs(view), new HlcRange(from.hlc(), to.hlc()));
    for (int read = 0; events.hasNext(); read++) {
      if (read == MAX_READ) {
        return NOT_SEARCHED;
      }
      Event event = events.next();
      boolean isAfter = !event.node().equals(from.node()) || event.hlc() > from.hlc();
      if (event.body() instanceof Send) {
        sends.add(MessageEnd.of(event), isAfter && reached.contains(event.node()));
      } else if (event.body() instanceof Receive && proves(sends, MessageEnd.of(event))) {
        reached.add(event.node());
      }
      if (event.equals(to)) {
        return reached.contains(to.node()) ? FOUND : NONE;
      }
    }
    return NONE;
  }

  /** Whether each send that can be that of a receipt is after the first event. */
  private static boolean proves(SentMessages<Boolean> sends, MessageEnd receipt) {
    List<Boolean> areAfter = sends.candidatesOf(receipt);
    return !areAfter.isEmpty() && !areAfter.contains(false);
  }
}
