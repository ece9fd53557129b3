package io.retroscope.rql.cut;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
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
  private final Map<String, LogColumns> logs = new HashMap<>();
  private final List<VariableColumn> columns = new ArrayList<>();
  private final Map<Integer, String> incarnations = new HashMap<>();
  private final Set<String> onlyNodes;

  private final List<VariableColumn> touched = new ArrayList<>();
  private final List<Momentary> momentary = new ArrayList<>();
  private final CutOrigin origin = new CutOrigin();
  private long hlc = Long.MIN_VALUE;
  private boolean eventTouched;

  /**
   * An empty state.
   *
   * @param onlyNodes the nodes that count, all where it is empty
   */
  public CutState(Set<String> onlyNodes) {
    this.onlyNodes = Set.copyOf(onlyNodes);
    onlyNodes.forEach(nodes::idOf);
  }

  /** Counts a node among those met, if it is one of those that count. */
  void meet(String node) {
    if (onlyNodes.isEmpty()) {
      nodes.idOf(node);
    }
  }

  /** The nodes met so far. */
  public NodeTable nodes() {
    return nodes;
  }

  /** Packed stamp of the cut. */
  public long hlc() {
    return hlc;
  }

  /** Lets ages be read as of another stamp, as long as nothing is written; to be set back. */
  public void lookFrom(long stamp) {
    hlc = stamp;
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
   * @param onNew hears of each when it is first written
   */
  public void followMatching(String log, Predicate<String> names, Consumer<VariableColumn> onNew) {
    logs.computeIfAbsent(log, LogColumns::new).followMatching(names, onNew);
  }

  /** Whether a variable is followed, or will be once it is written. */
  boolean follows(String log, String variable) {
    LogColumns followed = logs.get(log);
    return followed != null && followed.follows(variable);
  }

  /** Whether an event may change a value that is followed. */
  boolean concerns(Event event) {
    if (!counts(event.node())) {
      return false;
    }
    String log = event.log();
    EventBody body = event.body();
    return switch (body.kind()) {
      case STATE_CHANGE ->
          ((EventBody.StateChange) body)
              .changes().stream().anyMatch(c -> follows(log, c.variable()));
      case LOG_LINE ->
          follows(log, MomentaryVariables.MESSAGE)
              || follows(log, MomentaryVariables.FIELDS)
              || ((EventBody.LogLine) body)
                  .fields().keySet().stream().anyMatch(name -> follows(log, name));
      case SEND -> follows(log, MomentaryVariables.SEND);
      case RECEIVE -> follows(log, MomentaryVariables.RECEIVE);
      case HEARTBEAT, START, STOP -> true;
    };
  }

  /** Whether what the node records counts. */
  public boolean counts(String node) {
    return onlyNodes.isEmpty() || onlyNodes.contains(node);
  }

  /** The columns that this cut wrote or unset; empty where it is no cut of this query. */
  public List<VariableColumn> touched() {
    return touched;
  }

  /** Counts a column among those that this cut touched. */
  private void touch(VariableColumn column) {
    eventTouched = true;
    if (!column.isTouched()) {
      column.setTouched(true);
      touched.add(column);
    }
  }

  /** Whether a value that holds at exactly this stamp is in the cut. */
  public boolean hasMomentary() {
    return !momentary.isEmpty();
  }

  /** Puts the values that hold at exactly this stamp out of sight, or shows them again. */
  public void showMomentary(boolean shown) {
    for (Momentary flash : momentary) {
      flash.column().flash(flash.node(), shown ? flash.value() : null);
    }
  }

  /** Goes on to the cut at a later stamp. */
  void begin(long stamp) {
    endMomentary();
    for (VariableColumn column : touched) {
      column.setTouched(false);
    }
    touched.clear();
    origin.clear();
    hlc = stamp;
  }

  /**
   * Applies an event of the current stamp.
   *
   * @return what was wrong with it, in which case nothing of it was applied; null when it is fine
   */
  @Nullable String apply(Event event) {
    if (!counts(event.node())) {
      return null;
    }
    int node = nodes.idOf(event.node());
    eventTouched = false;
    String refusal = null;
    LogColumns log = logs.get(event.log());
    EventBody body = event.body();
    switch (body.kind()) {
      case STATE_CHANGE ->
          refusal = applyChanges(log, node, ((EventBody.StateChange) body).changes());
      case LOG_LINE, SEND, RECEIVE -> applyMomentary(log, node, body);
      case START -> restart(node, ((EventBody.Start) body).incarnation());
      case STOP -> unsetAll(node);
      case HEARTBEAT -> {}
    }
    if (eventTouched) {
      origin.add(event.node(), event.physicalMicros());
    }
    return refusal;
  }

  /** Takes the values that held at exactly this stamp away. */
  void endMomentary() {
    showMomentary(false);
    momentary.clear();
  }

  /** Hides or shows again all values of a node; each that there is counts as touched. */
  void setVisible(int node, boolean visible) {
    for (VariableColumn column : columns) {
      if (visible ? column.unhide(node, hlc) : column.hide(node, hlc)) {
        touch(column);
      }
    }
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

  private @Nullable String applyChanges(@Nullable LogColumns log, int node, List<Change> changes) {
    if (log == null) {
      return null;
    }
    if (changes.size() == 1 && changes.get(0).operation() == Operation.SET) {
      write(log.written(changes.get(0).variable()), node, changes.get(0).value());
      return null;
    }
    return applyAtomically(log, node, changes);
  }

  /**
   * SET before ADD before REMOVE before UNSET; all of them or none. Whether the variables hold
   * state does not rest on what their values were, so a refused event counts for that as well.
   */
  private @Nullable String applyAtomically(LogColumns log, int node, List<Change> changes) {
    changes.forEach(change -> log.written(change.variable()));
    Map<VariableColumn, Pending> pending = new LinkedHashMap<>();
    for (Operation operation : Operation.values()) {
      for (Change change : changes) {
        VariableColumn column =
            change.operation() == operation ? log.written(change.variable()) : null;
        if (column != null) {
          Pending next = pending.computeIfAbsent(column, c -> new Pending(c.at(node)));
          if (!next.apply(change)) {
            return "%s of \"%s\" is no set".formatted(change.operation(), change.variable());
          }
        }
      }
    }
    pending.forEach((column, next) -> write(column, node, next.value));
    return null;
  }

  private void write(@Nullable VariableColumn column, int node, @Nullable Value value) {
    if (column != null) {
      column.write(node, value, hlc);
      touch(column);
    }
  }

  private void applyMomentary(@Nullable LogColumns log, int node, EventBody body) {
    if (log == null) {
      return;
    }
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

  /** A variable's value while an event's changes are tried. */
  private static final class Pending {
    private @Nullable Value value;

    Pending(@Nullable Value value) {
      this.value = value;
    }

    /** Returns false for an element to be added to, or removed from, what is no set. */
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
  private final class LogColumns {
    private final String log;
    private final Map<String, VariableColumn> byName = new HashMap<>();
    private @Nullable Predicate<String> matching;
    private @Nullable Consumer<VariableColumn> onNew;

    LogColumns(String log) {
      this.log = log;
    }

    VariableColumn add(String variable) {
      VariableColumn column = new VariableColumn(log, variable);
      byName.put(variable, column);
      columns.add(column);
      return column;
    }

    void followMatching(Predicate<String> names, Consumer<VariableColumn> listener) {
      matching = names;
      onNew = listener;
    }

    boolean follows(String variable) {
      return byName.containsKey(variable) || (matching != null && matching.test(variable));
    }

    /** The column of a variable that a state change writes; null where it is not followed. */
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
