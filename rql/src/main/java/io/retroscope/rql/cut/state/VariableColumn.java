// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The present value of one variable at every node, and that before the cut. Used by one thread. */
public final class VariableColumn implements PerNode {
  private static final byte ABSENT = 0;
  public static final byte PACKED = 1;
  static final byte OTHER = 2;

  /** Fewer writes, or than one for four nodes, are applied one by one: extremes need no search. */
  private static final int FEW_WRITES = 8;

  private final String log;
  private final String name;
  private final int index;
  private byte[] kinds = new byte[4];
  private long[] numbers = new long[4];

  /** The values of kind OTHER, and those of kind PACKED that were requested as objects. */
  private @Nullable Value[] objects = new Value[4];

  private final HiddenValues hidden = new HiddenValues();
  private long[] changedAt = new long[4];
  private long[] writtenAt = new long[4];
  private int present;
  private long appearances;
  private int presentPacked;
  private final PackedExtremes extremes = new PackedExtremes();
  private final PriorValues prior = new PriorValues();
  private final ValuePacking packing;
  private final LastWrites last = new LastWrites();
  private boolean keepsPackedObjects;
  private boolean touched;
  private long latestEvent;
  private boolean holdsState;

  VariableColumn(String log, String name, int index, WalkTexts texts) {
    this.log = log;
    this.name = name;
    this.index = index;
    this.packing = new ValuePacking(texts);
  }

  /** The log of the variable. */
  public String log() {
    return log;
  }

  /** The name of the variable in its log. */
  public String name() {
    return name;
  }

  /** The number of variables that its state followed before. */
  public int index() {
    return index;
  }

  @Override
  public @Nullable Value at(int node) {
    if (node < 0 || node >= kinds.length) {
      return null;
    }
    Value object = objects[node];
    if (object == null && kinds[node] == PACKED) {
      object = packing.value(numbers[node]);
      objects[node] = object;
      keepsPackedObjects = true;
    }
    return object;
  }

  /** Returns the value at the node before the cut at {@code hlc}, or null if it was unset. */
  public @Nullable Value before(int node, long hlc) {
    int index = prior.indexOf(node, hlc);
    return index == PriorValues.NONE
        ? at(node)
        : value(prior.kind(index), prior.number(index), prior.object(index));
  }

  /** Whether the value at any node differs between the cut at {@code hlc} and the one before. */
  public boolean changedIn(long hlc) {
    boolean changed = false;
    for (int i = 0; i < prior.count(hlc) && !changed; i++) {
      changed = !isAt(prior.node(i), prior.kind(i), prior.number(i), prior.object(i));
    }
    return changed;
  }

  /**
   * Returns the packed stamp at which the node's value last changed; the node must have a value.
   */
  public long changedAt(int node) {
    return changedAt[node];
  }

  /**
   * Returns the packed stamp at which the node's value was last written; the node must have a
   * value, and the state must {@link CutState#keepWrites}.
   */
  public long writtenAt(int node) {
    return writtenAt[node];
  }

  /** The packed stamp of the earliest last change at a node; there must be a value. */
  public long firstChange() {
    long first = Long.MAX_VALUE;
    for (int node = 0; node < kinds.length; node++) {
      first = kinds[node] == ABSENT ? first : Math.min(first, changedAt[node]);
    }
    return first;
  }

  /** The packed stamp of the latest change at a node; there must be a value. */
  public long lastChange() {
    long last = Long.MIN_VALUE;
    for (int node = 0; node < kinds.length; node++) {
      last = kinds[node] == ABSENT ? last : Math.max(last, changedAt[node]);
    }
    return last;
  }

  /** The number of times that a node got its first value or lost its value. */
  public long appearances() {
    return appearances;
  }

  /** The number of nodes that have a value. */
  public int present() {
    return present;
  }

  /**
   * The type of the values that are held as numbers: LONG, STRING, DOUBLE or BOOLEAN. Values of
   * other types, and those without a number, are objects. Changes only when no value is a number.
   */
  public ValueType packedType() {
    return packing.type();
  }

