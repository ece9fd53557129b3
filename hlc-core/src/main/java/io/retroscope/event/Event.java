// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.Set;

/**
 * One event of one node. Immutable.
 *
 * <p>Node, incarnation and stamp are its identity: a run of a node gives out each stamp once.
 *
 * @param node 1 to 200 characters
 * @param incarnation the run of the node that recorded it; empty if it is not known, or if the
 *     {@link EventBlock} around it has it
 * @param log the log it belongs to; empty for a heartbeat, start or stop
 * @param hlc packed, as in {@code HlcTimestamp}
 * @param physicalMicros the node's raw physical reading, or {@link #NO_PHYSICAL}
 * @param sequence the event's number within the node's incarnation, from 1; {@link #NO_SEQUENCE} if
 *     unknown
 * @param marks caveats; usually empty
 */
public record Event(
    String node,
    String incarnation,
    String log,
    long hlc,
    long physicalMicros,
    long sequence,
    Set<EventMark> marks,
    EventBody body) {
  /** The value of an absent physical reading. */
  public static final long NO_PHYSICAL = Long.MIN_VALUE;

  /** The value of an absent sequence number. */
  public static final long NO_SEQUENCE = 0;

  /** The maximum length of a node name, in characters. */
  public static final int MAX_NODE_LENGTH = 200;

  /** The longest name of an incarnation, in characters. */
  public static final int MAX_INCARNATION_LENGTH = 20_000;

  /** Checks the names and copies the marks. */
  public Event {
    if (node.isEmpty() || node.length() > MAX_NODE_LENGTH) {
      throw new IllegalArgumentException(
          "node must have 1 to " + MAX_NODE_LENGTH + " characters: it has " + node.length());
    }
    if (incarnation.length() > MAX_INCARNATION_LENGTH) {
      throw new IllegalArgumentException(
          "incarnation must have at most "
              + MAX_INCARNATION_LENGTH
              + " characters: it has "
              + incarnation.length());
    }
    marks = Set.copyOf(marks);
  }

  /** An event of a run that is not known. */
  public Event(
      String node,
      String log,
      long hlc,
      long physicalMicros,
      long sequence,
      Set<EventMark> marks,
      EventBody body) {
    this(node, "", log, hlc, physicalMicros, sequence, marks, body);
  }

  /** An event without a physical reading, a sequence number or marks. */
  public Event(String node, String log, long hlc, EventBody body) {
    this(node, log, hlc, NO_PHYSICAL, NO_SEQUENCE, Set.of(), body);
  }

  /** The same event without its sequence number, for results that omit other events of its node. */
  public Event withoutSequence() {
    return new Event(node, incarnation, log, hlc, physicalMicros, NO_SEQUENCE, marks, body);
  }

  /** The same event as one of a run of its node; empty for one that is not known. */
  public Event of(String run) {
    return run.equals(incarnation)
        ? this
        : new Event(node, run, log, hlc, physicalMicros, sequence, marks, body);
  }

  /** Whether the node's raw physical reading is known. */
  public boolean hasPhysical() {
    return physicalMicros != NO_PHYSICAL;
  }
}
