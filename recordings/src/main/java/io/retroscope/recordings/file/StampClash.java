// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import java.util.ArrayList;
import java.util.List;

/**
 * Two different events of one run of a node with the same stamp: one of them would be lost. An
 * event without an incarnation belongs to any run of its node.
 */
public record StampClash(Event first, Event second) {
  /** Whether two events of a node with one stamp belong, or may belong, to one run. */
  private static boolean areOfOneRun(Event a, Event b) {
    return a.incarnation().isEmpty()
        || b.incarnation().isEmpty()
        || a.incarnation().equals(b.incarnation());
  }

  /**
   * Whether an event is another one of its node and stamp, given again: equal, except that an event
   * exported from a part of a recording has no sequence number.
   */
  public static boolean isRepeated(Event a, Event b) {
    return areOfOneRun(a, b) && isSame(a.of(""), b.of(""));
  }

  private static boolean isSame(Event a, Event b) {
    boolean unnumbered = a.sequence() == Event.NO_SEQUENCE || b.sequence() == Event.NO_SEQUENCE;
    return unnumbered ? a.withoutSequence().equals(b.withoutSequence()) : a.equals(b);
  }

  /** Whether two events of a node with one stamp contradict each other. */
  public static boolean contradict(Event a, Event b) {
    return areOfOneRun(a, b) && !isRepeated(a, b);
  }

  /** Whether an event has a stamp of its own: a heartbeat may repeat that of an event. */
  static boolean hasOwnStamp(Event event) {
    return !(event.body() instanceof EventBody.Heartbeat)
        && !event.log().equals(EventBatch.HEARTBEATS);
  }

  /** The sentence for users. */
  String sentence(String firstPlace, String secondPlace) {
    return "node \"%s\" has two different events at %s, %s and %s: the stamps of a node's run are distinct; give each event its own, for example with the logical counter after the dot, or name the \"incarnation\" of each if the node was restarted"
        .formatted(first.node(), HlcTimestamp.text(first.hlc()), firstPlace, secondPlace);
  }

  /** Events in the order of their stamps, without those that are given again. */
  static final class Check {
    private final List<Event> ofStamp = new ArrayList<>();

    /**
     * Takes the next event.
     *
     * @return whether it is new, and not one of the same stamp given again
     * @throws Found if it contradicts one of the same stamp
     */
    boolean isNew(Event event) {
      if (!ofStamp.isEmpty() && ofStamp.get(0).hlc() != event.hlc()) {
        ofStamp.clear();
      }
      for (Event other : ofStamp) {
        if (other.node().equals(event.node()) && hasOwnStamp(other) == hasOwnStamp(event)) {
          if (isRepeated(other, event)) {
            return false;
          }
          if (hasOwnStamp(event) && contradict(other, event)) {
            throw new Found(new StampClash(other, event));
          }
        }
      }
      ofStamp.add(event);
      return true;
    }
  }

  /** Thrown when two events contradict each other, before their places are known. */
  static final class Found extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient StampClash clash;

    Found(StampClash clash) {
      super(clash.sentence("in one file", "in another"), null, false, false);
      this.clash = clash;
    }

    StampClash clash() {
      return clash;
    }
  }
}
