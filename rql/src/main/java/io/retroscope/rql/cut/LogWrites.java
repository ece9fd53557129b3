// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.cut.EventSource.View;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * The writes of each variable of one log, for DESCRIBE. Used by one thread.
 *
 * <p>A log line or message sets a variable only until a state change writes the same name. Events
 * are therefore added in stamp order. Sums of many events are added in any order, but they do not
 * suffice for a name that was used both ways: {@link #isClear()}.
 */
public final class LogWrites {
  private final Map<String, Writes> byVariable = new TreeMap<>();

  /** The writes of one variable. */
  public static final class Writes {
    private final Set<String> types = new TreeSet<>();
    private final Set<String> nodes = new TreeSet<>();
    private boolean ofState;
    private boolean momentary;
    private long count;
    private long lastHlc = HlcTimestamp.MIN_PACKED;

    /** The names of the values' types, ordered. */
    public Set<String> types() {
      return types;
    }

    /** The number of nodes that wrote it. */
    public long nodeCount() {
      return nodes.size();
    }

    /** The number of writes. */
    public long count() {
      return count;
    }

    /** The packed stamp of the last write, if there is one. */
    public long lastHlc() {
      return lastHlc;
    }

    private void add(Set<String> newTypes, String node, long number, long hlc) {
      types.addAll(newTypes);
      nodes.add(node);
      count += number;
      lastHlc = Math.max(lastHlc, hlc);
    }
  }

  /** Reads the writes of a log, until it is cancelled; {@link View#writes}. */
  static LogWrites of(View view, String log, BooleanSupplier cancelled) {
    LogWrites writes = new LogWrites();
    Iterator<Event> events = view.scan(Set.of(log), HlcRange.ALL);
    for (long read = 0; events.hasNext(); read++) {
      if (read % 16_384 == 0 && cancelled.getAsBoolean()) {
        break;
      }
      Event event = events.next();
      if (event.log().equals(log)) {
        writes.add(event);
      }
    }
    return writes;
  }

  /** Whether a node may write one of the logs, by the events that it has written. */
  static boolean mayWrite(View view, String node, Set<String> logs) {
    Set<String> others = new HashSet<>();
    view.logs().forEach(log -> others.add(log.name()));
    others.remove(Recorder.OWN_LOG);
    others.removeAll(logs);
    return logs.isEmpty()
        || others.isEmpty()
        || hasWritten(view, node, logs)
        || !hasWritten(view, node, others);
  }

  private static boolean hasWritten(View view, String node, Set<String> logs) {
    Iterator<Event> events = view.scan(logs, HlcRange.ALL);
    boolean found = false;
    while (!found && events.hasNext()) {
      Event event = events.next();
      found = event.node().equals(node) && !event.log().isEmpty();
    }
    return found;
  }

  /** Adds an event of the log; all events with lower stamps must have been added before. */
  public void add(Event event) {
    EventBody body = event.body();
    if (body instanceof EventBody.StateChange change) {
      change.changes().forEach(c -> add(c, event));
    }
    MomentaryVariables.of(body).forEach((name, value) -> flash(name, value.typeName(), event));
  }

  private void add(EventBody.Change change, Event event) {
    boolean unset = change.operation() == EventBody.Operation.UNSET;
    Set<String> types = unset ? Set.of() : Set.of(change.value().typeName());
    add(change.variable(), true, types, event.node(), 1, event.hlc());
  }

  /**
   * Counts the value that a log line or a message sets, unless a state change wrote the variable.
   */
  private void flash(String variable, String type, Event event) {
    if (!writes(variable).ofState) {
      add(variable, false, Set.of(type), event.node(), 1, event.hlc());
    }
  }

  /**
   * Adds many writes of one variable by one node.
   *
   * @param ofState whether state changes made them, not log lines or messages
   * @param types the names of the values' types
   * @param lastHlc packed
   */
  public void add(
      String variable, boolean ofState, Set<String> types, String node, long count, long lastHlc) {
    Writes own = writes(variable);
    own.ofState |= ofState;
    own.momentary |= !ofState;
    own.add(types, node, count, lastHlc);
  }

  private Writes writes(String variable) {
    return byVariable.computeIfAbsent(variable, name -> new Writes());
  }

  /**
   * Whether sums suffice: no variable was written both by state changes and by lines or messages.
   */
  public boolean isClear() {
    return byVariable.values().stream().noneMatch(writes -> writes.ofState && writes.momentary);
  }

  /** The writes by variable name, ordered; without variables that were never written. */
  public Map<String, Writes> byVariable() {
    return byVariable;
  }
}
