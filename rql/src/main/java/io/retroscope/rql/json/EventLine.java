// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The event on a line of the usual shape, read without an object for each part. It is valid until
 * the next line is read. Used by one thread.
 */
public final class EventLine {
  /*
   * The usual shape has ASCII text without escapes, no nested values, no incarnation and no marks,
   * and its body is one of: set, message, send, receive, heartbeat. Everything else, including
   * every mistake, is left to EventReader, which decides what a line means; this must only ever
   * agree with it.
   */
  private static final int MAX_NAME_LENGTH = 200;
  private static final int MAX_VARIABLE_LENGTH = 4096;

  /** So few that comparing each with all others is fast. */
  private static final int MAX_CHANGES = 32;

  /* The bits of the fields that were seen. */
  private static final int NODE = 1;
  private static final int LOG = 1 << 1;
  private static final int HLC = 1 << 2;
  private static final int PHYSICAL = 1 << 3;
  private static final int SEQUENCE = 1 << 4;
  private static final int SET = 1 << 5;
  private static final int MESSAGE = 1 << 6;
  private static final int FIELDS = 1 << 7;
  private static final int SEND = 1 << 8;
  private static final int RECEIVE = 1 << 9;
  private static final int HEARTBEAT = 1 << 10;
  private static final int PROMISE = 1 << 11;
  private static final int BODIES = SET | MESSAGE | SEND | RECEIVE | HEARTBEAT;

  private final LineScanner in = new LineScanner();
  private int seen;
  private EventKind kind = EventKind.STATE_CHANGE;
  private String node = "";
  private String log = "";
  private long hlc;
  private long physicalMicros;
  private long sequence;
  private long promiseMicros;

  /** The message, or the peer of a message that is sent or received. */
  private String text = "";

  private String messageId = "";
  private int changeCount;
  private final String[] names = new String[MAX_CHANGES];
  private final ValueType[] types = new ValueType[MAX_CHANGES];
  private final long[] bits = new long[MAX_CHANGES];
  private final String[] texts = new String[MAX_CHANGES];

  EventLine() {
    Arrays.fill(names, "");
    Arrays.fill(texts, "");
    Arrays.fill(types, ValueType.NULL);
  }

  /**
   * Reads a line.
   *
   * @return false if it has not the usual shape; this is not valid then
   */
  boolean read(byte[] line, int length) {
    in.begin(line, 0, length);
    seen = 0;
    log = "";
    physicalMicros = Event.NO_PHYSICAL;
    sequence = Event.NO_SEQUENCE;
    promiseMicros = 0;
    text = "";
    changeCount = 0;
    if (!in.take('{')) {
      return false;
    }
    do {
      String field = in.string();
      if (field == null || !in.take(':') || !readField(field)) {
        return false;
      }
    } while (in.take(','));
    return in.take('}') && in.isAtEnd() && isWhole();
  }

  private boolean readField(String field) {
    return switch (field) {
      case "node" -> {
        node = name(NODE);
        yield !node.isEmpty();
      }
      case "log" -> {
        log = name(LOG);
        yield !log.isEmpty();
      }
      case "hlc" -> note(HLC) && readStamp();
      case "pt" -> {
        boolean read = note(PHYSICAL) && in.integer();
        physicalMicros = in.number();
        yield read && physicalMicros >= 0 && physicalMicros <= HlcTimestamp.MAX_MICROS;
      }
      case "seq" -> {
        boolean read = note(SEQUENCE) && in.integer();
        sequence = in.number();
        yield read && sequence >= 1;
      }
      case "set" -> note(SET) && readValues();
      case "fields" -> note(FIELDS) && readValues();
      case "message" -> note(MESSAGE) && readText();
      case "send" -> note(SEND) && readMessage("to");
      case "receive" -> note(RECEIVE) && readMessage("from");
      case "heartbeat" -> note(HEARTBEAT) && in.take("true");
      case "promise" -> {
        boolean read = note(PROMISE) && in.integer();
        promiseMicros = in.number();
        yield read && promiseMicros >= 1;
      }
      default -> false;
    };
  }

  /** Notes a field; returns false if it was noted already. */
  private boolean note(int field) {
    boolean isNew = (seen & field) == 0;
    seen |= field;
    return isNew;
  }

  /** A name; empty if it is not one. */
  private String name(int field) {
    String name = note(field) ? in.string() : null;
    return name == null || name.length() > MAX_NAME_LENGTH ? "" : name;
  }

  private boolean readStamp() {
    boolean read = in.stamp();
    hlc = in.number();
    return read;
  }

  private boolean readText() {
    String read = in.string();
    text = read == null ? "" : read;
    return read != null;
  }

  private boolean readMessage(String peerField) {
    if (!in.take('{')) {
      return false;
    }
    messageId = "";
    boolean hasPeer = false;
    do {
      String field = in.string();
      String value = field != null && in.take(':') ? in.string() : null;
      if (value == null) {
        return false;
      }
      if (peerField.equals(field) && !hasPeer) {
        hasPeer = true;
        text = value;
      } else if ("id".equals(field) && messageId.isEmpty()) {
        messageId = value;
      } else {
        return false;
      }
    } while (in.take(','));
    return in.take('}') && !messageId.isEmpty();
  }

