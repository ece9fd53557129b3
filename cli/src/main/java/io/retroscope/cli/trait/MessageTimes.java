// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import java.util.HashMap;
import java.util.Map;

/** The messages of a run, from their sending to their receipt. Used by one thread. */
final class MessageTimes {
  private final Map<Key, Event> open = new HashMap<>();
  private final Map<String, Slowest> slowest = new HashMap<>();

  /** A message. */
  private record Key(String from, String to, String id) {}

  /** The slowest message of a log. */
  private record Slowest(long micros, long hlc) {}

  void sent(Event event, Send send) {
    open.put(new Key(event.node(), send.to(), send.id()), event);
  }

  void received(Event event, Receive receive) {
    Event sent = open.remove(new Key(receive.from(), event.node(), receive.id()));
    if (sent != null) {
      long micros = HlcTimestamp.micros(event.hlc()) - HlcTimestamp.micros(sent.hlc());
      slowest.merge(
          sent.log(),
          new Slowest(micros, event.hlc()),
          (one, other) -> other.micros() > one.micros() ? other : one);
    }
  }

  /**
   * Adds the traits at the end of a run.
   *
   * @param end its last stamp
   */
  void addTo(RunTraits traits, TraitVocabulary vocabulary, long end) {
    for (Event sent : open.values()) {
      int log = vocabulary.number(new TraitVocabulary.Name(sent.log()));
      double micros = HlcTimestamp.micros(end) - HlcTimestamp.micros(sent.hlc());
      traits.measure(TraitKind.UNRECEIVED, log, 0, micros, sent.hlc());
    }
    slowest.forEach(
        (log, slow) -> {
          int number = vocabulary.number(new TraitVocabulary.Name(log));
          traits.measure(TraitKind.SLOW, number, 0, (double) slow.micros(), slow.hlc());
        });
  }
}
