// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The places of two events that contradict each other, in inputs that are read again. */
final class EventPlaces implements EventConsumer {
  private final StampClash sought;
  private final List<Event> events = new ArrayList<>();
  private final List<String> places = new ArrayList<>();
  private Supplier<String> here = () -> "";
  private String second = "";
  private String first = "";

  EventPlaces(StampClash sought) {
    this.sought = sought;
  }

  /** Sets where the next events are. */
  void setPlace(Supplier<String> place) {
    here = place;
  }

  /** Whether both places are known. */
  boolean isComplete() {
    return !second.isEmpty();
  }

  /** The sentence for users; an event that was not found again is described instead. */
  String sentence() {
    return isComplete()
        ? sought.sentence(first, second)
        : sought.sentence(described(sought.first()), described(sought.second()));
  }

  private static String described(Event event) {
    return event.log().isEmpty() ? "one without a log" : "one in log " + event.log();
  }

  @Override
  public void event(Event event) {
    boolean isSought =
        event.hlc() == sought.first().hlc()
            && event.node().equals(sought.first().node())
            && StampClash.hasOwnStamp(event);
    if (!isSought || isComplete()) {
      return;
    }
    for (int i = 0; i < events.size(); i++) {
      if (StampClash.contradict(events.get(i), event)) {
        first = places.get(i);
        second = here.get();
        return;
      }
    }
    events.add(event);
    places.add(here.get());
  }

  @Override
  public void gap(Gap gap) {}

  @Override
  public void incomplete(Incompleteness reason) {}
}
