// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A draft of one event that changes several variables of a log at one instant. Not thread-safe; can
 * be used once. Nothing is recorded before {@link #record()}, which also creates the event's stamp.
 *
 * <p>Values are set before elements are added or removed and variables are unset, regardless of the
 * order of the calls.
 */
public final class ChangeDraft {
  /** The maximum number of changes in one event. */
  public static final int MAX_CHANGES = 1 << 17;

  private final EventLog log;
  private final List<Change> sets = new ArrayList<>();
  private final List<Change> others = new ArrayList<>();
  private int weight;
  private boolean refused;
  private boolean recorded;

  ChangeDraft(EventLog log) {
    this.log = log;
  }

  /** Sets the variable to the value. */
  @CheckReturnValue
  public ChangeDraft set(String variable, long value) {
    return change(Operation.SET, variable, Value.of(value));
  }

  /** Sets the variable to the value. */
  @CheckReturnValue
  public ChangeDraft set(String variable, double value) {
    return change(Operation.SET, variable, Value.of(value));
  }

  /** Sets the variable to the value. */
  @CheckReturnValue
  public ChangeDraft set(String variable, boolean value) {
    return change(Operation.SET, variable, Value.of(value));
  }

  /** Sets the variable to the value; null unsets it. */
  @CheckReturnValue
  public ChangeDraft set(String variable, @Nullable String value) {
    return value == null
        ? unset(variable)
        : change(Operation.SET, variable, Value.of(log.recorder().admission().text(value)));
  }

  /** Sets the variable to the value; null unsets it. */
  @CheckReturnValue
  public ChangeDraft set(String variable, @Nullable Value value) {
    return value == null
        ? unset(variable)
        : change(Operation.SET, variable, log.recorder().admission().value(value));
  }

  /** Sets the variable to the character as a text. */
  @CheckReturnValue
  public ChangeDraft set(String variable, char value) {
    return set(variable, String.valueOf(value));
  }

  /**
   * Sets the variable to the value, which is converted as in {@link LineDraft#with(String,
   * Object)}; null unsets it.
   */
  @CheckReturnValue
  public ChangeDraft set(String variable, @Nullable Object value) {
    if (value == null) {
      return unset(variable);
    }
    return value instanceof Value admitted
        ? set(variable, admitted)
        : change(Operation.SET, variable, log.recorder().admission().valueOf(value));
  }

  /** Unsets the variable. */
  @CheckReturnValue
  public ChangeDraft unset(String variable) {
    return change(Operation.UNSET, variable, Value.NullValue.NULL);
  }

  /** Adds the element to the variable's set, see {@link EventLog#add(String, Object)}. */
  @CheckReturnValue
  public ChangeDraft add(String variable, @Nullable Object element) {
    return changeSet(Operation.ADD, variable, log.recorder().admission().element(element));
  }

  /** Removes the element from the variable's set. */
  @CheckReturnValue
  public ChangeDraft remove(String variable, @Nullable Object element) {
    return changeSet(Operation.REMOVE, variable, log.recorder().admission().element(element));
  }

  private ChangeDraft changeSet(Operation operation, String variable, @Nullable Value element) {
    if (element == null) {
      return refuse();
    }
    return change(operation, variable, Value.setOf(element));
  }

  private ChangeDraft change(Operation operation, String variable, Value value) {
    if (refused) {
      return this;
    }
    if (!Admission.isName(variable) || sets.size() + others.size() >= MAX_CHANGES) {
      return refuse();
    }
    int more = variable.length() + Admission.weight(value);
    if (more > Admission.MAX_EVENT_WEIGHT - weight) {
      return refuse();
    }
    weight += more;
    (operation == Operation.SET ? sets : others).add(new Change(operation, variable, value));
    return this;
  }

  /** Refuses the whole event, because recording only some of its changes would be wrong. */
  private ChangeDraft refuse() {
    refused = true;
    sets.clear();
    others.clear();
    return this;
  }

  /**
   * Records the changes so far as one event; the whole event is refused if any change cannot be
   * recorded. Only the first call has an effect.
   */
  public void record() {
    if (recorded) {
      return;
    }
    recorded = true;
    if (refused) {
      log.recorder().countRefused();
      return;
    }
    List<Change> changes = new ArrayList<>(sets);
    changes.addAll(others);
    if (!changes.isEmpty()) {
      log.record(new StateChange(changes));
    }
  }
}
