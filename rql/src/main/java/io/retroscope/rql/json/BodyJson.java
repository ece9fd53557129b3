// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import static io.retroscope.rql.json.JsonFields.text;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;

/**
 * The fields of an event's body in JSON: writing, reading and checking. Reads the fields of one
 * event; not thread-safe.
 */
final class BodyJson {
  private static final int MAX_VARIABLE_LENGTH = 4096;

  private static final String FIELDS = "fields";
  private static final String PROMISE = "promise";

  /** The fields that accompany another one, and do not define a kind on their own. */
  private static final Set<String> ACCOMPANYING = Set.of(FIELDS, PROMISE);

  private static final Map<String, EventKind> KIND_OF_FIELD = new HashMap<>();

  static {
    for (EventKind kind : EventKind.values()) {
      fieldsOf(kind).forEach(field -> KIND_OF_FIELD.put(field, kind));
    }
  }

  private final JsonFields in;
  private final List<Change> changes = new ArrayList<>();
  private long promiseMicros;
  private @Nullable String message;
  private @Nullable Map<String, Value> fields;
  private @Nullable EventBody single;

  /** The field that defines the event's kind; empty before it is read. */
  private String defining = "";

  BodyJson(JsonFields in) {
    this.in = in;
  }

  /** The fields of a kind, in the order in which they are written. */
  private static List<String> fieldsOf(EventKind kind) {
    return switch (kind) {
      case STATE_CHANGE -> Stream.of(Operation.values()).map(JsonFields::nameOf).toList();
      case LOG_LINE -> List.of("message", FIELDS);
      case SEND -> List.of("send");
      case RECEIVE -> List.of("receive");
      case HEARTBEAT -> List.of("heartbeat", PROMISE);
      case START -> List.of("start");
      case STOP -> List.of("stop");
    };
  }

  /** The fields that define a kind, for messages. */
  private static String definingFields() {
    return Stream.of(EventKind.values())
        .flatMap(kind -> fieldsOf(kind).stream())
        .filter(field -> !ACCOMPANYING.contains(field))
        .collect(Collectors.joining(", "));
  }

  /** Writes the fields of a body into an object that is open. */
  static void write(EventBody body, JsonGenerator json) {
    body.accept(new Writer(json));
  }

  private record Writer(JsonGenerator json) implements EventBody.Visitor<JsonGenerator> {
    @Override
    public JsonGenerator stateChange(EventBody.StateChange state) {
      for (Operation operation : Operation.values()) {
        List<Change> same =
            state.changes().stream().filter(c -> c.operation() == operation).toList();
        if (!same.isEmpty()) {
          json.writeName(JsonFields.nameOf(operation));
          write(operation, same);
        }
      }
      return json;
    }

    private void write(Operation operation, List<Change> same) {
      if (operation == Operation.UNSET) {
        json.writeStartArray();
        same.forEach(change -> json.writeString(change.variable()));
        json.writeEndArray();
      } else {
        json.writeStartObject();
        same.forEach(c -> JsonValues.writeExactly(json.writeName(c.variable()), c.value()));
        json.writeEndObject();
      }
    }

    @Override
    public JsonGenerator logLine(EventBody.LogLine line) {
      json.writeStringProperty("message", line.message());
      if (!line.fields().isEmpty()) {
        JsonValues.writeExactly(json.writeName(FIELDS), new Value.StructValue(line.fields()));
      }
      return json;
    }

    @Override
    public JsonGenerator send(EventBody.Send send) {
      return end("send", "to", send.to(), send.id());
    }

    @Override
    public JsonGenerator receive(EventBody.Receive receive) {
      return end("receive", "from", receive.from(), receive.id());
    }

    private JsonGenerator end(String field, String peerName, String peer, String id) {
      json.writeName(field).writeStartObject();
      if (!peer.isEmpty()) {
        json.writeStringProperty(peerName, peer);
      }
      return json.writeStringProperty("id", id).writeEndObject();
    }

    @Override
    public JsonGenerator heartbeat(EventBody.Heartbeat heartbeat) {
      json.writeBooleanProperty("heartbeat", true);
      return heartbeat.promiseMicros() > 0
          ? json.writeNumberProperty(PROMISE, heartbeat.promiseMicros())
          : json;
    }

    @Override
    public JsonGenerator start(EventBody.Start start) {
      json.writeName("start").writeStartObject();
      json.writeStringProperty("incarnation", start.incarnation());
      if (start.floor() != HlcTimestamp.MIN_PACKED) {
        json.writeStringProperty("floor", HlcTimestamp.text(start.floor()));
      }
      if (!start.predecessor().isEmpty()) {
        json.writeStringProperty("predecessor", start.predecessor());
      }
      if (start.spill() != Spill.COMPLETE) {
        json.writeStringProperty("spill", JsonFields.nameOf(start.spill()));
      }
      return json.writeEndObject();
    }

    @Override
    public JsonGenerator stop(EventBody.Stop stop) {
      return json.writeBooleanProperty("stop", true);
    }
  }

