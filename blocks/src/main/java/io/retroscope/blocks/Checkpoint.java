package io.retroscope.blocks;

import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a log at an instant: each variable's value and last change at each node, and the
 * runs of the nodes. Immutable outside this package, and used by one thread.
 */
public final class Checkpoint {
  private static final Operation[] OPERATIONS = Operation.values();

  private final Map<Integer, VariableState> variables = new HashMap<>();
  private final Map<Integer, String> incarnations = new HashMap<>();

  /** The state before the first event. */
  public Checkpoint() {}

  /**
   * A value and its last change.
   *
   * @param changedAt the packed stamp at which the value became different from the one before
   */
  public record Held(Value value, long changedAt) {}

  /** A copy. */
  Checkpoint copy() {
    Checkpoint copy = new Checkpoint();
    variables.forEach((id, state) -> copy.variables.put(id, new VariableState(state)));
    copy.incarnations.putAll(incarnations);
    return copy;
  }

  /** The values of a variable by the ids of the nodes that have one. */
  public Map<Integer, Held> values(int variableId) {
    VariableState state = variables.get(variableId);
    Map<Integer, Held> values = new TreeMap<>();
    for (int slot = 0; state != null && slot < state.slots(); slot++) {
      Value value = state.valueAt(slot);
      if (value != null) {
        values.put(state.nodeOf(slot), new Held(value, state.changedAt(slot)));
      }
    }
    return values;
  }

  /** Whether a state change ever wrote a variable; log lines then do not set it. */
  public boolean isWritten(int variableId) {
    return variables.containsKey(variableId);
  }

  VariableState variable(int variableId) {
    return variables.computeIfAbsent(variableId, id -> new VariableState());
  }

  /**
   * Applies a row.
   *
   * @param touched receives the ids of the variables that are written or unset
   */
  void apply(RowBuffer rows, int row, IntConsumer touched) {
    int node = rows.nodeId(row);
    EventKind kind = rows.kind(row);
    switch (kind) {
      case STATE_CHANGE -> applyChanges(rows, row, node, touched);
      case START -> restart(rows, row, node, touched);
      case STOP -> unsetAll(node, rows.hlc[row], touched);
      case LOG_LINE, SEND, RECEIVE, HEARTBEAT -> {}
    }
  }

  private void restart(RowBuffer rows, int row, int node, IntConsumer touched) {
    String incarnation = rows.text(rows.bits[rows.changeStart[row]]);
    if (!incarnation.equals(incarnations.put(node, incarnation))) {
      unsetAll(node, rows.hlc[row], touched);
    }
  }

  private void unsetAll(int node, long hlc, IntConsumer touched) {
    variables.forEach(
        (id, state) -> {
          if (state.value(node) != null) {
            state.write(node, null, hlc);
            touched.accept(id);
          }
        });
  }

  private void applyChanges(RowBuffer rows, int row, int node, IntConsumer touched) {
    int first = rows.changeStart[row];
    int end = rows.changeStart[row + 1];
    if (end - first > 1 || rows.operation[first] != Operation.SET.code()) {
      applyAtomically(rows, row, node, touched);
      return;
    }
    VariableState state = variable(rows.name[first]);
    if (rows.type[first] == ValueType.LONG.code()) {
      state.writeLong(node, rows.bits[first], rows.hlc[row]);
    } else {
      state.write(node, value(rows, first), rows.hlc[row]);
    }
    touched.accept(rows.name[first]);
  }

  /** Applies SET before ADD before REMOVE before UNSET, and either all changes or none. */
  private void applyAtomically(RowBuffer rows, int row, int node, IntConsumer touched) {
    Map<Integer, Pending> pending = new LinkedHashMap<>();
    int end = rows.changeStart[row + 1];
    for (int change = rows.changeStart[row]; change < end; change++) {
      variable(rows.name[change]);
    }
    for (Operation operation : OPERATIONS) {
      for (int change = rows.changeStart[row]; change < end; change++) {
        if (rows.operation[change] == operation.code()) {
          Pending next =
              pending.computeIfAbsent(
                  rows.name[change], id -> new Pending(variable(id).value(node)));
          if (!next.apply(operation, value(rows, change))) {
            return;
          }
        }
      }
    }
    pending.forEach(
        (id, next) -> {
          variable(id).write(node, next.value, rows.hlc[row]);
          touched.accept(id);
        });
  }

  private static Value value(RowBuffer rows, int change) {
    long bits = rows.bits[change];
    return switch (ValueType.ofCode(rows.type[change])) {
      case NULL -> Value.NullValue.NULL;
      case BOOLEAN -> Value.of(bits != 0);
      case LONG -> Value.of(bits);
      case DOUBLE -> Value.of(Double.longBitsToDouble(bits));
      case STRING -> Value.of(rows.text(bits));
      case NESTED -> rows.nested(bits);
    };
  }

  /** A value while the changes of an event are attempted. */
  private static final class Pending {
    private @Nullable Value value;

    Pending(@Nullable Value value) {
      this.value = value;
    }

    /** Returns false for ADD to or REMOVE from a value that is not a set. */
    boolean apply(Operation operation, Value operand) {
      boolean needsSet = operation == Operation.ADD || operation == Operation.REMOVE;
      if (needsSet && value != null && !(value instanceof SetValue)) {
        return false;
      }
      value =
          switch (operation) {
            case SET -> operand;
            case UNSET -> null;
            case ADD -> union(value, (SetValue) operand);
            case REMOVE -> value == null ? null : rest((SetValue) value, (SetValue) operand);
          };
      return true;
    }

    private static Value union(@Nullable Value value, SetValue added) {
      List<Value> union =
          new ArrayList<>(value instanceof SetValue set ? set.elements() : List.of());
      union.addAll(added.elements());
      return new SetValue(union);
    }

    private static Value rest(SetValue value, SetValue removed) {
      List<Value> rest = new ArrayList<>(value.elements());
      rest.removeIf(removed::contains);
      return new SetValue(rest);
    }
  }
}
