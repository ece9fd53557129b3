// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.MessageEnd;
import io.retroscope.rql.cut.SentMessages;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The messages of a range: both ends of those that can be matched, and the known end of the others.
 * The other end is searched within a bound to both sides of the range. Immutable.
 *
 * @param range of which messages are wanted
 * @param searched the range in which ends were searched
 * @param matched messages that are sent before its end and received after its start, in the order
 *     of their receipts
 * @param unreceived sends before its end without a known receipt
 * @param unmatched receipts in the range without a known send
 */
record MessageSearch(
    HlcRange range,
    HlcRange searched,
    List<Message> matched,
    List<MessageEnd> unreceived,
    List<MessageEnd> unmatched) {
  /** The largest distance from the range at which the other end is searched, in microseconds. */
  static final long REACH_MICROS = 60_000_000;

  /** The most events that are read before the range, and after its start. */
  static final int MAX_EVENTS = 100_000;

  /**
   * A message that can be matched.
   *
   * @param candidates the number of sends that can be that of the receipt: {@code send} is the
   *     latest of them, as for the diagram
   */
  record Message(MessageEnd send, MessageEnd receipt, int candidates) {
    /** Whether the message is in flight in the cut at a stamp. */
    boolean isInFlight(long hlc) {
      return send.hlc() <= hlc && receipt.hlc() > hlc;
    }
  }

  /** Searches the messages of a range. */
  static MessageSearch of(View view, HlcRange range) {
    HlcRange all = view.extent().orElse(range);
    Set<String> logs = EventRange.logs(view);
    long first = Math.max(all.from(), shifted(range.from(), -REACH_MICROS));
    long last = Math.max(range.from(), Math.min(all.to(), shifted(range.to(), REACH_MICROS)));
    EventStretch before =
        EventStretch.before(view, logs, first, range.from() - 1, MAX_EVENTS, MessageSearch::isEnd);
    EventStretch after =
        EventStretch.after(view, logs, range.from(), last, MAX_EVENTS, MessageSearch::isEnd);
    HlcRange searched = new HlcRange(before.from(), Math.max(before.from(), after.until()));
    List<Event> ends = new ArrayList<>(before.events());
    ends.addAll(after.events());
    return matched(range, searched, ends);
  }

  private static long shifted(long hlc, long micros) {
    long time = HlcTimestamp.micros(hlc) + micros;
    return HlcTimestamp.pack(Math.max(0, Math.min(HlcTimestamp.MAX_MICROS, time)));
  }

  private static boolean isEnd(Event event) {
    return event.body() instanceof EventBody.Send || event.body() instanceof EventBody.Receive;
  }

  private static MessageSearch matched(HlcRange range, HlcRange searched, List<Event> ends) {
    SentMessages<MessageEnd> sends = new SentMessages<>();
    Set<MessageEnd> waiting = new LinkedHashSet<>();
    List<Message> matched = new ArrayList<>();
    List<MessageEnd> unmatched = new ArrayList<>();
    for (Event event : ends) {
      MessageEnd end = MessageEnd.of(event);
      if (event.body() instanceof EventBody.Send) {
        sends.add(end, end);
        waiting.add(end);
      } else {
        List<MessageEnd> candidates = sends.candidatesOf(end);
        if (candidates.isEmpty()) {
          unmatched.add(end);
        } else {
          MessageEnd send = candidates.get(candidates.size() - 1);
          waiting.remove(send);
          matched.add(new Message(send, end, candidates.size()));
        }
      }
    }
    return new MessageSearch(
        range,
        searched,
        matched.stream()
            .filter(one -> one.send().hlc() <= range.to() && one.receipt().hlc() >= range.from())
            .toList(),
        waiting.stream().filter(send -> send.hlc() <= range.to()).toList(),
        unmatched.stream().filter(receipt -> range.contains(receipt.hlc())).toList());
  }

  /** Whether all ends in the range were read. */
  boolean isComplete() {
    return searched.from() <= range.from() && searched.to() >= range.to();
  }
}
