// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.recordings.replay.ClockReading;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A reader of a Jepsen history: each operation is invoked, and then is ok, fails, or has an unknown
 * result (info). A process is a node, whose variables are those of its last operation. Used once,
 * by one thread.
 */
final class JepsenHistory {
  /** The log of histories. */
  static final String LOG = "jepsen";

  private static final Set<String> TYPES = Set.of("invoke", "ok", "fail", "info");
  private static final String NEMESIS = "nemesis";

  /** The variables of the values with which operations of each kind were invoked. */
  private static final String INVOKED = "invoked.";

  /** The time between operations of a history without times. */
  private static final long STEP_MICROS = 1_000;

  private final String name;
  private final Consumer<ClockReading> readings;
  private final SizeLimit limit;

  /** The operations that processes have begun, by process. */
  private final Map<String, Long> open = new HashMap<>();

  private long count;
  private long lastMicros = -1;

  JepsenHistory(String name, Consumer<ClockReading> readings, SizeLimit limit) {
    this.name = name;
    this.readings = readings;
    this.limit = limit;
  }

  /** Reads all operations of a history in EDN or JSON. */
  void read(InputStream in) {
    InputStream bytes = in.markSupported() ? in : new BufferedInputStream(in);
    if (isJson(bytes)) {
      JsonCursor json = new JsonCursor(bytes);
      json.roots(() -> operations(json));
    } else {
      new EdnReader(bytes).forEach(this::add);
    }
  }

  private static boolean isJson(InputStream in) {
    try {
      in.mark(1 << 16);
      byte[] start = in.readNBytes(1 << 16);
      in.reset();
      int at = 0;
      while (at < start.length && (start[at] <= ' ' || start[at] == '[' || start[at] == '{')) {
        at++;
      }
      return at < start.length && start[at] == '"';
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void operations(JsonCursor json) {
    if (json.isArray()) {
      json.elements(() -> operations(json));
    } else {
      long line = json.line();
      add(json.item(), line);
    }
  }

  private void add(Item operation, long line) {
    String type = operation.get("type").text();
    if (!operation.isMap() || !TYPES.contains(type)) {
      throw DocumentException.at(
          line, "an operation of a history needs a type: invoke, ok, fail or info");
    }
    String node = node(operation.get("process"), line);
    long id = id(node, type);
    List<EventBody> bodies = new ArrayList<>(2);
    bodies.add(new EventBody.StateChange(changes(operation, type, id)));
    bodies.add(new EventBody.LogLine(text(operation, type), Map.of()));
    limit.add(700 + 8L * text(operation, type).length());
    readings.accept(new ClockReading(node, LOG, micros(operation, line), name, line, bodies, true));
    count++;
  }

  private static String node(Item process, long line) {
    String text = process.text();
    if (text.isEmpty() || text.length() >= Event.MAX_NODE_LENGTH) {
      throw DocumentException.at(line, "an operation of a history needs a process");
    }
    return process.isNumber() ? "p" + text : text;
  }

  /** The number of the operation: the place in the history at which it was invoked. */
  private long id(String node, String type) {
    Long begun = open.get(node);
    // The nemesis has no type for the beginning of what it does.
    boolean begins = type.equals("invoke") || (node.equals(NEMESIS) && begun == null);
    if (begins || begun == null) {
      if (begins) {
        open.put(node, count);
      }
      return count;
    }
    open.remove(node);
    return begun;
  }

  private List<Change> changes(Item operation, String type, long id) {
    Item value = operation.get("value");
    List<Change> sets = new ArrayList<>();
    sets.add(set("f", operation.get("f").value()));
    sets.add(set("type", Value.of(type)));
    sets.add(set("op", Value.of(id)));
    List<Change> unsets = new ArrayList<>();
    if (type.equals("invoke")) {
      invoked(operation)
          .ifPresent(
              given ->
                  unsets.add(
                      new Change(
                          Operation.ADD,
                          INVOKED + operation.get("f").text(),
                          new Value.SetValue(List.of(given)))));
    }
    setOrUnset("value", value, sets, unsets);
    setOrUnset("error", operation.get("error"), sets, unsets);
    sets.addAll(unsets);
    return sets;
  }

  /** The value that an operation would write: of a compare-and-set, the second one. */
  private static Optional<Value> invoked(Item operation) {
    Item value = operation.get("value");
    boolean isPair = operation.get("f").text().equals("cas") && value.elements().size() == 2;
    Item written = isPair ? value.elements().get(1) : value;
    return written.isNothing() ? Optional.empty() : Optional.of(written.value());
  }

  private static void setOrUnset(String name, Item item, List<Change> sets, List<Change> unsets) {
    if (item.isNothing()) {
      unsets.add(new Change(Operation.UNSET, name, Value.NullValue.NULL));
    } else {
      sets.add(set(name, item.value()));
    }
  }

  private static Change set(String name, Value value) {
    return new Change(Operation.SET, name, value);
  }

  private static String text(Item operation, String type) {
    return type + " " + operation.get("f").text() + " " + operation.get("value").json();
  }

  /**
   * The time of an operation. The history's order is that of one clock, so each operation is at
   * least a microsecond after the one before.
   */
  private long micros(Item operation, long line) {
    Item time = operation.get("time");
    long micros =
        time.isNothing()
            ? Math.multiplyExact(count, STEP_MICROS)
            : Math.floorDiv(
                time.integer()
                    .orElseThrow(
                        () ->
                            DocumentException.at(
                                line, "time is no number of nanoseconds: " + time.text())),
                1_000L);
    lastMicros = Math.max(micros, lastMicros + 1);
    if (lastMicros > Span.MAX_NANOS / 1_000) {
      throw DocumentException.at(line, "time is out of range: " + time.text());
    }
    return lastMicros;
  }
}
