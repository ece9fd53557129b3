package io.retroscope.blocks;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The present value of one variable at each node, and its last change. Used by one thread. */
final class VariableState {
  /*
   * Each node that ever wrote the variable has a slot, found by hashing with linear probing. The
   * extremes are computed again only after one of them was replaced, which in a log of rising
   * versions happens about once in as many changes as there are nodes.
   */
  private static final int EMPTY = -1;
  private static final byte ABSENT = 0;
  private static final byte LONG = 1;
  private static final byte OTHER = 2;

  private int[] table = {EMPTY, EMPTY, EMPTY, EMPTY};
  private int slots;
  private int[] nodes = new int[2];
  private byte[] kinds = new byte[2];
  private long[] longs = new long[2];
  private long[] changedAt = new long[2];
  private @Nullable Value[] others = new Value[0];

  private int present;
  private int presentLongs;
  private boolean extremesKnown;
  private long min;
  private long max;

  VariableState() {}

  /** A copy. */
  VariableState(VariableState from) {
    table = from.table.clone();
    slots = from.slots;
    nodes = from.nodes.clone();
    kinds = from.kinds.clone();
    longs = from.longs.clone();
    changedAt = from.changedAt.clone();
    others = from.others.clone();
    present = from.present;
    presentLongs = from.presentLongs;
    extremesKnown = from.extremesKnown;
    min = from.min;
    max = from.max;
  }

  /** The number of nodes that ever wrote the variable; slots are the numbers below. */
  int slots() {
    return slots;
  }

  int nodeOf(int slot) {
    return nodes[slot];
  }

  long changedAt(int slot) {
    return changedAt[slot];
  }

  @Nullable Value valueAt(int slot) {
    return switch (kinds[slot]) {
      case ABSENT -> null;
      case LONG -> Value.of(longs[slot]);
      default -> others[slot];
    };
  }

  /** The value at a node, or null. */
  @Nullable Value value(int node) {
    int slot = find(node);
    return slot < 0 ? null : valueAt(slot);
  }

  boolean hasValue() {
    return present > 0;
  }

  boolean isAllLong() {
    return present == presentLongs;
  }

  /** The smallest value; all must be LONGs. */
  long min() {
    findExtremes();
    return min;
  }

  /** The largest value; all must be LONGs. */
  long max() {
    findExtremes();
    return max;
  }

  void writeLong(int node, long value, long hlc) {
    int slot = slotOf(node);
    if (kinds[slot] != LONG) {
      write(node, Value.of(value), hlc);
      return;
    }
    long old = longs[slot];
    if (old != value) {
      changedAt[slot] = hlc;
      longs[slot] = value;
      extremesKnown &= old != min && old != max;
      widen(value);
    }
  }

  /** Sets the value at a node; null unsets it. */
  void write(int node, @Nullable Value value, long hlc) {
    int slot = slotOf(node);
    Value old = valueAt(slot);
    if (old == null ? value != null : value == null || old.compareTo(value) != 0) {
      changedAt[slot] = hlc;
    }
    put(slot, old, value);
  }

  /** Sets a value whose last change is known. */
  void restore(int node, @Nullable Value value, long changed) {
    int slot = slotOf(node);
    put(slot, valueAt(slot), value);
    changedAt[slot] = changed;
  }

  private void put(int slot, @Nullable Value old, @Nullable Value value) {
    present += (value == null ? 0 : 1) - (old == null ? 0 : 1);
    if (old instanceof LongValue gone) {
      presentLongs--;
      extremesKnown &= gone.value() != min && gone.value() != max;
    }
    if (value instanceof LongValue number) {
      kinds[slot] = LONG;
      longs[slot] = number.value();
      presentLongs++;
      widen(number.value());
    } else {
      kinds[slot] = value == null ? ABSENT : OTHER;
    }
    if (kinds[slot] == OTHER || slot < others.length) {
      others = others.length > slot ? others : Arrays.copyOf(others, nodes.length);
      others[slot] = kinds[slot] == OTHER ? value : null;
    }
  }

  private void widen(long value) {
    if (extremesKnown) {
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
  }

  private void findExtremes() {
    if (extremesKnown) {
      return;
    }
    min = Long.MAX_VALUE;
    max = Long.MIN_VALUE;
    for (int slot = 0; slot < slots; slot++) {
      if (kinds[slot] == LONG) {
        min = Math.min(min, longs[slot]);
        max = Math.max(max, longs[slot]);
      }
    }
    extremesKnown = true;
  }

  private int find(int node) {
    int at = home(node);
    while (table[at] != EMPTY) {
      if (nodes[table[at]] == node) {
        return table[at];
      }
      at = (at + 1) & (table.length - 1);
    }
    return -1 - at;
  }

  private int slotOf(int node) {
    int found = find(node);
    if (found >= 0) {
      return found;
    }
    if (slots == nodes.length) {
      grow();
      found = find(node);
    }
    table[-1 - found] = slots;
    nodes[slots] = node;
    return slots++;
  }

  private void grow() {
    int capacity = 2 * slots;
    nodes = Arrays.copyOf(nodes, capacity);
    kinds = Arrays.copyOf(kinds, capacity);
    longs = Arrays.copyOf(longs, capacity);
    changedAt = Arrays.copyOf(changedAt, capacity);
    table = new int[2 * capacity];
    Arrays.fill(table, EMPTY);
    for (int slot = 0; slot < slots; slot++) {
      table[-1 - find(nodes[slot])] = slot;
    }
  }

  private int home(int node) {
    return ((node * 0x9E3779B9) >>> 8) & (table.length - 1);
  }
}
