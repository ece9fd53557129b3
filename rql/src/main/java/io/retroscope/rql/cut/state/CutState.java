// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.ValueType;
import io.retroscope.rql.cut.MomentaryVariables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The values of the followed variables at every node, at one cut. Events are applied to it in the
 * order of their stamps. Used by one thread.
 */
public final class CutState {
  private final NodeTable nodes = new NodeTable();
  private final WalkTexts texts = new WalkTexts();
  private final Map<String, LogColumns> logs = new HashMap<>();
  private final List<VariableColumn> columns = new ArrayList<>();
  private final Map<Integer, String> incarnations = new HashMap<>();
  private final Set<String> onlyNodes;
  private final List<VariableColumn> touched = new ArrayList<>();
  private final List<Momentary> momentary = new ArrayList<>();
  private final CutOrigin origin = new CutOrigin();
  private final NodeSigns signs = new NodeSigns(this::counts);
  private boolean keepsWrites;
  private long hlc = Long.MIN_VALUE;
  private boolean eventTouched;
  private long eventNumber;

  /**
   * Creates an empty state.
   *
   * @param onlyNodes the nodes to include, or empty for all
   */
  public CutState(Set<String> onlyNodes) {
    this.onlyNodes = Set.copyOf(onlyNodes);
    onlyNodes.forEach(nodes::idOf);
  }

  /** Adds a node to those of the cut, if it is included. */
  public void meet(String node) {
    if (onlyNodes.isEmpty()) {
      nodes.idOf(node);
    }
  }

  /** The nodes found so far. */
  public NodeTable nodes() {
    return nodes;
  }

  /** Packed stamp of the cut. */
  public long hlc() {
    return hlc;
  }

  /**
   * Moves the stamp from which ages are measured. The caller must restore it before the next write.
   */
  public void lookFrom(long stamp) {
    hlc = stamp;
  }

  /**
   * Keeps the stamp of the last write of each value from now on. Walks of this state then apply
   * every write, also those that change nothing.
   */
  public void keepWrites() {
    keepsWrites = true;
  }

  /** Whether the stamps of last writes are kept. */
  public boolean keepsWrites() {
    return keepsWrites;
  }

  /** The stamps at which the nodes were last seen. */
  public NodeSigns signs() {
    return signs;
  }

  /** The events that made the cut. */
  public CutOrigin origin() {
    return origin;
  }

  /** Follows a variable from now on. */
  public VariableColumn follow(String log, String variable) {
    LogColumns followed = logs.computeIfAbsent(log, LogColumns::new);
    VariableColumn column = followed.byName.get(variable);
    return column != null ? column : followed.add(variable);
  }

  /**
   * Follows every variable that a state change of the log writes and whose name matches.
   *
   * @param names the same as in earlier calls for the log
   * @param onNew receives each variable when it is first written, and those that are known already
   */
  public void followMatching(String log, Predicate<String> names, Consumer<VariableColumn> onNew) {
    logs.computeIfAbsent(log, LogColumns::new).followMatching(names, onNew);
  }

  /** Returns whether a variable is followed, or will be after its first write. */
  public boolean follows(String log, String variable) {
    LogColumns followed = logs.get(log);
    return followed != null && followed.follows(variable);
  }

  /** Returns whether the values of sends or receives are followed. */
  public boolean followsMessages() {
    return logs.values().stream()
        .anyMatch(
            log -> log.follows(MomentaryVariables.SEND) || log.follows(MomentaryVariables.RECEIVE));
  }

  /** The followed variables of a log; null if there are none. */
  public @Nullable LogColumns columnsOf(String log) {
    return logs.get(log);
  }

  /** Returns whether an event may change a followed value. */
  public boolean concerns(BlockNames names, int row) {
    if (names.node(row) == NodeTable.NONE) {
      return false;
    }
    EventBlock block = names.block();
    LogColumns log = names.log(row);
    return switch (block.kind(row)) {
      case STATE_CHANGE -> {
        boolean follows = false;
        for (int i = block.firstChange(row); i < block.endChange(row); i++) {
          follows |= names.written(row, i) != null;
        }
        yield follows;
      }
      case LOG_LINE ->
          log != null && (log.followsMoments(block.kind(row)) || names.followsField(row));
      case SEND, RECEIVE -> log != null && log.followsMoments(block.kind(row));
      case HEARTBEAT, START, STOP -> true;
    };
  }

  /** Returns whether a node is included. */
  public boolean counts(String node) {
    return onlyNodes.isEmpty() || onlyNodes.contains(node);
  }

  /**
   * Returns whether any of the selected columns has a visible value of the node; values that hold
   * at exactly this stamp do not count.
   */
  public boolean holdsAny(String node, Predicate<VariableColumn> selected) {
    int id = nodes.find(node);
    return id != NodeTable.NONE
        && columns.stream()
            .anyMatch(column -> column.holdsState() && column.isSet(id) && selected.test(column));
  }

