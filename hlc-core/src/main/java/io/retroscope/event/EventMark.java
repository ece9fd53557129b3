package io.retroscope.event;

/** A caveat that an event carries. */
public enum EventMark {
  /** Recorded again after drops: the variable's last dropped value, stamped when there was room. */
  REPAIR(1),
  /** A receive whose remote stamp was refused or clamped: it may stand before its cause. */
  UNORDERED(2);

  private final int bit;

  EventMark(int bit) {
    this.bit = bit;
  }

  /** The mark's bit in a set of marks that is kept as a number. */
  public int bit() {
    return bit;
  }
}
