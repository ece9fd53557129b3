// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

/** The kinds of {@link EventBody}, as a block's column holds them. */
public enum EventKind {
  /** {@link EventBody.StateChange}. */
  STATE_CHANGE(0),
  /** {@link EventBody.LogLine}. */
  LOG_LINE(1),
  /** {@link EventBody.Send}. */
  SEND(2),
  /** {@link EventBody.Receive}. */
  RECEIVE(3),
  /** {@link EventBody.Heartbeat}. */
  HEARTBEAT(4),
  /** {@link EventBody.Start}. */
  START(5),
  /** {@link EventBody.Stop}. */
  STOP(6);

  private static final EventKind[] ALL = values();

  /** The number of kinds. */
  static final int COUNT = ALL.length;

  private final byte code;

  EventKind(int code) {
    this.code = (byte) code;
  }

  /** The code of the kind in a column, from 0 in the order of declaration. */
  public byte code() {
    return code;
  }

  /** Whether events of the kind belong to their node and not to one of its logs. */
  public boolean isOfNode() {
    return switch (this) {
      case HEARTBEAT, START, STOP -> true;
      case STATE_CHANGE, LOG_LINE, SEND, RECEIVE -> false;
    };
  }

  /**
   * The kind with a code.
   *
   * @throws IndexOutOfBoundsException if the code is unknown
   */
  public static EventKind ofCode(int code) {
    return ALL[code];
  }
}