  /**
   * Reads a field if it is one of a body.
   *
   * @return false if it is not
   */
  boolean read(String field, JsonToken token) {
    EventKind kind = KIND_OF_FIELD.get(field);
    if (kind == null) {
      return false;
    }
    if (!ACCOMPANYING.contains(field)) {
      define(field);
    }
    switch (kind) {
      case STATE_CHANGE -> readChanges(field, token);
      case LOG_LINE -> readLine(field, token);
      case SEND -> {
        Map<String, Value> end = in.object(token, field, Set.of("to", "id"));
        single = new EventBody.Send(text(end, field, "to", ""), text(end, field, "id", null));
      }
      case RECEIVE -> {
        Map<String, Value> end = in.object(token, field, Set.of("from", "id"));
        single = new EventBody.Receive(text(end, field, "from", ""), text(end, field, "id", null));
      }
      case HEARTBEAT -> readHeartbeat(field, token);
      case START -> single = start(field, token);
      case STOP -> {
        requireTrue(field, token);
        single = new EventBody.Stop();
      }
    }
    return true;
  }

  /**
   * Notes the field that defines what the line is. There is exactly one; only the changes of a
   * state change can be combined.
   */
  void define(String field) {
    if (defining.isEmpty()) {
      defining = field;
    } else if (!isChange(field) || !isChange(defining)) {
      throw new JsonFieldException(
          field, "cannot be combined with \"" + defining + "\" in one event");
    }
  }

  private static boolean isChange(String field) {
    return KIND_OF_FIELD.get(field) == EventKind.STATE_CHANGE;
  }

  private void readChanges(String field, JsonToken token) {
    Operation operation = JsonFields.oneOf(Operation.values(), field, field);
    if (operation == Operation.UNSET) {
      readUnset(field, token);
      return;
    }
    in.object(token, field)
        .forEach(
            (variable, value) -> {
              checkVariable(field, variable);
              if (operation != Operation.SET && !(value instanceof SetValue)) {
                throw new JsonFieldException(
                    field + "." + variable, "must be an array of the elements");
              }
              changes.add(new Change(operation, variable, value));
            });
  }

  private void readUnset(String field, JsonToken token) {
    if (token != JsonToken.START_ARRAY) {
      throw new JsonFieldException(field, "must be an array of variable names");
    }
    Set<String> variables = new HashSet<>();
    for (JsonToken t = in.nextElement(); t != JsonToken.END_ARRAY; t = in.nextElement()) {
      String variable = in.text(t, field);
      checkVariable(field, variable);
      if (!variables.add(variable)) {
        throw new JsonFieldException(field, "names \"" + variable + "\" twice");
      }
      changes.add(new Change(Operation.UNSET, variable, NullValue.NULL));
    }
  }

  private static void checkVariable(String field, String variable) {
    if (variable.isEmpty() || variable.length() > MAX_VARIABLE_LENGTH) {
      throw new JsonFieldException(
          field, "a variable's name must have 1 to " + MAX_VARIABLE_LENGTH + " characters");
    }
  }

  private void readLine(String field, JsonToken token) {
    if (field.equals(FIELDS)) {
      fields = in.object(token, field);
    } else {
      message = in.text(token, field);
    }
  }

  private void readHeartbeat(String field, JsonToken token) {
    if (field.equals(PROMISE)) {
      promiseMicros = in.integer(token, field, 1, Long.MAX_VALUE);
    } else {
      requireTrue(field, token);
      single = new EventBody.Heartbeat();
    }
  }

  private static void requireTrue(String field, JsonToken token) {
    if (token != JsonToken.VALUE_TRUE) {
      throw new JsonFieldException(field, "must be true");
    }
  }

  private EventBody.Start start(String field, JsonToken token) {
    Map<String, Value> start =
        in.object(token, field, Set.of("incarnation", "floor", "predecessor", "spill"));
    String floor = text(start, field, "floor", HlcTimestamp.text(HlcTimestamp.MIN_PACKED));
    return new EventBody.Start(
        text(start, field, "incarnation", null),
        JsonFields.stamp(floor, field + ".floor"),
        text(start, field, "predecessor", ""),
        JsonFields.oneOf(
            Spill.values(), text(start, field, "spill", "complete"), field + ".spill"));
  }

  /**
   * The body of the fields that were read.
   *
   * @throws JsonFieldException if they do not form one
   */
  EventBody body() {
    if (fields != null && message == null) {
      throw new JsonFieldException(FIELDS, "requires a \"message\" in the same object");
    }
    if (message != null) {
      return new EventBody.LogLine(message, fields == null ? Map.of() : fields);
    }
    if (promiseMicros > 0 && !(single instanceof EventBody.Heartbeat)) {
      throw new JsonFieldException(PROMISE, "requires a \"heartbeat\" in the same object");
    }
    if (single != null) {
      return single instanceof EventBody.Heartbeat
          ? new EventBody.Heartbeat(promiseMicros)
          : single;
    }
    if (changes.isEmpty()) {
      throw new JsonFieldException(
          "",
          defining.isEmpty()
              ? "has no content: one of " + definingFields() + ", lost is needed"
              : "changes nothing: \"" + defining + "\" is empty");
    }
    changes.sort(Comparator.comparing(Change::operation));
    return new EventBody.StateChange(changes);
  }
}
