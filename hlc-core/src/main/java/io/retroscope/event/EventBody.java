// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.List;
import java.util.Map;

/** The content of an event, by kind. Immutable. */
public sealed interface EventBody {
  /** The kind of the event. */
  EventKind kind();

  /** Calls the visitor's method for this kind, and returns its result. */
  <R> R accept(Visitor<R> visitor);

  /**
   * An operation with one method for each kind, so that a new kind cannot be forgotten.
   *
   * @param <R> the type of the result
   */
  interface Visitor<R> {
    /** Visits a {@link StateChange}. */
    R stateChange(StateChange state);

    /** Visits a {@link LogLine}. */
    R logLine(LogLine line);

    /** Visits a {@link Send}. */
    R send(Send send);

    /** Visits a {@link Receive}. */
    R receive(Receive receive);

    /** Visits a {@link Heartbeat}. */
    R heartbeat(Heartbeat heartbeat);

    /** Visits a {@link Start}. */
    R start(Start start);

    /** Visits a {@link Stop}. */
    R stop(Stop stop);
  }

  /** One or more changes of one log's variables, applied atomically. */
  record StateChange(List<Change> changes) implements EventBody {
    /**
     * Copies the changes.
     *
     * @throws IllegalArgumentException if there are none
     */
    public StateChange {
      if (changes.isEmpty()) {
        throw new IllegalArgumentException("a state change without changes");
      }
      changes = List.copyOf(changes);
    }

    @Override
    public EventKind kind() {
      return EventKind.STATE_CHANGE;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.stateChange(this);
    }
  }

  /**
   * One change of one variable.
   *
   * @param value what to set; the {@link Value.SetValue} of elements to add or remove; NULL for
   *     UNSET
   */
  record Change(Operation operation, String variable, Value value) {}

  /**
   * The operation of a {@link Change}; within one event, every SET precedes ADD, REMOVE and UNSET.
   */
  enum Operation {
    /** Sets the variable to the value. */
    SET(0),
    /** Adds the elements to the variable's set. */
    ADD(1),
    /** Removes the elements from the variable's set. */
    REMOVE(2),
    /** Removes the variable's value. */
    UNSET(3);

    private static final Operation[] ALL = values();

    private final int code;

    Operation(int code) {
      this.code = code;
    }

    /** Its code in an encoded block, from 0 in the order of declaration. */
    public int code() {
      return code;
    }

    /**
     * The operation with a code.
     *
     * @throws IndexOutOfBoundsException if the code is unknown
     */
    public static Operation ofCode(int code) {
      return ALL[code];
    }

    /** The number of operations. */
    static int count() {
      return ALL.length;
    }
  }

  /** A log line: a text and key-value pairs, visible only in the cut at its stamp. */
  record LogLine(String message, Map<String, Value> fields) implements EventBody {
    /** Copies the fields, in order. */
    public LogLine {
      fields = OrderedFields.copyOf(fields);
    }

    @Override
    public EventKind kind() {
      return EventKind.LOG_LINE;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.logLine(this);
    }
  }

  /**
   * The sending of a message.
   *
   * @param to the receiving node, empty if unknown
   * @param id the message's identity, the same at its receive
   */
  record Send(String to, String id) implements EventBody {
    @Override
    public EventKind kind() {
      return EventKind.SEND;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.send(this);
    }
  }

  /**
   * The receipt of a message.
   *
   * @param from the sending node, empty if unknown
   * @param id the message's identity, the same as at its send
   */
  record Receive(String from, String id) implements EventBody {
    @Override
    public EventKind kind() {
      return EventKind.RECEIVE;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.receive(this);
    }
  }

  /**
   * A promise: every later event of the node has a higher stamp.
   *
   * @param promiseMicros the time in microseconds within which the next promise follows, 0 if not
   *     announced; not encoded as part of a block's events, because blocks have their own
   */
  record Heartbeat(long promiseMicros) implements EventBody {
    /** A promise that does not announce the next one. */
    public Heartbeat() {
      this(0);
    }

    @Override
    public EventKind kind() {
      return EventKind.HEARTBEAT;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.heartbeat(this);
    }
  }

  /**
   * The start or restart of a node.
   *
   * @param incarnation distinguishes this run of the node from its others
   * @param floor packed; stamps at or below it are no evidence for clock alignment; {@code
   *     HlcTimestamp.MIN_PACKED} for none
   * @param predecessor the previous incarnation, empty if unknown
   * @param spill the state of the predecessor's unsent blocks
   */
  record Start(String incarnation, long floor, String predecessor, Spill spill)
      implements EventBody {
    @Override
    public EventKind kind() {
      return EventKind.START;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.start(this);
    }
  }

  /** The state of the blocks that a predecessor had not sent when it ended. */
  enum Spill {
    /** Nothing was left unsent. */
    COMPLETE(0),
    /** The unsent blocks are lost. */
    LOST(1),
    /** The unsent blocks are being sent. */
    PENDING(2);

    private static final Spill[] ALL = values();

    private final int code;

    Spill(int code) {
      this.code = code;
    }

    /** Its code in an encoded block, from 0 in the order of declaration. */
    public int code() {
      return code;
    }

    /**
     * The state with a code.
     *
     * @throws IndexOutOfBoundsException if the code is unknown
     */
    static Spill ofCode(int code) {
      return ALL[code];
    }

    /** The number of states. */
    static int count() {
      return ALL.length;
    }
  }

  /** The stop of a node: its variables are unset from this event on. */
  record Stop() implements EventBody {
    @Override
    public EventKind kind() {
      return EventKind.STOP;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.stop(this);
    }
  }
}
