// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A column batch of events in ascending order of their stamps: the unit of shipping, storing and
 * scanning. Immutable and thread-safe.
 *
 * <p>A block that a node sends holds that node's events only. It is numbered within the node's
 * incarnation and carries a <em>heartbeat promise</em>: the node's events up to {@link
 * #heartbeat()} are all in the blocks 1 to {@link #number()} of this incarnation.
 *
 * <p>An <em>empty</em> block consists of such a promise only. It has no number of its own: its
 * {@code number()} is that of the last block with events before it. It therefore need not be
 * stored, may be dropped or repeated freely, and is never a duplicate.
 *
 * <p>A block created by a server, with events of one node or many, has number 0 and carries no
 * promise.
 *
 * <p>The accessors that take a row or a change index do not allocate, except {@link #event}, {@link
 * #body} and {@link #value}. An index outside the block results in an {@link
 * IndexOutOfBoundsException}.
 */
public final class EventBlock implements BlockFrame {
  /** The maximum number of events in one block. */
  public static final int MAX_EVENTS = 1 << 16;

  /** The maximum number of changes in one block; the last event may still need all of them. */
  public static final int MAX_CHANGES = 1 << 20;

  /** The heartbeat of a block without a promise; below every stamp that a clock gives out. */
  public static final long NO_HEARTBEAT = HlcTimestamp.MIN_PACKED;

  /**
   * The name index of a change that does not belong to a variable: the text of a log line, both
   * ends of a message, the parts of a start.
   */
  public static final int NO_NAME = -1;

  private static final byte YES = 1;
  private static final byte NO = 2;

  private final BlockHeader header;
  private final List<String> incarnations;
  private final Dictionaries dictionaries;
  private final BlockColumns heads;
  private final @Nullable ChangesByVariable byVariable;
  private final int size;
  private final int changeCount;

  /** The answer of {@link #writesLongsOnly}, found once; a race finds the same answer again. */
  private byte longsOnly;

  /** Where {@link #nextTie} finds rows, found once like {@link #longsOnly}. */
  private @Nullable StampTies ties;

  /** Whether {@link #gathered} are kept after they were made; a race makes them again. */
  private boolean keepsGathered;

  private @Nullable ChangesByVariable gathered;

  /** Whether there are none, because a row does more. */
  private boolean doesMore;

  EventBlock(
      BlockHeader header,
      Dictionaries dictionaries,
      BlockColumns columns,
      int size,
      int changeCount) {
    this(header, List.of(), dictionaries, columns, null, size, changeCount);
  }

  /**
   * A block of several runs.
   *
   * @param incarnations one for each of the nodes, which may repeat a name; empty if all have that
   *     of the header
   * @param heads the columns of rows, and without {@code byVariable} those of changes
   */
  EventBlock(
      BlockHeader header,
      List<String> incarnations,
      Dictionaries dictionaries,
      BlockColumns heads,
      @Nullable ChangesByVariable byVariable,
      int size,
      int changeCount) {
    this.header = header;
    this.incarnations = List.copyOf(incarnations);
    this.dictionaries = dictionaries;
    this.heads = heads;
    this.byVariable = byVariable;
    this.size = size;
    this.changeCount = changeCount;
    boolean holdsLongs = byVariable == null ? heads.holdsLongsOnly() : byVariable.areSingleLongs();
    longsOnly = holdsLongs ? YES : (byVariable == null ? 0 : NO);
  }

  /** An empty block with a promise that does not announce the next one. */
  public static EventBlock heartbeat(
      String node, String incarnation, long number, long heartbeat, long lastSequence) {
    return heartbeat(node, incarnation, number, heartbeat, lastSequence, 0);
  }

  /**
   * An empty block with a promise.
   *
   * @param number the number of the last block with events before it, 0 if there is none
   * @param heartbeat packed, see {@link #heartbeat()}
   * @param promiseMicros see {@link #promiseMicros()}
   */
  public static EventBlock heartbeat(
      String node,
      String incarnation,
      long number,
      long heartbeat,
      long lastSequence,
      long promiseMicros) {
    EventBlockBuilder builder = new EventBlockBuilder();
    builder.nodeIndex(node);
    return builder
        .incarnation(incarnation, number)
        .promise(heartbeat, lastSequence, promiseMicros)
        .build();
  }

  /** A block as created by a server, with events of any nodes in any order. */
  public static EventBlock of(Iterable<Event> events) {
    EventBlockBuilder builder = new EventBlockBuilder();
    events.forEach(builder::add);
    return builder.build();
  }

  Dictionaries dictionaries() {
    return dictionaries;
  }

  /** All columns, with those of the changes in the order of rows. */
  BlockColumns columns() {
    return byVariable == null ? heads : byVariable.byRow(heads);
  }

