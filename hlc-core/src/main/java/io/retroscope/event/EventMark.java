package io.retroscope.event;

/** A caveat that an event carries. */
public enum EventMark {
  /** Recorded again after drops: the variable's last dropped value, stamped when there was room. */
  REPAIR,
  /** A receive whose remote stamp was refused or clamped: it may stand before its cause. */
  UNORDERED
}
