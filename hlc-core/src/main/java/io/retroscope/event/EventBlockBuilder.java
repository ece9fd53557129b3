// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.event.EventBody.Operation;

/**
 * A reusable builder of {@link EventBlock}s, which accepts events in any order. Not thread-safe.
 *
 * <p>Events are added with {@link #add(Event)}, or, in code that must not allocate an object per
 * event, with {@link #begin} followed by the event's {@link #change changes}.
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
  private int changeCount;
  private boolean sorted = true;
  private BlockColumns columns;

  /** Used by {@link #lend} if the rows are not in order. */
  private BlockColumns ordered = new BlockColumns(0, 0);

  private final RowOrder rowOrder = new RowOrder();

  /** A builder of a block created by a server, unless {@link #incarnation} is called. */
  public EventBlockBuilder() {
    this(INITIAL_ROWS);
  }

  /**
   * Like {@link #EventBlockBuilder()}, with an initial capacity.
   *
   * @param expectedCount events, 1 to {@link EventBlock#MAX_EVENTS}; more may be added
   */
  public EventBlockBuilder(int expectedCount) {
    columns = new BlockColumns(expectedCount, expectedCount);
  }

  /** Makes the block the incarnation's {@code number}-th, counted from 1. */
  public EventBlockBuilder incarnation(String incarnation, long number) {
    header =
        new BlockHeader(
            incarnation, number, header.heartbeat(), header.lastSequence(), header.promiseMicros());
    return this;
  }

  /** Like {@link #promise(long, long, long)}, without announcing the next promise. */
  public EventBlockBuilder promise(long heartbeat, long lastSequence) {
    return promise(heartbeat, lastSequence, 0);
  }

  /**
   * Sets {@link EventBlock#heartbeat()}, {@link EventBlock#lastSequence()} and {@link
   * EventBlock#promiseMicros()}.
   *
   * @param heartbeat packed
   */
  public EventBlockBuilder promise(long heartbeat, long lastSequence, long promiseMicros) {
    header =
        new BlockHeader(
            header.incarnation(), header.number(), heartbeat, lastSequence, promiseMicros);
    return this;
  }

  /** Adds the mark {@link EventMark#UNBOUND} to every event so far. */
  public EventBlockBuilder markUnbound() {
    for (int row = 0; row < size; row++) {
      columns.marks[row] |= (byte) EventMark.UNBOUND.bit();
    }
    return this;
  }

  /**
   * Removes everything, including the indexes of names, but keeps the memory for the next block.
   */
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
   * @throws IllegalArgumentException if it holds a value that only queries produce, or one nested
   *     deeper than {@link EventBlockCodec#MAX_NESTING}
   * @throws IllegalStateException if the block is full
   */
  public EventBlockBuilder add(Event event) {
    int bitset = 0;
    if (!event.marks().isEmpty()) {
      for (EventMark mark : event.marks()) {
        bitset += mark.bit();
      }
    }
    int row = size;
    int change = changeCount;
    EventBody body = event.body();
    begin(
        event.hlc(),
        event.physicalMicros(),
        event.sequence(),
        body.kind(),
        bitset,
        nodeIndex(event.node()),
        logIndex(event.log()));
    try {
      BodyLayout.write(body, this);
    } catch (RuntimeException e) {
      size = row;
      changeCount = change;
      throw e;
    }
    return this;
  }

  /** Adds the other node, empty if unknown, and the identity of a message that is begun. */
  public void message(String peer, String id) {
    BodyLayout.writeMessage(peer, id, this);
  }

  /**
   * Begins an event. A state change is continued by one or more calls of {@link #change}, a send or
   * a receive by a call of {@link #message}; events of other kinds are added by {@link #add}.
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
    if (size == columns.maxEvents()) {
      grow(size * 2, columns.maxChanges());
    }
    BlockColumns to = columns;
    sorted &= size == 0 || to.hlc[size - 1] <= hlc;
    to.hlc[size] = hlc;
    to.physical[size] = physicalMicros;
    to.sequence[size] = sequence;
    to.kind[size] = kind.code();
    to.marks[size] = (byte) marks;
    to.node[size] = node;
    to.log[size] = log;
    size++;
    to.changeStart[size] = changeCount;
  }

  /**
   * Adds a change to the event begun last, with its value encoded as described in {@link
   * ValueType}.
   *
   * @param name from {@link #nameIndex}
   * @throws IllegalStateException if the block has {@link EventBlock#MAX_CHANGES} already
   */
  public void change(Operation operation, int name, ValueType type, long bits) {
    if (changeCount == EventBlock.MAX_CHANGES) {
      throw new IllegalStateException("a block holds at most " + changeCount + " changes");
    }
    if (changeCount == columns.maxChanges()) {
      grow(columns.maxEvents(), changeCount * 2);
    }
    BlockColumns to = columns;
    to.operation[changeCount] = (byte) operation.code();
    to.name[changeCount] = name;
    to.type[changeCount] = type.code();
    to.bits[changeCount] = bits;
    changeCount++;
    to.changeStart[size] = changeCount;
  }

  /** Adds a change to the event begun last. */
  public void change(Operation operation, int name, Value value) {
    ValueType type = ValueType.of(value);
    long bits =
        switch (type) {
          case NULL -> 0;
          case BOOLEAN -> ((Value.BooleanValue) value).value() ? 1 : 0;
          case LONG -> ((Value.LongValue) value).value();
          case DOUBLE -> Double.doubleToRawLongBits(((Value.DoubleValue) value).value());
          case STRING -> textIndex(((Value.StringValue) value).value());
          case NESTED -> nestedIndex(value);
        };
    change(operation, name, type, bits);
  }

  private int nestedIndex(Value value) {
    NestedValues.check(value);
    return nested.indexOf(value);
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
   * The index of a text that the block probably has not: it is not looked for, so that a block may
   * have it several times.
   */
  public int newTextIndex(String text) {
    return texts.add(text);
  }

  /**
   * The block, sorted by stamp and, for equal stamps, by node.
   *
   * @throws IllegalStateException if it has a number but not exactly one node
   */
  public EventBlock build() {
    if (isOrdered()) {
      return copy();
    }
    BlockColumns own = new BlockColumns(size, changeCount);
    columns.copyTo(own, size, rowOrder.of(columns, size, nodes.entries()));
    return block(own);
  }

  /**
   * The block with the events in the order in which they were added.
   *
   * @throws IllegalStateException as {@link #build}, or if a stamp is lower than the one before
   */
  public EventBlock buildAsAdded() {
    if (!sorted) {
      throw new IllegalStateException("the stamps of " + size + " events descend");
    }
    return copy();
  }

  private EventBlock copy() {
    BlockColumns own = new BlockColumns(size, changeCount);
    columns.copyTo(own, size, changeCount);
    return block(own);
  }

  /**
   * Like {@link #build}, in memory that is still owned by this builder: the block is valid only
   * until the next call of any method. An index outside the block may go undetected.
   *
   * @throws IllegalStateException as {@link #build}
   */
  public EventBlock lend() {
    if (isOrdered()) {
      return block(columns);
    }
    if (ordered.maxEvents() < size || ordered.maxChanges() < changeCount) {
      ordered = new BlockColumns(columns.maxEvents(), columns.maxChanges());
    }
    columns.copyTo(ordered, size, rowOrder.of(columns, size, nodes.entries()));
    return block(ordered);
  }

  private boolean isOrdered() {
    return sorted && nodes.entries().size() <= 1;
  }

  private EventBlock block(BlockColumns filled) {
    if (header.number() > 0 && nodes.entries().size() != 1) {
      throw new IllegalStateException("a numbered block of nodes " + nodes.entries());
    }
    Dictionaries dictionaries =
        new Dictionaries(
            nodes.entries(), logs.entries(), names.entries(), texts.entries(), nested.entries());
    return new EventBlock(header, dictionaries, filled, size, changeCount);
  }

  private void grow(int maxEvents, int maxChanges) {
    BlockColumns grown = new BlockColumns(maxEvents, maxChanges);
    columns.copyTo(grown, size, changeCount);
    columns = grown;
  }
}
