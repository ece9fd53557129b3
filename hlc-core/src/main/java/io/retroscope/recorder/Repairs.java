// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The pending repairs: the changes of dropped events, kept until the drainer records them again.
 * Bounded in variables and in bytes. Thread-safe. Not final, so that tests can interleave threads
 * at its steps.
 */
class Repairs {
  /*
   * A repair must never overwrite a newer value. A writer whose event got a slot removes its
   * variable from the map *before* it ticks. The drainer ticks the repair's stamp *before* it
   * removes the entry, and records the repair only if the entry was still the same. So if the
   * repair is recorded, the writer reached the map later, hence ticks later, hence its stamp is
   * above the repair's.
   */

  /** The maximum number of variables; drops of further ones are not repaired. */
  static final int MAX_VARIABLES = 10_000;

  /** The maximum number of elements per set; a drop beyond that is not repaired. */
  static final int MAX_ELEMENTS = 1_000;

  private static final long ENTRY_BYTES = 200;

  private final ConcurrentMap<VariableHandle, Pending> pending = new ConcurrentHashMap<>();
  private final AtomicLong heldBytes = new AtomicLong();
  private final LongAdder unrepaired;
  private final long maxBytes;

  Repairs(LongAdder unrepaired, long maxBytes) {
    this.unrepaired = unrepaired;
    this.maxBytes = maxBytes;
  }

  /** The pending repair of one variable. Immutable; equal only to itself, see {@link #take}. */
  static final class Pending {
    /** The value to set or unset first; null if only elements changed. */
    private final @Nullable Change base;

    /** The changed elements, each with whether it must be in the set. */
    private final Map<Value, Boolean> elements;

    private final long bytes;

    private Pending(@Nullable Change base, Map<Value, Boolean> elements) {
      this.base = base;
      this.elements = elements;
      long sum = ENTRY_BYTES + (base == null ? 0L : Footprint.of(base));
      for (Value element : elements.keySet()) {
        sum += ENTRY_BYTES + Footprint.of(element);
      }
      bytes = sum;
    }

    /** The changes that repair the drops. */
    List<Change> changes(String variable) {
      List<Change> changes = new ArrayList<>();
      if (base != null) {
        changes.add(base);
      }
      add(changes, Operation.ADD, variable, true);
      add(changes, Operation.REMOVE, variable, false);
      return changes;
    }

    private void add(List<Change> to, Operation operation, String variable, boolean present) {
      List<Value> matching = new ArrayList<>();
      elements.forEach(
          (element, isPresent) -> {
            if (isPresent == present) {
              matching.add(element);
            }
          });
      if (!matching.isEmpty()) {
        to.add(new Change(operation, variable, new Value.SetValue(matching)));
      }
    }
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  Iterable<Map.Entry<VariableHandle, Pending>> entries() {
    return pending.entrySet();
  }

  /** Adds a change that was dropped. */
  void dropped(VariableHandle variable, Change change) {
    if (pending.size() >= MAX_VARIABLES && !pending.containsKey(variable)) {
      unrepaired.increment();
      return;
    }
    pending.compute(variable, (key, before) -> within(before, after(before, change)));
  }

  /**
   * The entry that replaces another: null if there is no memory for it, because keeping the other
   * one would restore an older value.
   */
  private @Nullable Pending within(@Nullable Pending before, @Nullable Pending after) {
    long more = bytes(after) - bytes(before);
    if (heldBytes.addAndGet(more) <= maxBytes || more <= 0) {
      return after;
    }
    heldBytes.addAndGet(-bytes(after));
    unrepaired.increment();
    return null;
  }

  private static long bytes(@Nullable Pending entry) {
    return entry == null ? 0 : entry.bytes;
  }

  private @Nullable Pending after(@Nullable Pending before, Change change) {
    if (change.operation() == Operation.SET || change.operation() == Operation.UNSET) {
      return new Pending(change, Map.of());
    }
    Map<Value, Boolean> elements = new LinkedHashMap<>(before == null ? Map.of() : before.elements);
    for (Value element : ((Value.SetValue) change.value()).elements()) {
      elements.put(element, change.operation() == Operation.ADD);
    }
    if (elements.size() > MAX_ELEMENTS) {
      unrepaired.increment();
      return before;
    }
    return new Pending(before == null ? null : before.base, elements);
  }

  /** Removes what a recorded change makes obsolete; must be called before the change's tick. */
  void supersede(VariableHandle variable, Operation operation, @Nullable Object value) {
    if (operation == Operation.SET || operation == Operation.UNSET) {
      heldBytes.addAndGet(-bytes(pending.remove(variable)));
    } else if (value instanceof Value.SetValue set) {
      boolean present = operation == Operation.ADD;
      pending.computeIfPresent(
          variable, (key, before) -> within(before, superseded(before, set, present)));
    }
  }

  /*
   * The entry after newer elements were recorded. A pending base would restore the older set over
   * these elements, so they are added to the entry.
   */
  private static @Nullable Pending superseded(Pending before, Value.SetValue set, boolean present) {
    Map<Value, Boolean> elements = new LinkedHashMap<>(before.elements);
    for (Value element : set.elements()) {
      if (before.base == null) {
        elements.remove(element);
      } else {
        elements.put(element, present);
      }
    }
    return before.base == null && elements.isEmpty() ? null : new Pending(before.base, elements);
  }

  /** Removes an entry if it is still the same; must be called after the tick for its repair. */
  boolean take(VariableHandle variable, Pending entry) {
    boolean taken = pending.remove(variable, entry);
    if (taken) {
      heldBytes.addAndGet(-entry.bytes);
    }
    return taken;
  }
}
