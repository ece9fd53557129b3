// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** The bodies of a sealed block's rows, put together from its sections. Used by one thread. */
final class RowBodies {
  private static final int START_PARTS = 4;
  private static final EventBody.Spill[] SPILLS = EventBody.Spill.values();

  private final List<List<Part>> rows;

  /** A change and its place in the event; the name is empty if it has none. */
  private record Part(int place, Change change) {}

  RowBodies(int rowCount) {
    rows = new ArrayList<>(rowCount);
    for (int i = 0; i < rowCount; i++) {
      rows.add(List.of());
    }
  }

  /** Adds the changes of a section. */
  void add(Changes changes, IntFunction<String> name) {
    for (int i = 0; i < changes.size(); i++) {
      int row = changes.row(i);
      if (rows.get(row).isEmpty()) {
        rows.set(row, new ArrayList<>(1));
      }
      Change change =
          new Change(changes.operation(i), name.apply(i), DecodedEvents.value(changes, i));
      rows.get(row).add(new Part(changes.place(i), change));
    }
  }

  /** Puts each row's changes in their order; they must have all places from 0. */
  void sort() throws CorruptBlockException {
    for (int row = 0; row < rows.size(); row++) {
      List<Part> parts = rows.get(row);
      parts = parts.stream().sorted((a, b) -> Integer.compare(a.place, b.place)).toList();
      for (int i = 0; i < parts.size(); i++) {
        if (parts.get(i).place != i) {
          throw corrupt(row, "no change " + i);
        }
      }
      rows.set(row, parts);
    }
  }

  /**
   * The body of a row.
   *
   * @throws CorruptBlockException if its changes are not those of an event of its kind
   */
  EventBody body(int row, int kind) throws CorruptBlockException {
    List<Change> changes = rows.get(row).stream().map(Part::change).toList();
    checkCount(row, EventKind.ofCode(kind), changes.size());
    return switch (EventKind.ofCode(kind)) {
      case STATE_CHANGE -> new EventBody.StateChange(changes);
      case LOG_LINE -> new EventBody.LogLine(text(row, changes, 0), fields(row, changes));
      case SEND -> new EventBody.Send(text(row, changes, 0), text(row, changes, 1));
      case RECEIVE -> new EventBody.Receive(text(row, changes, 0), text(row, changes, 1));
      case HEARTBEAT -> new EventBody.Heartbeat();
      case START -> start(row, changes);
      case STOP -> new EventBody.Stop();
    };
  }

  private static void checkCount(int row, EventKind kind, int count) throws CorruptBlockException {
    boolean fits =
        switch (kind) {
          case STATE_CHANGE, LOG_LINE -> count > 0;
          case SEND, RECEIVE -> count == 2;
          case START -> count == START_PARTS;
          case HEARTBEAT, STOP -> count == 0;
        };
    if (!fits) {
      throw corrupt(row, count + " changes of a " + kind);
    }
  }

  private static Map<String, Value> fields(int row, List<Change> changes)
      throws CorruptBlockException {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (Change change : changes.subList(1, changes.size())) {
      if (change.operation() != Operation.SET) {
        throw corrupt(row, change.operation() + " of a field");
      }
      fields.put(change.variable(), change.value());
    }
    return fields;
  }

  private static EventBody start(int row, List<Change> changes) throws CorruptBlockException {
    long spill = number(row, changes, START_PARTS - 1);
    if (spill < 0 || spill >= SPILLS.length) {
      throw corrupt(row, "unknown state of unsent blocks " + spill);
    }
    return new EventBody.Start(
        text(row, changes, 0), number(row, changes, 1), text(row, changes, 2), SPILLS[(int) spill]);
  }

  private static String text(int row, List<Change> changes, int at) throws CorruptBlockException {
    if (changes.get(at).value() instanceof StringValue text) {
      return text.value();
    }
    throw corrupt(row, "no text " + at);
  }

  private static long number(int row, List<Change> changes, int at) throws CorruptBlockException {
    if (changes.get(at).value() instanceof LongValue number) {
      return number.value();
    }
    throw corrupt(row, "no number " + at);
  }

  private static CorruptBlockException corrupt(int row, String reason) {
    return new CorruptBlockException(0, "row " + row + " of a sealed block: " + reason);
  }
}
