// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.NumberValue;
import io.retroscope.event.Value.StringValue;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The values of one variable at the nodes of a run. Used by one thread. */
final class VariableHistory {
  /** The most values of a variable of which each may be a trait. */
  static final int MAX_VALUES = 8;

  private static final long NEVER = Long.MAX_VALUE;

  private final TraitVocabulary.Variable name;
  private final int number;
  private final Map<Value, ValueHistory> values = new HashMap<>();
  private Value[] now = new Value[4];
  private Value[] before = new Value[4];
  private boolean isManyValued;
  private boolean isNumber = true;
  private long changed = NEVER;
  private long differsSince = NEVER;

  VariableHistory(TraitVocabulary.Variable name, int number) {
    this.name = name;
    this.number = number;
    Arrays.fill(now, NullValue.NULL);
    Arrays.fill(before, NullValue.NULL);
  }

  TraitVocabulary.Variable name() {
    return name;
  }

  int number() {
    return number;
  }

  /** The values with histories; none if there are too many. */
  Iterable<ValueHistory> values() {
    return values.values();
  }

  boolean isManyValued() {
    return isManyValued;
  }

  /** Whether every value so far is a number. */
  boolean isNumber() {
    return isNumber;
  }

  Value at(int node) {
    return node < now.length ? now[node] : NullValue.NULL;
  }

  /** A number above that of each node with a value. */
  int size() {
    return now.length;
  }

  /** A value as a number, NaN if it has none; only if {@link #isNumber}. */
  double number(int node) {
    return number(at(node));
  }

  private static double number(Value value) {
    return value instanceof NumberValue number ? number.nearest() : Double.NaN;
  }

  /**
   * Sets the value at a node.
   *
   * @param maker makes the history of a new value, or returns null if there is no room
   */
  void set(int node, Value value, long hlc, ValueMaker maker) {
    grow(node);
    ValueHistory old = values.get(now[node]);
    if (old != null) {
      old.end(node, hlc);
    }
    if (value != NullValue.NULL && !now[node].equals(value)) {
      changed = hlc;
    }
    now[node] = value;
    isNumber &= value instanceof NumberValue || value == NullValue.NULL;
    boolean isPlain = value instanceof LongValue || value instanceof BooleanValue || isShort(value);
    if (value == NullValue.NULL || isManyValued) {
      return;
    }
    ValueHistory next = values.get(value);
    if (next == null && (!isPlain || values.size() == MAX_VALUES)) {
      isManyValued = true;
      values.clear();
      return;
    }
    if (next == null) {
      next = maker.make(this, value);
      values.put(value, next);
    }
    next.begin(node, hlc);
  }

  private static boolean isShort(Value value) {
    return value instanceof StringValue text && text.value().length() <= 100;
  }

  private void grow(int node) {
    if (node >= now.length) {
      int length = now.length;
      now = Arrays.copyOf(now, Math.max(2 * length, node + 1));
      before = Arrays.copyOf(before, now.length);
      Arrays.fill(now, length, now.length, NullValue.NULL);
      Arrays.fill(before, length, before.length, NullValue.NULL);
    }
  }

  /** A maker of histories of values. */
  interface ValueMaker {
    ValueHistory make(VariableHistory variable, Value value);
  }

  /** Takes a cut at which the variable was set at a node. */
  void cut(int node, long hlc, RunTraits traits) {
    Value value = at(node);
    ValueHistory history = values.get(value);
    if (history != null && history.isAt(node)) {
      history.seen(node, hlc);
    }
    if (isNumber && value != NullValue.NULL) {
      double number = number(value);
      traits.measure(TraitKind.HIGH, this.number, 0, number, hlc);
      traits.measure(TraitKind.LOW, this.number, 0, -number, hlc);
      if (number < number(before[node])) {
        traits.hold(TraitKind.FELL, this.number, 0, hlc);
      }
    }
    before[node] = value;
  }

  /** Takes a cut at which the variable was set at any nodes. */
  void cut(long hlc, RunTraits traits) {
    Set<Value> different = new HashSet<>();
    double least = Double.POSITIVE_INFINITY;
    double greatest = Double.NEGATIVE_INFINITY;
    for (Value value : now) {
      if (value != NullValue.NULL) {
        different.add(value);
        least = Math.min(least, number(value));
        greatest = Math.max(greatest, number(value));
      }
    }
    if (isNumber && greatest > least) {
      traits.measure(TraitKind.APART, number, 0, greatest - least, hlc);
    }
    boolean differs = different.size() >= 2;
    if (differs && differsSince == NEVER) {
      differsSince = hlc;
    } else if (!differs && differsSince != NEVER) {
      differed(hlc, traits);
      differsSince = NEVER;
    }
  }

  private void differed(long hlc, RunTraits traits) {
    double micros = HlcTimestamp.micros(hlc) - HlcTimestamp.micros(differsSince);
    if (micros > 0) {
      traits.measure(TraitKind.DIFFERED, number, 0, micros, differsSince);
    }
  }

  /** Takes the end of the run. */
  void end(long hlc, RunTraits traits) {
    if (differsSince != NEVER) {
      differed(hlc, traits);
    }
    if (changed != NEVER) {
      double ago = HlcTimestamp.micros(hlc) - HlcTimestamp.micros(changed);
      traits.measure(TraitKind.CHANGED_LATE, number, 0, -ago, changed);
    }
    values.values().forEach(value -> value.endOfRun(hlc));
    if (isManyValued) {
      traits.addManyValued(number);
    }
  }
}
