package io.retroscope.event;

import io.retroscope.event.EventBody.Operation;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Gathers events, in any order, for one {@link EventBlock} after the other. Not thread-safe.
 *
 * <p>There are two ways in: {@link #add(Event)}, and for code that must not allocate an object an
 * event, {@link #begin} followed by the event's {@link #change changes}.
 */
public final class EventBlockBuilder {
  private static final int INITIAL_ROWS = 64;

  private final Dictionary<String> nodes = new Dictionary<>();
  private final Dictionary<String> logs = new Dictionary<>();
  private final Dictionary<String> names = new Dictionary<>();
  private final Dictionary<String> texts = new Dictionary<>();
  private final Dictionary<Value> nested = new Dictionary<>();
  private BlockHeader header = BlockHeader.MADE_BY_SERVER;

  private int size;
  private boolean sorted = true;
  private long[] hlc;
  private long[] physical;
  private long[] sequence;
  private byte[] kind;
  private byte[] marks;
  private int[] node;
  private int[] log;
  private int[] changeStart;

  private int changeCount;
  private byte[] operation;
  private int[] name;
  private byte[] type;
  private long[] bits;

  /** A builder for a block of a server's making, until {@link #incarnation} says otherwise. */
  public EventBlockBuilder() {
    this(INITIAL_ROWS);
  }

  /**
   * The same, with room for a number of events.
   *
   * @param expectedCount events, 1 to {@link EventBlock#MAX_EVENTS}; more may be added
   */
  public EventBlockBuilder(int expectedCount) {
    hlc = new long[expectedCount];
    physical = new long[expectedCount];
    sequence = new long[expectedCount];
    kind = new byte[expectedCount];
    marks = new byte[expectedCount];
    node = new int[expectedCount];
    log = new int[expectedCount];
    changeStart = new int[expectedCount];
    operation = new byte[expectedCount];
    name = new int[expectedCount];
    type = new byte[expectedCount];
    bits = new long[expectedCount];
  }

  /** Says that the block is the incarnation's {@code number}-th, counted from 1. */
  public EventBlockBuilder incarnation(String incarnation, long number) {
    header = new BlockHeader(incarnation, number, header.heartbeat(), header.lastSequence());
    return this;
  }

  /** Sets {@link EventBlock#heartbeat()} and {@link EventBlock#lastSequence()}. */
  public EventBlockBuilder promise(long heartbeat, long lastSequence) {
    header = new BlockHeader(header.incarnation(), header.number(), heartbeat, lastSequence);
    return this;
  }

  /** Forgets everything, the indexes of names too, but keeps the room for the next block. */
  public void clear() {
    nodes.clear();
    logs.clear();
    names.clear();
    texts.clear();
    nested.clear();
    header = BlockHeader.MADE_BY_SERVER;
    size = 0;
    changeCount = 0;
    sorted = true;
  }

  /** The number of events so far. */
  public int size() {
    return size;
  }

  /** The number of changes so far. */
  public int changeCount() {
    return changeCount;
  }

  /**
   * Adds an event.
   *
   * @throws IllegalArgumentException if it holds a value that only queries make, or one nested
   *     deeper than {@link EventBlockCodec#MAX_NESTING}
   * @throws IllegalStateException if the block is full
   */
  public EventBlockBuilder add(Event event) {
    int bitset = event.marks().stream().mapToInt(EventMark::bit).sum();
    int row = size;
    int change = changeCount;
    EventBody body = event.body();
    begin(
        event.hlc(),
        event.physicalMicros(),
        event.sequence(),
        kindOf(body),
        bitset,
        nodeIndex(event.node()),
        logIndex(event.log()));
    try {
      addBody(body);
    } catch (RuntimeException e) {
      size = row;
      changeCount = change;
      throw e;
    }
    return this;
  }

  private static EventKind kindOf(EventBody body) {
    if (body instanceof EventBody.StateChange) {
      return EventKind.STATE_CHANGE;
    }
    if (body instanceof EventBody.LogLine) {
      return EventKind.LOG_LINE;
    }
    if (body instanceof EventBody.Send) {
      return EventKind.SEND;
    }
    if (body instanceof EventBody.Receive) {
      return EventKind.RECEIVE;
    }
    if (body instanceof EventBody.Start) {
      return EventKind.START;
    }
    return body instanceof EventBody.Stop ? EventKind.STOP : EventKind.HEARTBEAT;
  }

  private void addBody(EventBody body) {
    if (body instanceof EventBody.StateChange state) {
      for (EventBody.Change change : state.changes()) {
        change(change.operation(), nameIndex(change.variable()), change.value());
      }
    } else if (body instanceof EventBody.LogLine line) {
      text(line.message());
      line.fields().forEach((field, value) -> change(Operation.SET, nameIndex(field), value));
    } else if (body instanceof EventBody.Send send) {
      text(send.to());
      text(send.id());
    } else if (body instanceof EventBody.Receive receive) {
      text(receive.from());
      text(receive.id());
    } else if (body instanceof EventBody.Start start) {
      text(start.incarnation());
      change(Operation.SET, EventBlock.NO_NAME, ValueType.LONG, start.floor());
      text(start.predecessor());
      change(Operation.SET, EventBlock.NO_NAME, ValueType.LONG, start.spill().code());
    }
  }

  /** Adds an unnamed text: a log line's message, an end or the identity of a message. */
  public void text(String text) {
    change(Operation.SET, EventBlock.NO_NAME, ValueType.STRING, textIndex(text));
  }

  /**
   * Begins an event; what {@link #change} adds from here on is its.
   *
   * <p>The changes must be those that the kind has: named ones for a state change; {@link #text}
   * and then named ones for a log line; two texts (peer, identity) for send and receive.
   *
   * @param marks the sum of {@link EventMark#bit}
   * @param node from {@link #nodeIndex}
   * @param log from {@link #logIndex}
   * @throws IllegalStateException if the block is full
   */
  public void begin(
      long hlc, long physicalMicros, long sequence, EventKind kind, int marks, int node, int log) {
    if (size == EventBlock.MAX_EVENTS) {
      throw new IllegalStateException("a block holds at most " + size + " events");
    }
    if (size == this.hlc.length) {
      growRows(size * 2);
    }
    sorted &= size == 0 || this.hlc[size - 1] <= hlc;
    this.hlc[size] = hlc;
    physical[size] = physicalMicros;
    this.sequence[size] = sequence;
    this.kind[size] = kind.code();
    this.marks[size] = (byte) marks;
    this.node[size] = node;
    this.log[size] = log;
    changeStart[size] = changeCount;
    size++;
  }

  /** Adds a change to the event begun last, its value as {@link ValueType} says. */
  public void change(Operation operation, int name, ValueType type, long bits) {
    if (changeCount == EventBlock.MAX_CHANGES) {
      throw new IllegalStateException("a block holds at most " + changeCount + " changes");
    }
    if (changeCount == this.operation.length) {
      growChanges(changeCount * 2);
    }
    this.operation[changeCount] = (byte) operation.code();
    this.name[changeCount] = name;
    this.type[changeCount] = type.code();
    this.bits[changeCount] = bits;
    changeCount++;
  }

  /** Adds a change to the event begun last. */
  public void change(Operation operation, int name, Value value) {
    if (value instanceof Value.LongValue number) {
      change(operation, name, ValueType.LONG, number.value());
    } else if (value instanceof Value.DoubleValue number) {
      change(operation, name, ValueType.DOUBLE, Double.doubleToRawLongBits(number.value()));
    } else if (value instanceof Value.BooleanValue truth) {
      change(operation, name, ValueType.BOOLEAN, truth.value() ? 1 : 0);
    } else if (value instanceof Value.StringValue text) {
      change(operation, name, ValueType.STRING, textIndex(text.value()));
    } else if (value instanceof Value.NullValue) {
      change(operation, name, ValueType.NULL, 0);
    } else {
      NestedValues.check(value);
      change(operation, name, ValueType.NESTED, nested.indexOf(value));
    }
  }

  /** The index of a node's name. */
  public int nodeIndex(String node) {
    return nodes.indexOf(node);
  }

  /** The index of a log's name. */
  public int logIndex(String log) {
    return logs.indexOf(log);
  }

  /** The index of a variable's or a field's name. */
  public int nameIndex(String name) {
    return names.indexOf(name);
  }

  /** The index of a text, for the bits of a STRING. */
  public int textIndex(String text) {
    return texts.indexOf(text);
  }

  /**
   * The block, sorted by stamp and, at equal stamps, by node.
   *
   * @throws IllegalStateException if it has a number but not exactly one node
   */
  public EventBlock build() {
    if (header.number() > 0 && nodes.entries().size() != 1) {
      throw new IllegalStateException("a numbered block of nodes " + nodes.entries());
    }
    BlockColumns columns =
        new BlockColumns(
            nodes.entries(),
            logs.entries(),
            names.entries(),
            texts.entries(),
            nested.entries(),
            size,
            changeCount);
    if (sorted && nodes.entries().size() <= 1) {
      copyInOrder(columns);
    } else {
      copySorted(columns);
    }
    columns.changeStart[size] = changeCount;
    return new EventBlock(header, columns);
  }

  private void copyInOrder(BlockColumns to) {
    System.arraycopy(hlc, 0, to.hlc, 0, size);
    System.arraycopy(physical, 0, to.physical, 0, size);
    System.arraycopy(sequence, 0, to.sequence, 0, size);
    System.arraycopy(kind, 0, to.kind, 0, size);
    System.arraycopy(marks, 0, to.marks, 0, size);
    System.arraycopy(node, 0, to.node, 0, size);
    System.arraycopy(log, 0, to.log, 0, size);
    System.arraycopy(changeStart, 0, to.changeStart, 0, size);
    copyChanges(0, changeCount, to, 0);
  }

  private void copySorted(BlockColumns to) {
    int change = 0;
    int[] order =
        IntStream.range(0, size)
            .boxed()
            .sorted(
                Comparator.<Integer>comparingLong(row -> hlc[row])
                    .thenComparing(row -> nodes.entries().get(node[row])))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int row = 0; row < size; row++) {
      int from = order[row];
      to.hlc[row] = hlc[from];
      to.physical[row] = physical[from];
      to.sequence[row] = sequence[from];
      to.kind[row] = kind[from];
      to.marks[row] = marks[from];
      to.node[row] = node[from];
      to.log[row] = log[from];
      to.changeStart[row] = change;
      int end = from + 1 < size ? changeStart[from + 1] : changeCount;
      copyChanges(changeStart[from], end, to, change);
      change += end - changeStart[from];
    }
  }

  private void copyChanges(int from, int end, BlockColumns to, int at) {
    int count = end - from;
    System.arraycopy(operation, from, to.operation, at, count);
    System.arraycopy(name, from, to.name, at, count);
    System.arraycopy(type, from, to.type, at, count);
    System.arraycopy(bits, from, to.bits, at, count);
  }

  private void growRows(int capacity) {
    hlc = Arrays.copyOf(hlc, capacity);
    physical = Arrays.copyOf(physical, capacity);
    sequence = Arrays.copyOf(sequence, capacity);
    kind = Arrays.copyOf(kind, capacity);
    marks = Arrays.copyOf(marks, capacity);
    node = Arrays.copyOf(node, capacity);
    log = Arrays.copyOf(log, capacity);
    changeStart = Arrays.copyOf(changeStart, capacity);
  }

  private void growChanges(int capacity) {
    operation = Arrays.copyOf(operation, capacity);
    name = Arrays.copyOf(name, capacity);
    type = Arrays.copyOf(type, capacity);
    bits = Arrays.copyOf(bits, capacity);
  }
}