  /** How values are numbers. */
  ValuePacking packing() {
    return packing;
  }

  /** The number of a text, or {@link WalkTexts#NONE}. */
  public int numberOf(String text) {
    return packing.texts().idOf(text);
  }

  /** Whether there are values and all are LONGs. */
  public boolean isAllLong() {
    return isAllPacked() && packing.type() == ValueType.LONG;
  }

  /** Whether there are values and all are numbers, which {@link #min} and {@link #max} require. */
  public boolean isAllPacked() {
    return present > 0 && present == presentPacked;
  }

  /** Whether there is a value at the node. */
  public boolean isSet(int node) {
    return node >= 0 && node < kinds.length && kinds[node] != ABSENT;
  }

  /** Whether the value at the node is a number for one of the {@link #packedType}. */
  public boolean isPacked(int node) {
    return node >= 0 && node < kinds.length && kinds[node] == PACKED;
  }

  /** The number at a node for which {@link #isPacked} is true. */
  public long number(int node) {
    return numbers[node];
  }

  /** The kind of value that each node has; shorter than the nodes if the last ones have none. */
  public byte[] kinds() {
    return kinds;
  }

  /** The number that each node has whose kind is {@link #PACKED}. */
  public long[] numbers() {
    return numbers;
  }

  /** The number of nodes whose values are numbers. */
  public int packedCount() {
    return presentPacked;
  }

  /** The smallest number. */
  public long min() {
    return extremes.min(kinds, numbers);
  }

  /** The largest number. */
  public long max() {
    return extremes.max(kinds, numbers);
  }

  /** Whether this cut wrote or unset the variable. */
  public boolean isTouched() {
    return touched;
  }

  void setTouched(boolean touched) {
    this.touched = touched;
  }

  /** Returns whether this is the first call for an event, which has a number. */
  boolean isFirstIn(long event) {
    boolean first = latestEvent != event;
    latestEvent = event;
    return first;
  }

  /** Whether a state change ever wrote the variable; log lines then do not set it. */
  public boolean holdsState() {
    return holdsState;
  }

  void markState() {
    holdsState = true;
  }

  /** Sets the value at a node in the cut at {@code hlc}; null unsets it. */
  void write(int node, @Nullable Value value, long hlc) {
    byte kind = pack(value);
    write(node, kind, kind == PACKED ? packing.number() : 0, value, hlc);
  }

  /** Sets a LONG at a node in the cut at {@code hlc}. */
  void write(int node, long number, long hlc) {
    if (packing.type() == ValueType.LONG) {
      write(node, PACKED, number, null, hlc);
    } else {
      write(node, Value.of(number), hlc);
    }
  }

  /** The kind of a value, which determines the type of numbers if there are none yet. */
  private byte pack(@Nullable Value value) {
    if (value == null) {
      return ABSENT;
    }
    if (presentPacked == 0 && !packing.isFor(value)) {
      prior.unpack(packing);
      packing.become(value);
    }
    return packing.pack(value) ? PACKED : OTHER;
  }

  private void write(int node, byte kind, long number, @Nullable Value object, long hlc) {
    ensureCapacity(node);
    remember(node, hlc);
    changedAt[node] = isAt(node, kind, number, object) ? changedAt[node] : hlc;
    writtenAt[node] = hlc;
    replace(node, kind, number, object);
  }

  /** Replaces a number without any record for {@link #before} and {@link #changedIn}. */
  void replaceNumber(int node, long number, long hlc) {
    if (numbers[node] != number) {
      changedAt[node] = hlc;
      replace(node, PACKED, number, null);
    }
  }

  /** Returns whether writes replace a number each. */
  public boolean replacesNumbers(int nodeCount, int[] nodes, int from, int to) {
    return presentPacked == nodeCount || arePacked(kinds, nodes, from, to);
  }

  private static boolean arePacked(byte[] kinds, int[] nodes, int from, int to) {
    int other = 0;
    for (int i = from; i < to; i++) {
      int node = nodes[i];
      other |= node < kinds.length ? kinds[node] ^ PACKED : 1;
    }
    return other == 0;
  }

