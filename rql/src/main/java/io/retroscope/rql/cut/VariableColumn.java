package io.retroscope.rql.cut;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The present value of one variable at every node, and its value just before the current cut. Used
 * by one thread.
 */
public final class VariableColumn implements PerNode {
  /*
   * The extremes of an all-LONG column answer most queries about staleness. A new value can only
   * widen them. They are computed again, in O(nodes), only after an extreme itself is replaced.
   * Versions rise at one node at a time, so this happens about once in as many changes as there are
   * nodes.
   */
  private final String log;
  private final String name;
  private @Nullable Value[] values = new Value[4];
  private @Nullable Value[] hidden = new Value[0];
  private long[] changedAt = new long[4];
  private int present;
  private long appearances;
  private int presentLongs;
  private boolean extremesKnown;
  private long min;
  private long max;

  private long undoHlc;
  private int undoCount;
  private int[] undoNodes = new int[2];
  private @Nullable Value[] undoValues = new Value[2];

  private boolean touched;
  private boolean holdsState;

  VariableColumn(String log, String name) {
    this.log = log;
    this.name = name;
  }

  /** The log of the variable. */
  public String log() {
    return log;
  }

  /** The name of the variable in its log. */
  public String name() {
    return name;
  }

  @Override
  public @Nullable Value at(int node) {
    return node < values.length && node >= 0 ? values[node] : null;
  }

  /** Returns the value at the node before the cut at {@code hlc}, or null if it was unset. */
  public @Nullable Value before(int node, long hlc) {
    if (undoHlc == hlc) {
      for (int i = 0; i < undoCount; i++) {
        if (undoNodes[i] == node) {
          return undoValues[i];
        }
      }
    }
    return at(node);
  }

  /**
   * Returns whether the value at any node differs between the cut at {@code hlc} and the one
   * before.
   */
  public boolean changedIn(long hlc) {
    if (undoHlc != hlc) {
      return false;
    }
    for (int i = 0; i < undoCount; i++) {
      if (!same(undoValues[i], at(undoNodes[i]))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the packed stamp at which the node's value last changed; the node must have a value.
   */
  public long changedAt(int node) {
    return changedAt[node];
  }

  /** The number of times that a node got its first value or lost its value. */
  public long appearances() {
    return appearances;
  }

  /** The number of nodes that have a value. */
  public int present() {
    return present;
  }

  /** Whether there are values and all are LONGs, which {@link #min} and {@link #max} require. */
  public boolean isAllLong() {
    return present > 0 && present == presentLongs;
  }

  /** The smallest value of an all-LONG column. */
  public long min() {
    findExtremes();
    return min;
  }

  /** The largest value of an all-LONG column. */
  public long max() {
    findExtremes();
    return max;
  }

  /** Whether this cut wrote or unset the variable. */
  public boolean isTouched() {
    return touched;
  }

  void setTouched(boolean touched) {
    this.touched = touched;
  }

  /** Whether a state change ever wrote the variable; log lines then do not set it. */
  boolean holdsState() {
    return holdsState;
  }

  void markState() {
    holdsState = true;
  }

  /** Sets the value at a node in the cut at {@code hlc}; null unsets it. */
  void write(int node, @Nullable Value value, long hlc) {
    ensureCapacity(node);
    Value old = values[node];
    remember(node, old, hlc);
    if (!same(old, value)) {
      changedAt[node] = hlc;
    }
    replace(node, old, value);
  }

  /** Shows a momentary value, or hides it with null. Its end does not count as a change. */
  void flash(int node, @Nullable Value value) {
    replace(node, values[node], value);
  }

  /** Hides the value at a node while the node is not included. */
  boolean hide(int node, long hlc) {
    Value value = at(node);
    if (value == null) {
      return false;
    }
    if (hidden.length <= node) {
      hidden = Arrays.copyOf(hidden, values.length);
    }
    hidden[node] = value;
    remember(node, value, hlc);
    replace(node, value, null);
    return true;
  }

  /** Restores a value after {@link #hide}; its age continues. */
  boolean unhide(int node, long hlc) {
    if (hidden.length <= node || hidden[node] == null) {
      return false;
    }
    remember(node, null, hlc);
    replace(node, null, hidden[node]);
    hidden[node] = null;
    return true;
  }

  private void replace(int node, @Nullable Value old, @Nullable Value value) {
    values[node] = value;
    if ((old == null) != (value == null)) {
      appearances++;
    }
    if (old != null) {
      present--;
      if (old instanceof LongValue gone) {
        presentLongs--;
        extremesKnown &= gone.value() != min && gone.value() != max;
      }
    }
    if (value != null) {
      present++;
      if (value instanceof LongValue arrived) {
        presentLongs++;
        widen(arrived.value());
      }
    }
  }

  private void widen(long value) {
    if (presentLongs == 1) {
      min = value;
      max = value;
      extremesKnown = true;
    } else if (extremesKnown) {
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
  }

  private void findExtremes() {
    if (extremesKnown) {
      return;
    }
    long low = Long.MAX_VALUE;
    long high = Long.MIN_VALUE;
    for (Value value : values) {
      if (value instanceof LongValue number) {
        low = Math.min(low, number.value());
        high = Math.max(high, number.value());
      }
    }
    min = low;
    max = high;
    extremesKnown = true;
  }

  private void remember(int node, @Nullable Value old, long hlc) {
    if (undoHlc != hlc) {
      undoHlc = hlc;
      undoCount = 0;
    }
    for (int i = 0; i < undoCount; i++) {
      if (undoNodes[i] == node) {
        return;
      }
    }
    if (undoCount == undoNodes.length) {
      undoNodes = Arrays.copyOf(undoNodes, 2 * undoCount);
      undoValues = Arrays.copyOf(undoValues, 2 * undoCount);
    }
    undoNodes[undoCount] = node;
    undoValues[undoCount++] = old;
  }

  private void ensureCapacity(int node) {
    if (node >= values.length) {
      int capacity = Math.max(node + 1, 2 * values.length);
      values = Arrays.copyOf(values, capacity);
      changedAt = Arrays.copyOf(changedAt, capacity);
    }
  }

  private static boolean same(@Nullable Value a, @Nullable Value b) {
    if (a == null || b == null) {
      return a == b;
    }
    return (a instanceof LongValue x && b instanceof LongValue y)
        ? x.value() == y.value()
        : a.compareTo(b) == 0;
  }
}