  private boolean readValues() {
    if (changeCount > 0 || !in.take('{')) {
      return false;
    }
    do {
      String name = in.string();
      if (name == null || !isNewName(name) || !in.take(':') || !readValue()) {
        return false;
      }
      names[changeCount++] = name;
    } while (in.take(','));
    return in.take('}');
  }

  private boolean isNewName(String name) {
    if (name.isEmpty() || name.length() > MAX_VARIABLE_LENGTH || changeCount == MAX_CHANGES) {
      return false;
    }
    for (int i = 0; i < changeCount; i++) {
      if (names[i].equals(name)) {
        return false;
      }
    }
    return true;
  }

  private boolean readValue() {
    switch (in.peek()) {
      case '"' -> {
        String value = in.string();
        texts[changeCount] = value == null ? "" : value;
        types[changeCount] = ValueType.STRING;
        return value != null;
      }
      case 't' -> {
        types[changeCount] = ValueType.BOOLEAN;
        bits[changeCount] = 1;
        return in.take("true");
      }
      case 'f' -> {
        types[changeCount] = ValueType.BOOLEAN;
        bits[changeCount] = 0;
        return in.take("false");
      }
      case 'n' -> {
        types[changeCount] = ValueType.NULL;
        bits[changeCount] = 0;
        return in.take("null");
      }
      default -> {
        boolean read = in.value();
        types[changeCount] = in.isDouble() ? ValueType.DOUBLE : ValueType.LONG;
        bits[changeCount] = in.number();
        return read;
      }
    }
  }

  /** Whether the fields that were read are those of one event. */
  private boolean isWhole() {
    int body = seen & BODIES;
    boolean hasLog = (seen & LOG) != 0;
    boolean accompanied =
        ((seen & FIELDS) == 0 || body == MESSAGE) && ((seen & PROMISE) == 0 || body == HEARTBEAT);
    if ((seen & NODE) == 0 || (seen & HLC) == 0 || !accompanied) {
      return false;
    }
    switch (body) {
      case SET -> kind = EventKind.STATE_CHANGE;
      case MESSAGE -> kind = EventKind.LOG_LINE;
      case SEND -> kind = EventKind.SEND;
      case RECEIVE -> kind = EventKind.RECEIVE;
      case HEARTBEAT -> {
        kind = EventKind.HEARTBEAT;
        log = "";
        return true;
      }
      default -> {
        return false;
      }
    }
    return hasLog;
  }

  /** The kind of the event. */
  public EventKind kind() {
    return kind;
  }

  /** The node's name. */
  public String node() {
    return node;
  }

  /** The log's name; empty for a heartbeat. */
  public String log() {
    return log;
  }

  /** The packed stamp. */
  public long hlc() {
    return hlc;
  }

  /** The raw physical reading, or {@link Event#NO_PHYSICAL}. */
  public long physicalMicros() {
    return physicalMicros;
  }

  /** The sequence number, or {@link Event#NO_SEQUENCE}. */
  public long sequence() {
    return sequence;
  }

  /** The promised interval of a heartbeat, in microseconds; 0 if it promises none. */
  public long promiseMicros() {
    return promiseMicros;
  }

  /** The number of characters of the texts that the event's block must contain, or more. */
  public long textLength() {
    return in.length();
  }

  /** Adds the event, which is not a heartbeat, to a block. */
  public void addTo(EventBlockBuilder block) {
    block.begin(hlc, physicalMicros, sequence, kind, 0, block.nodeIndex(node), block.logIndex(log));
    if (kind == EventKind.SEND || kind == EventKind.RECEIVE) {
      block.message(text, messageId);
      return;
    }
    if (kind == EventKind.LOG_LINE) {
      block.change(Operation.SET, -1, ValueType.STRING, block.textIndex(text));
    }
    for (int i = 0; i < changeCount; i++) {
      long own = types[i] == ValueType.STRING ? block.textIndex(texts[i]) : bits[i];
      block.change(Operation.SET, block.nameIndex(names[i]), types[i], own);
    }
  }

  /** The event as an object. */
  public Event event() {
    return new Event(node, log, hlc, physicalMicros, sequence, Set.of(), body());
  }

  private EventBody body() {
    return switch (kind) {
      case STATE_CHANGE -> new EventBody.StateChange(changes());
      case LOG_LINE -> new EventBody.LogLine(text, fields());
      case SEND -> new EventBody.Send(text, messageId);
      case RECEIVE -> new EventBody.Receive(text, messageId);
      case HEARTBEAT -> new EventBody.Heartbeat(promiseMicros);
      case START, STOP -> throw new IllegalStateException(kind + " is not of the usual shape");
    };
  }

  private List<Change> changes() {
    List<Change> changes = new ArrayList<>(changeCount);
    for (int i = 0; i < changeCount; i++) {
      changes.add(new Change(Operation.SET, names[i], value(i)));
    }
    return changes;
  }

  private Map<String, Value> fields() {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int i = 0; i < changeCount; i++) {
      fields.put(names[i], value(i));
    }
    return fields;
  }

  private Value value(int change) {
    return switch (types[change]) {
      case NULL -> Value.NullValue.NULL;
      case BOOLEAN -> bits[change] == 1 ? Value.BooleanValue.TRUE : Value.BooleanValue.FALSE;
      case LONG -> Value.of(bits[change]);
      case DOUBLE -> Value.of(Double.longBitsToDouble(bits[change]));
      case STRING -> Value.of(texts[change]);
      case NESTED -> throw new IllegalStateException("nested values are not of the usual shape");
    };
  }
}
