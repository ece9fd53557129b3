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
 * Remembers, for a bounded number of variables, what dropped events would have changed, until the
 * drainer records it again. Bounded in variables and in bytes. Thread-safe. Not final so that tests
 * can interleave threads at its steps.
 */
class Repairs {
  /*
   * A repair must never overwrite a newer value. A writer whose event got a slot takes its variable off the map
   * *before* it ticks; the drainer ticks the repair's stamp *before* it takes the entry off, and records the repair
   * only if it was still the same entry. So if the repair is recorded, the writer came to the map later, hence ticks
   * later, hence its stamp is above the repair's.
   */

  /** How many variables are remembered; drops of further ones are not repaired. */
  static final int MAX_VARIABLES = 10_000;

  /** How many elements of one set are remembered; beyond that the drop is not repaired. */
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

  /** What is due for one variable. Immutable; equal only to itself, see {@link #take}. */
  static final class Pending {
    /** The value to set or unset first; null where only elements changed. */
    private final @Nullable Change base;

    /** Whether each of these elements is to be in the set. */
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

    /** The changes that make good what was dropped. */
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

  /** Remembers a change that was dropped. */
  void dropped(VariableHandle variable, Change change) {
    if (pending.size() >= MAX_VARIABLES && !pending.containsKey(variable)) {
      unrepaired.increment();
      return;
    }
    pending.compute(variable, (key, before) -> within(before, after(before, change)));
  }

  /**
   * The entry to keep in the place of another: none where there is no memory for it, because the
   * other one would bring an older value back.
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

  /** Forgets what a change that does get recorded makes obsolete; comes before its tick. */
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
   * A base that is still due would bring the older set back over the newer elements, so it takes them along.
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

  /** Takes an entry off if it is still the same; comes after the tick for its repair. */
  boolean take(VariableHandle variable, Pending entry) {
    boolean taken = pending.remove(variable, entry);
    if (taken) {
      heldBytes.addAndGet(-entry.bytes);
    }
    return taken;
  }
}