  /** The columns of rows; those of changes may be missing. */
  BlockColumns heads() {
    return heads;
  }

  /** The changes as a column for each variable; null if the block was not made of these. */
  public @Nullable ChangesByVariable byVariable() {
    return byVariable;
  }

  /**
   * Keeps the changes as columns after {@link ChangesByVariable#of} gathered them, for a block that
   * is walked often and not shared with other threads yet.
   */
  public EventBlock keepingColumns() {
    keepsGathered = true;
    return this;
  }

  /** Keeps the changes as columns that share the memory of the rows. */
  void keep(ChangesByVariable columns) {
    gathered = columns;
  }

  /** The changes as columns, gathered from the rows; null if a row does more. */
  @Nullable ChangesByVariable gathered() {
    ChangesByVariable known = gathered;
    if (known != null || doesMore) {
      return known;
    }
    known = GatheredChanges.of(this);
    if (keepsGathered) {
      gathered = known;
      doesMore = known == null;
    }
    return known;
  }

  /** The approximate memory usage of the block, in bytes. */
  public long memoryBytes() {
    boolean isTwice = byVariable != null || keepsGathered;
    long twice = isTwice ? BlockColumns.memoryBytes(0, 2 * changeCount) : 0;
    return heads.memoryBytes() + twice + dictionaries.memoryBytes();
  }

  /** The number of events. */
  public int size() {
    return size;
  }

  /** Whether the block holds no events, so that it is only a heartbeat promise. */
  public boolean isEmpty() {
    return size() == 0;
  }

  /**
   * The one node of the block.
   *
   * @throws IllegalStateException if a server created the block with events of several nodes or of
   *     none
   */
  public String node() {
    if (dictionaries.nodes().size() != 1) {
      throw new IllegalStateException(
          "a block of " + dictionaries.nodes().size() + " nodes: " + nodes());
    }
    return dictionaries.nodes().get(0);
  }

  /** The incarnation of all events; empty if it is not known, or if they have several. */
  @Override
  public String incarnation() {
    return header.incarnation();
  }

  /** The incarnation of the events with a node index; empty if it is not known. */
  public String incarnation(int nodeIndex) {
    return incarnations.isEmpty() ? header.incarnation() : incarnations.get(nodeIndex);
  }

  /**
   * The block's number among the incarnation's blocks with events, from 1; 0 for a block created by
   * a server.
   */
  public long number() {
    return header.number();
  }

  /**
   * The promise, packed: every event of this incarnation that is not in a block up to {@link
   * #number()} is above it; {@link #NO_HEARTBEAT} if there is none.
   */
  public long heartbeat() {
    return header.heartbeat();
  }

  /**
   * The highest sequence number that the incarnation had assigned at the promise, including those
   * of dropped events, so that drops after the last event are visible; 0 if unknown.
   */
  public long lastSequence() {
    return header.lastSequence();
  }

  /**
   * The time within which the node sends its next promise, in microseconds after this one; 0 if not
   * announced. A node that has missed several is silent.
   */
  public long promiseMicros() {
    return header.promiseMicros();
  }

  @Override
  public long firstHlc() {
    return isEmpty() ? header.heartbeat() : heads.hlc[0];
  }

  @Override
  public long lastHlc() {
    return isEmpty() ? header.heartbeat() : heads.hlc[size() - 1];
  }

  /** The nodes, in the order of their indexes; a node with several runs in the block repeats. */
  public List<String> nodes() {
    return dictionaries.nodes();
  }

  /** The logs, in the order of their indexes; starts and stops have the empty name. */
  public List<String> logs() {
    return dictionaries.logs();
  }

  /** The names of variables and of log lines' fields, in the order of their indexes. */
  public List<String> variables() {
    return dictionaries.names();
  }

  /** The texts, in the order of their indexes, which are the bits of values of type STRING. */
  public List<String> texts() {
    return dictionaries.texts();
  }

  /** The packed stamp of a row. */
  public long hlc(int row) {
    return heads.hlc[row];
  }

  /** Index of the first row at or above a packed stamp; the size if there is none. */
  public int firstAt(long hlc) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (heads.hlc[middle] < hlc) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * The first of the rows {@code from} to {@code to - 1} that has the same stamp as the row before
   * it; {@code to} if there is none. {@code from} is at least 1.
   */
  public int nextTie(int from, int to) {
    StampTies known = ties;
    if (known == null) {
      known = StampTies.of(heads.hlc, size);
      ties = known;
    }
    return known.next(from, Math.min(to, size), to);
  }

  /** Copies the packed stamps of rows to a place in an array. */
  public void copyStamps(int row, int count, long[] to, int at) {
    System.arraycopy(heads.hlc, row, to, at, count);
  }

