package io.retroscope.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What an event says, by kind. Immutable. */
public sealed interface EventBody {
  /** One or more changes of one log's variables, applied atomically. */
  record StateChange(List<Change> changes) implements EventBody {
    /** Copies the changes. */
    public StateChange {
      if (changes.isEmpty()) {
        throw new IllegalArgumentException("a state change without changes");
      }
      changes = List.copyOf(changes);
    }
  }

  /**
   * One change of one variable.
   *
   * @param value what to set; the {@link Value.SetValue} of elements to add or remove; NULL for
   *     UNSET
   */
  record Change(Operation operation, String variable, Value value) {}

  /** What a {@link Change} does; within one event all of SET come before ADD, REMOVE and UNSET. */
  enum Operation {
    /** The variable gets the value. */
    SET(0),
    /** The elements join the variable's set. */
    ADD(1),
    /** The elements leave the variable's set. */
    REMOVE(2),
    /** The variable holds no value any more. */
    UNSET(3);

    private static final Operation[] ALL = values();

    private final int code;

    Operation(int code) {
      this.code = code;
    }

    /** What stands for it in an encoded block, from 0 in the order of declaration. */
    public int code() {
      return code;
    }

    /**
     * The operation that a code stands for.
     *
     * @throws IndexOutOfBoundsException if it stands for none
     */
    public static Operation ofCode(int code) {
      return ALL[code];
    }

    /** The number of operations. */
    static int count() {
      return ALL.length;
    }
  }

  /** A log line: a text and key-value pairs, visible only in its own cut. */
  record LogLine(String message, Map<String, Value> fields) implements EventBody {
    /** Copies the fields, in order. */
    public LogLine {
      fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }
  }

  /**
   * A message leaves.
   *
   * @param to the receiving node, empty where it is not known
   * @param id the message's identity, the same at its receive
   */
  record Send(String to, String id) implements EventBody {}

  /**
   * A message arrives.
   *
   * @param from the sending node, empty where it is not known
   * @param id the message's identity, the same as at its send
   */
  record Receive(String from, String id) implements EventBody {}

  /**
   * A promise: every later event of the node has a higher stamp.
   *
   * @param promiseMicros within how many microseconds the next promise follows, 0 where the node
   *     does not say; not kept in blocks, which have it themselves
   */
  record Heartbeat(long promiseMicros) implements EventBody {
    /** A promise that does not say when the next one follows. */
    public Heartbeat() {
      this(0);
    }
  }

  /**
   * A node starts, or starts anew.
   *
   * @param incarnation distinguishes this run of the node from its others
   * @param floor packed; stamps at or below it are no evidence for clock alignment; {@code
   *     HlcTimestamp.MIN_PACKED} for none
   * @param predecessor the incarnation before, empty where none is known
   * @param spill what became of the predecessor's unsent blocks
   */
  record Start(String incarnation, long floor, String predecessor, Spill spill)
      implements EventBody {}

  /** The state of the blocks that a predecessor had not sent when it ended. */
  enum Spill {
    /** Nothing was left unsent. */
    COMPLETE(0),
    /** What was left will never come. */
    LOST(1),
    /** What was left is being sent. */
    PENDING(2);

    private final int code;

    Spill(int code) {
      this.code = code;
    }

    /** What stands for it in an encoded block, from 0 in the order of declaration. */
    public int code() {
      return code;
    }
  }

  /** A node stops: its variables are unset from here on. */
  record Stop() implements EventBody {}
}
