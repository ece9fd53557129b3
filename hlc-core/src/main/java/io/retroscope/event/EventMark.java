// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.EnumSet;
import java.util.Set;

/** A caveat that an event carries. */
public enum EventMark {
  /**
   * Recorded again after drops: the variable's last dropped value, stamped when there was room
   * again.
   */
  REPAIR(1),
  /** A receive whose remote stamp was refused or clamped: it may precede its cause in the order. */
  UNORDERED(2),
  /**
   * The stamp may be above the bound that its node had stored for the next run: if the node fails
   * now, stamps after its restart may be lower.
   */
  UNBOUND(4),
  /** A stop that the node did not record: an operator declared that the node will not return. */
  FORGOTTEN(8);

  private final int bit;

  EventMark(int bit) {
    this.bit = bit;
  }

  /** The mark's bit in a bit set of marks. */
  public int bit() {
    return bit;
  }

  /** The marks in a bit set. */
  public static Set<EventMark> of(int bits) {
    if (bits == 0) {
      return Set.of();
    }
    Set<EventMark> marks = EnumSet.noneOf(EventMark.class);
    for (EventMark mark : values()) {
      if ((bits & mark.bit) != 0) {
        marks.add(mark);
      }
    }
    return marks;
  }
}
