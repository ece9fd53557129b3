// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/** The order between events that recorded messages prove. */
final class Messages {
  /** The most events that are read between two events. */
  static final int MAX_READ = 50_000;

  /** The answer to whether one event happened before another one. */
  enum Path {
    /** A chain of messages leads from one to the other, or they are of one node. */
    FOUND,
    /** There is no chain of recorded messages. */
    NONE,
    /** There are too many events between them. */
    NOT_SEARCHED
  }

  private Messages() {}

  /** Returns whether a receipt can be that of a send. */
  static boolean isOf(Event send, Event receipt) {
    Send sent = (Send) send.body();
    Receive received = (Receive) receipt.body();
    return sent.id().equals(received.id())
        && send.hlc() < receipt.hlc()
        && (sent.to().isEmpty() || sent.to().equals(receipt.node()))
        && (received.from().isEmpty() || received.from().equals(send.node()));
  }

  /** Searches for a chain of messages from one event to a later one. */
  static Path path(View view, Event from, Event to) {
    if (from.hlc() > to.hlc()) {
      return Path.NONE;
    }
    if (from.node().equals(to.node())) {
      return Path.FOUND;
    }
    Set<String> reached = new HashSet<>(Set.of(from.node()));
    Set<String> carried = new HashSet<>();
    Iterator<Event> events =
        view.scan(BackwardEvents.logs(view), new HlcRange(from.hlc(), to.hlc()));
    for (int read = 0; events.hasNext(); read++) {
      if (read == MAX_READ) {
        return Path.NOT_SEARCHED;
      }
      Event event = events.next();
      boolean after = !event.node().equals(from.node()) || event.hlc() > from.hlc();
      if (event.body() instanceof EventBody.Send send && after && reached.contains(event.node())) {
        carried.add(send.id());
      } else if (event.body() instanceof EventBody.Receive receive
          && carried.contains(receive.id())) {
        reached.add(event.node());
      }
      if (event.node().equals(to.node())
          && event.hlc() <= to.hlc()
          && reached.contains(to.node())
          && !event.equals(to)) {
        return Path.FOUND;
      }
    }
    return Path.NONE;
  }
}