  /** Copies the {@link #bits} of changes to a place in an array. */
  public void copyBits(int change, int count, long[] to, int at) {
    System.arraycopy(columns().bits, change, to, at, count);
  }

  /** Copies, for each of some rows, the entry of its {@link #nodeIndex} in a table. */
  public void copyNodes(int row, int count, int[] table, int[] to, int at) {
    int[] indexes = heads.node;
    for (int i = 0; i < count; i++) {
      to[at + i] = table[indexes[row + i]];
    }
  }

  /** Copies the {@link #physicalMicros} and the {@link #sequence} of all rows. */
  public void copyReadings(long[] physicalMicros, long[] sequences) {
    heads.copyPhysical(0, size, physicalMicros, 0);
    heads.copySequences(0, size, sequences, 0);
  }

  /** The node's raw physical reading, or {@link Event#NO_PHYSICAL}. */
  public long physicalMicros(int row) {
    return heads.physical(row);
  }

  /** The sequence number, or {@link Event#NO_SEQUENCE}. */
  public long sequence(int row) {
    return heads.sequence(row);
  }

  /** The kind of the row. */
  public EventKind kind(int row) {
    return EventKind.ofCode(heads.kind[row]);
  }

  /** Whether the row carries the mark. */
  public boolean isMarked(int row, EventMark mark) {
    return (heads.marks[row] & mark.bit()) != 0;
  }

  /** The sum of {@link EventMark#bit} of the row's marks. */
  public int markBits(int row) {
    return heads.marks[row];
  }

  /** Index of the row's node in {@link #nodes()}. */
  public int nodeIndex(int row) {
    return heads.node[row];
  }

  /** Index of the row's log in {@link #logs()}. */
  public int logIndex(int row) {
    return heads.log[row];
  }

  /** The row's first change. */
  public int firstChange(int row) {
    return columns().changeStart[row];
  }

  /** One past the row's last change. */
  public int endChange(int row) {
    return columns().changeStart[row + 1];
  }

  /** The number of changes in the block. */
  public int changeCount() {
    return changeCount;
  }

  /** The operation of a change; SET if the row is not a state change. */
  public EventBody.Operation operation(int change) {
    return EventBody.Operation.ofCode(columns().operation[change]);
  }

  /** Index of the changed variable in {@link #variables()}, or {@link #NO_NAME}. */
  public int nameIndex(int change) {
    return columns().name[change];
  }

  /** The interpretation of {@link #bits}. */
  public ValueType type(int change) {
    return ValueType.ofCode(columns().type[change]);
  }

  /** The value, encoded according to {@link #type}. */
  public long bits(int change) {
    return columns().bits[change];
  }

  /**
   * Whether each row is a state change without a mark that sets one variable to a LONG. The index
   * of its change is then that of the row.
   */
  public boolean writesLongsOnly() {
    if (longsOnly == 0) {
      longsOnly = heads.writeLongsOnly(size) ? YES : NO;
    }
    return longsOnly == YES;
  }

  /** The text of a change of type STRING. */
  public String text(int change) {
    return texts().get((int) bits(change));
  }

  /** The value of a change, for any type. */
  public Value value(int change) {
    long bits = columns().bits[change];
    return switch (type(change)) {
      case NULL -> Value.NullValue.NULL;
      case BOOLEAN -> Value.of(bits != 0);
      case LONG -> Value.of(bits);
      case DOUBLE -> Value.of(Double.longBitsToDouble(bits));
      case STRING -> Value.of(dictionaries.texts().get((int) bits));
      case NESTED -> dictionaries.nested().get((int) bits);
    };
  }

  /**
   * The row as an event. It names its incarnation where a server made the block; what a node sent
   * is all of the block's {@link #incarnation()}.
   */
  public Event event(int row) {
    return new Event(
        dictionaries.nodes().get(heads.node[row]),
        number() == 0 ? incarnation(heads.node[row]) : "",
        dictionaries.logs().get(heads.log[row]),
        heads.hlc[row],
        heads.physical(row),
        heads.sequence(row),
        EventMark.of(heads.marks[row]),
        body(row));
  }

  /** All rows as events, in the order of the block. */
  public List<Event> events() {
    List<Event> events = new ArrayList<>(size());
    for (int row = 0; row < size(); row++) {
      events.add(event(row));
    }
    return events;
  }

  /** The body of the row. */
  public EventBody body(int row) {
    return BodyLayout.read(this, row);
  }

  /** A short description for messages, without the content. */
  @Override
  public String toString() {
    return "EventBlock[%d events of %s, number %d, heartbeat %s]"
        .formatted(size(), nodes(), number(), HlcTimestamp.text(heartbeat()));
  }
}