  /** Replaces a LONG by the last one of a block, whose last change or else first write is given. */
  public void settleLong(int node, long number, long hlc, boolean isChangedInside) {
    if (isChangedInside || numbers[node] != number) {
      changedAt[node] = hlc;
    }
    replace(node, PACKED, number, null);
  }

  /** Applies writes, each of which replaces a number. */
  public void replaceNumbers(int[] nodes, long[] written, long[] stamps, int from, int to) {
    if (to - from < Math.max(FEW_WRITES, presentPacked / 4)) {
      for (int i = from; i < to; i++) {
        replaceNumber(nodes[i], written[i], stamps[i]);
      }
      return;
    }
    last.store(nodes, written, stamps, from, to, kinds, numbers, changedAt);
    forgetPackedObjects();
    extremes.find(kinds, numbers);
  }

  private void forgetPackedObjects() {
    if (keepsPackedObjects) {
      keepsPackedObjects = false;
      for (int node = 0; node < kinds.length; node++) {
        objects[node] = kinds[node] == PACKED ? null : objects[node];
      }
    }
  }

  /** Shows a momentary value, or hides it with null. Its end does not count as a change. */
  void flash(int node, @Nullable Value value) {
    ensureCapacity(node);
    replace(node, value);
  }

  /** Hides the value at a node while the node is not included. */
  boolean hide(int node, long hlc) {
    Value value = at(node);
    if (value != null) {
      hidden.put(node, value);
      remember(node, hlc);
      replace(node, null);
    }
    return value != null;
  }

  boolean hides(int node) {
    return hidden.has(node);
  }

  /** Restores a value after {@link #hide}; its age continues. */
  boolean unhide(int node, long hlc) {
    Value value = hidden.take(node);
    if (value != null) {
      remember(node, hlc);
      replace(node, value);
    }
    return value != null;
  }

  private void replace(int node, @Nullable Value value) {
    byte kind = pack(value);
    replace(node, kind, kind == PACKED ? packing.number() : 0, value);
  }

  private void replace(int node, byte kind, long number, @Nullable Value object) {
    byte old = kinds[node];
    kinds[node] = kind;
    long gone = numbers[node];
    numbers[node] = number;
    objects[node] = object;
    keepsPackedObjects |= object != null;
    if (old != kind) {
      count(old, -1);
      count(kind, 1);
    }
    if (old == PACKED) {
      extremes.remove(gone);
    }
    if (kind == PACKED) {
      extremes.add(number, presentPacked == 1);
    }
  }

  private void count(byte kind, int difference) {
    present += kind == ABSENT ? 0 : difference;
    presentPacked += kind == PACKED ? difference : 0;
    appearances += kind == ABSENT ? 1 : 0;
  }

  /** Keeps the present value at a node as that before the cut, unless it is kept already. */
  private void remember(int node, long hlc) {
    prior.keep(node, kinds[node], numbers[node], objects[node], hlc);
  }

  private void ensureCapacity(int node) {
    if (node >= kinds.length) {
      int capacity = Math.max(node + 1, 2 * kinds.length);
      kinds = Arrays.copyOf(kinds, capacity);
      numbers = Arrays.copyOf(numbers, capacity);
      objects = Arrays.copyOf(objects, capacity);
      changedAt = Arrays.copyOf(changedAt, capacity);
      writtenAt = Arrays.copyOf(writtenAt, capacity);
    }
  }

  /** Returns whether a value equals the present one, as values of the language compare. */
  private boolean isAt(int node, byte kind, long number, @Nullable Value object) {
    byte old = kinds[node];
    if (old == PACKED && kind == PACKED) {
      return numbers[node] == number;
    }
    if (old == ABSENT || kind == ABSENT) {
      return old == kind;
    }
    Value here = at(node);
    Value there = value(kind, number, object);
    return here != null && there != null && here.compareTo(there) == 0;
  }

  private @Nullable Value value(byte kind, long number, @Nullable Value object) {
    return object == null && kind == PACKED ? packing.value(number) : object;
  }
}