  /** The number of times that a variable got its first value at a node or lost its value there. */
  public long appearances() {
    long sum = 0;
    for (VariableColumn column : columns) {
      sum += column.appearances();
    }
    return sum;
  }

  /** The columns that this cut wrote or unset; empty if the stamp is not a cut of this query. */
  public List<VariableColumn> touched() {
    return touched;
  }

  /** Adds a column to those that this cut touched. */
  private void touch(VariableColumn column) {
    eventTouched = true;
    if (!column.isTouched()) {
      column.setTouched(true);
      touched.add(column);
    }
  }

  /** Whether the cut contains a value that holds at exactly this stamp. */
  public boolean hasMomentary() {
    return !momentary.isEmpty();
  }

  /** Hides the values that hold at exactly this stamp, or shows them again. */
  public void showMomentary(boolean shown) {
    for (Momentary flash : momentary) {
      flash.column().flash(flash.node(), shown ? flash.value() : null);
    }
  }

  /**
   * Replaces a value without a trace of the one before, so that the state can show cuts in any
   * order. Ages and changes mean nothing afterwards.
   *
   * @param node its id
   * @param value null for none
   */
  public void show(VariableColumn column, int node, @Nullable Value value) {
    column.flash(node, value);
  }

  /** Advances to the cut at a later stamp. */
  public void begin(long stamp) {
    endMomentary();
    for (VariableColumn column : touched) {
      column.setTouched(false);
    }
    touched.clear();
    origin.clear();
    hlc = stamp;
    signs.moveTo(stamp);
  }

  /**
   * Applies an event of the current stamp.
   *
   * @return null if the event was applied, otherwise the reason why no part of it was
   */
  public @Nullable String apply(BlockNames names, int row) {
    int node = names.node(row);
    if (node == NodeTable.NONE) {
      return null;
    }
    eventTouched = false;
    String refusal = null;
    EventBlock block = names.block();
    switch (block.kind(row)) {
      case STATE_CHANGE -> refusal = applyChanges(names, row, node);
      case LOG_LINE, SEND, RECEIVE -> applyMomentary(names, row, node);
      case START -> restart(node, ((EventBody.Start) block.body(row)).incarnation());
      case STOP -> unsetAll(node);
      case HEARTBEAT -> {}
    }
    if (eventTouched) {
      origin.add(names.nodeName(row), block.physicalMicros(row));
    }
    return refusal;
  }

  /** Removes the values that held at exactly this stamp. */
  public void endMomentary() {
    if (hasMomentary()) {
      showMomentary(false);
      momentary.clear();
    }
  }

  /**
   * Hides all values of a node or shows them again; each variable with a value counts as touched.
   */
  public void setVisible(int node, boolean visible) {
    for (VariableColumn column : columns) {
      if (visible ? column.unhide(node, hlc) : column.hide(node, hlc)) {
        touch(column);
      }
    }
  }

  /** Whether a node that is hidden has a value. */
  public boolean hides(int node) {
    return columns.stream().anyMatch(column -> column.hides(node));
  }

  private void restart(int node, String incarnation) {
    if (!incarnation.equals(incarnations.put(node, incarnation))) {
      unsetAll(node);
    }
  }

  private void unsetAll(int node) {
    for (VariableColumn column : columns) {
      if (column.at(node) != null) {
        column.write(node, null, hlc);
        touch(column);
      }
    }
  }

  private @Nullable String applyChanges(BlockNames names, int row, int node) {
    LogColumns log = names.log(row);
    if (log == null) {
      return null;
    }
    EventBlock block = names.block();
    eventNumber++;
    boolean plain = true;
    for (int i = block.firstChange(row); i < block.endChange(row); i++) {
      VariableColumn column = names.written(row, i);
      plain &=
          block.operation(i) == Operation.SET && (column == null || column.isFirstIn(eventNumber));
    }
    if (plain) {
      set(names, row, node);
      return null;
    }
    return applyAtomically(log, node, ((EventBody.StateChange) block.body(row)).changes());
  }

  private void set(BlockNames names, int row, int node) {
    EventBlock block = names.block();
    for (int i = block.firstChange(row); i < block.endChange(row); i++) {
      VariableColumn column = names.written(row, i);
      if (column != null) {
        if (block.type(i) == ValueType.LONG) {
          column.write(node, block.bits(i), hlc);
        } else {
          column.write(node, block.value(i), hlc);
        }
        touch(column);
      }
    }
  }

  /**
   * Applies SET before ADD before REMOVE before UNSET, and either all changes or none. Whether a
   * variable holds state does not depend on its earlier values, so it also follows from a rejected
   * event.
   */
  private @Nullable String applyAtomically(LogColumns log, int node, List<Change> changes) {
    Map<VariableColumn, Pending> pending = new LinkedHashMap<>();
    for (Operation operation : Operation.values()) {
      for (Change change : changes) {
        VariableColumn column =
            change.operation() == operation ? log.written(change.variable()) : null;
        if (column != null) {
          Pending next = pending.computeIfAbsent(column, c -> new Pending(c.at(node)));
          if (!next.apply(change)) {
            return "%s of \"%s\" is not a set".formatted(change.operation(), change.variable());
          }
        }
      }
    }
    pending.forEach((column, next) -> write(column, node, next.value));
    return null;
  }

  private void write(VariableColumn column, int node, @Nullable Value value) {
    column.write(node, value, hlc);
    touch(column);
  }

  private void applyMomentary(BlockNames names, int row, int node) {
    LogColumns log = names.log(row);
    if (log == null) {
      return;
    }
    EventBody body = names.block().body(row);
    MomentaryVariables.of(body).forEach((name, value) -> flash(log, name, node, value));
    if (body instanceof EventBody.LogLine line && !line.fields().isEmpty()) {
      flash(log, MomentaryVariables.FIELDS, node, new StructValue(line.fields()));
    }
  }

  private void flash(LogColumns log, String name, int node, Value value) {
    VariableColumn column = log.byName.get(name);
    if (column != null && !column.holdsState()) {
      column.write(node, value, hlc);
      touch(column);
      momentary.add(new Momentary(column, node, value));
    }
  }

  /** A value that holds at exactly the cut's stamp. */
  private record Momentary(VariableColumn column, int node, Value value) {}

  /** A variable's value while the changes of an event are attempted. */
  private static final class Pending {
    private @Nullable Value value;

    Pending(@Nullable Value value) {
      this.value = value;
    }

    /** Applies a change; returns false for ADD to or REMOVE from a value that is not a set. */
    boolean apply(Change change) {
      switch (change.operation()) {
        case SET -> value = change.value();
        case UNSET -> value = null;
        case ADD -> {
          if (value != null && !(value instanceof SetValue)) {
            return false;
          }
          List<Value> union =
              new ArrayList<>(value instanceof SetValue set ? set.elements() : List.of());
          union.addAll(((SetValue) change.value()).elements());
          value = new SetValue(union);
        }
        case REMOVE -> {
          if (value != null && !(value instanceof SetValue)) {
            return false;
          }
          if (value instanceof SetValue set) {
            List<Value> rest = new ArrayList<>(set.elements());
            rest.removeIf(((SetValue) change.value())::contains);
            value = new SetValue(rest);
          }
        }
      }
      return true;
    }
  }

  /** The followed variables of one log. */
  public final class LogColumns {
    private final String log;
    private final Map<String, VariableColumn> byName = new HashMap<>();
    private @Nullable Predicate<String> matching;
    private @Nullable Consumer<VariableColumn> onNew;

    LogColumns(String log) {
      this.log = log;
    }

    VariableColumn add(String variable) {
      VariableColumn column = new VariableColumn(log, variable, columns.size(), texts);
      byName.put(variable, column);
      columns.add(column);
      return column;
    }

    void followMatching(Predicate<String> names, Consumer<VariableColumn> listener) {
      matching = names;
      onNew = onNew == null ? listener : onNew.andThen(listener);
      for (VariableColumn column : List.copyOf(byName.values())) {
        if (column.holdsState() && names.test(column.name())) {
          listener.accept(column);
        }
      }
    }

    /** Whether it follows variables that are written for the first time. */
    boolean followsMatching() {
      return matching != null;
    }

    public boolean follows(String variable) {
      return byName.containsKey(variable) || (matching != null && matching.test(variable));
    }

    /** Whether a variable is followed that rows of a kind set for their moment. */
    boolean followsMoments(EventKind kind) {
      return switch (kind) {
        case LOG_LINE -> follows(MomentaryVariables.MESSAGE) || follows(MomentaryVariables.FIELDS);
        case SEND -> follows(MomentaryVariables.SEND);
        case RECEIVE -> follows(MomentaryVariables.RECEIVE);
        case STATE_CHANGE, HEARTBEAT, START, STOP -> false;
      };
    }

    /** Returns the column of a variable that a state change has written, or null. */
    public @Nullable VariableColumn holdingState(String variable) {
      VariableColumn column = byName.get(variable);
      return column != null && column.holdsState() ? column : null;
    }

    /**
     * Returns the column of a variable that a state change writes, or null if it is not followed.
     */
    @Nullable VariableColumn written(String variable) {
      VariableColumn column = byName.get(variable);
      if (column == null && follows(variable)) {
        column = add(variable);
      }
      if (column != null && !column.holdsState()) {
        column.markState();
        if (onNew != null && matching != null && matching.test(variable)) {
          onNew.accept(column);
        }
      }
      return column;
    }
  }
}
