package io.retroscope.rql.json;

import static io.retroscope.rql.json.JsonValues.MAX_DEPTH;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.EventMark;
import io.retroscope.event.LostBlocks;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** A reader of one event, or of a report of lost events, from one JSON object. Used once. */
final class EventReader {
  private static final int MAX_NAME_LENGTH = 200;
  private static final int MAX_VARIABLE_LENGTH = 4096;

  private final JsonParser in;
  private final Set<String> seen = new HashSet<>();
  private final List<Change> changes = new ArrayList<>();

  private @Nullable String node;
  private String incarnation = "";
  private @Nullable String log;
  private @Nullable Long hlc;
  private long physicalMicros = Event.NO_PHYSICAL;
  private long sequence = Event.NO_SEQUENCE;
  private long promiseMicros;
  private Set<EventMark> marks = Set.of();
  private @Nullable String message;
  private @Nullable Map<String, Value> fields;
  private @Nullable EventBody single;
  private @Nullable Lost lost;
  private @Nullable String warning;
  private String kind = "";

  /** Lost events: the stamp at which they begin, and their number. */
  private record Lost(long from, long eventCount) {}

  private EventReader(JsonParser in) {
    this.in = in;
  }

  /**
   * Reads the event in the first {@code length} characters; empty if they report a loss or are a
   * warning.
   *
   * @param gaps takes the loss
   * @param warnings takes the warning
   * @throws JsonFieldException if the text is not exactly one of these
   */
  static Optional<Event> read(
      char[] text, int length, Consumer<Gap> gaps, Consumer<String> warnings) {
    try (JsonParser parser =
        JsonValues.JSON.createParser(ObjectReadContext.empty(), text, 0, length)) {
      return new EventReader(parser).read(gaps, warnings);
    } catch (JacksonException e) {
      throw new JsonFieldException("", JsonValues.syntaxError(e));
    }
  }

  private Optional<Event> read(Consumer<Gap> gaps, Consumer<String> warnings) {
    if (in.nextToken() != JsonToken.START_OBJECT) {
      throw new JsonFieldException("", "expected one JSON object");
    }
    for (String name = in.nextName(); name != null; name = in.nextName()) {
      if (!seen.add(name)) {
        throw new JsonFieldException(name, "is given twice");
      }
      readField(name, in.nextToken());
    }
    if (in.nextToken() != null) {
      throw new JsonFieldException("", "more than one JSON object on the line");
    }
    if (warning != null) {
      if (seen.size() > 1) {
        throw new JsonFieldException("warning", "must be the only field of its line");
      }
      warnings.accept(warning);
      return Optional.empty();
    }
    return build(gaps);
  }

  private void readField(String name, JsonToken token) {
    switch (name) {
      case "node" -> node = name(token, name, MAX_NAME_LENGTH);
      case "incarnation" -> incarnation = name(token, name, Event.MAX_INCARNATION_LENGTH);
      case "log" -> log = name(token, name, MAX_NAME_LENGTH);
      case "hlc" -> hlc = stamp(token, name);
      case "pt" -> physicalMicros = integer(token, name, 0, HlcTimestamp.MAX_MICROS);
      case "seq" -> sequence = integer(token, name, 1, Long.MAX_VALUE);
      case "promise" -> promiseMicros = integer(token, name, 1, Long.MAX_VALUE);
      case "marks" -> marks = marks(token);
      case "set" -> changes(Operation.SET, token);
      case "add" -> changes(Operation.ADD, token);
      case "remove" -> changes(Operation.REMOVE, token);
      case "unset" -> unset(token);
      case "message" -> {
        kind("message");
        message = text(token, name);
      }
      case "fields" -> fields = object(token, name);
      case "send" -> {
        Map<String, Value> end = kindOf(token, name, Set.of("to", "id"));
        single = new EventBody.Send(text(end, name, "to", ""), text(end, name, "id", null));
      }
      case "receive" -> {
        Map<String, Value> end = kindOf(token, name, Set.of("from", "id"));
        single = new EventBody.Receive(text(end, name, "from", ""), text(end, name, "id", null));
      }
      case "heartbeat" -> single = flag(token, name, new EventBody.Heartbeat());
      case "stop" -> single = flag(token, name, new EventBody.Stop());
      case "start" -> single = start(token);
      case "lost" -> lost = lost(token);
      case "warning" -> warning = text(token, name);
      default -> throw new JsonFieldException(name, "is not a field of an event");
    }
  }

  private Optional<Event> build(Consumer<Gap> gaps) {
    if (node == null) {
      throw new JsonFieldException("node", "is missing");
    }
    if (hlc == null) {
      throw new JsonFieldException("hlc", "is missing");
    }
    if (lost != null) {
      gaps.accept(gap(node, incarnation, lost, hlc));
      return Optional.empty();
    }
    EventBody body = body();
    boolean ofTheNode =
        body instanceof EventBody.Heartbeat
            || body instanceof EventBody.Start
            || body instanceof EventBody.Stop;
    if (log == null && !ofTheNode) {
      throw new JsonFieldException("log", "is missing");
    }
    String logName = log == null || ofTheNode ? "" : log;
    return Optional.of(
        new Event(node, incarnation, logName, hlc, physicalMicros, sequence, marks, body));
  }

  private static Gap gap(String node, String incarnation, Lost lost, long hlc) {
    if (lost.from > hlc) {
      throw new JsonFieldException("lost.from", "is after \"hlc\", where the loss ends");
    }
    return new Gap(node, incarnation, new HlcRange(lost.from, hlc), lost.eventCount);
  }

  private EventBody body() {
    if (fields != null && message == null) {
      throw new JsonFieldException("fields", "requires a \"message\" in the same object");
    }
    if (message != null) {
      return new EventBody.LogLine(message, fields == null ? Map.of() : fields);
    }
    if (promiseMicros > 0 && !(single instanceof EventBody.Heartbeat)) {
      throw new JsonFieldException("promise", "requires a \"heartbeat\" in the same object");
    }
    if (single != null) {
      return single instanceof EventBody.Heartbeat
          ? new EventBody.Heartbeat(promiseMicros)
          : single;
    }
    if (changes.isEmpty()) {
      throw new JsonFieldException(
          "",
          kind.isEmpty()
              ? "has no content: one of set, add, remove, unset, message, send, receive, heartbeat,"
                  + " start, stop, lost is needed"
              : "changes nothing: \"" + kind + "\" is empty");
    }
    return new EventBody.StateChange(inOrderOfApplication());
  }

  private List<Change> inOrderOfApplication() {
    List<Change> ordered = new ArrayList<>(changes);
    ordered.sort((a, b) -> a.operation().compareTo(b.operation()));
    return ordered;
  }

  /**
   * Sets the kind of the event, of which there is exactly one. Only changes of state can be
   * combined.
   */
  private void kind(String name) {
    if (!kind.isEmpty()) {
      throw new JsonFieldException(name, "cannot be combined with \"" + kind + "\" in one event");
    }
    kind = name;
  }

  private void changes(Operation operation, JsonToken token) {
    String name = changeKind(operation);
    object(token, name)
        .forEach(
            (variable, value) -> {
              checkVariable(name, variable);
              if (operation != Operation.SET && !(value instanceof SetValue)) {
                throw new JsonFieldException(
                    name + "." + variable, "must be an array of the elements");
              }
              changes.add(new Change(operation, variable, value));
            });
  }

  private void unset(JsonToken token) {
    String name = changeKind(Operation.UNSET);
    if (token != JsonToken.START_ARRAY) {
      throw new JsonFieldException(name, "must be an array of variable names");
    }
    Set<String> variables = new HashSet<>();
    for (JsonToken t = in.nextToken(); t != JsonToken.END_ARRAY; t = in.nextToken()) {
      String variable = text(t, name);
      checkVariable(name, variable);
      if (!variables.add(variable)) {
        throw new JsonFieldException(name, "names \"" + variable + "\" twice");
      }
      changes.add(new Change(Operation.UNSET, variable, NullValue.NULL));
    }
  }

  private String changeKind(Operation operation) {
    String name = operation.name().toLowerCase(Locale.ROOT);
    boolean besideAnotherChange =
        Arrays.stream(Operation.values())
            .anyMatch(o -> o.name().toLowerCase(Locale.ROOT).equals(kind));
    if (!besideAnotherChange) {
      kind(name);
    }
    return name;
  }

  private static void checkVariable(String field, String variable) {
    if (variable.isEmpty() || variable.length() > MAX_VARIABLE_LENGTH) {
      throw new JsonFieldException(
          field, "a variable's name must have 1 to " + MAX_VARIABLE_LENGTH + " characters");
    }
  }

  private EventBody.Start start(JsonToken token) {
    Map<String, Value> start =
        kindOf(token, "start", Set.of("incarnation", "floor", "predecessor", "spill"));
    String floor = text(start, "start", "floor", HlcTimestamp.text(HlcTimestamp.MIN_PACKED));
    return new EventBody.Start(
        text(start, "start", "incarnation", null),
        parseStamp(floor, "start.floor"),
        text(start, "start", "predecessor", ""),
        oneOf(Spill.values(), text(start, "start", "spill", "complete"), "start.spill"));
  }

  private Lost lost(JsonToken token) {
    Map<String, Value> lost = kindOf(token, "lost", Set.of("from", "events"));
    if (!(lost.get("events") instanceof Value.LongValue count)
        || count.value() < 1
        || count.value() > LostBlocks.MAX_EVENTS) {
      throw new JsonFieldException(
          "lost.events", "must be an integer within 1.." + LostBlocks.MAX_EVENTS);
    }
    return new Lost(parseStamp(text(lost, "lost", "from", null), "lost.from"), count.value());
  }

  private Set<EventMark> marks(JsonToken token) {
    if (token != JsonToken.START_ARRAY) {
      throw new JsonFieldException("marks", "must be an array");
    }
    Set<EventMark> read = EnumSet.noneOf(EventMark.class);
    for (JsonToken t = in.nextToken(); t != JsonToken.END_ARRAY; t = in.nextToken()) {
      read.add(oneOf(EventMark.values(), text(t, "marks"), "marks"));
    }
    return read;
  }

  private static <E extends Enum<E>> E oneOf(E[] constants, String text, String field) {
    for (E constant : constants) {
      if (constant.name().toLowerCase(Locale.ROOT).equals(text)) {
        return constant;
      }
    }
    String known =
        Arrays.stream(constants)
            .map(c -> c.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    throw new JsonFieldException(
        field, "\"" + JsonValues.abbreviate(text) + "\" is not one of " + known);
  }

  private EventBody flag(JsonToken token, String name, EventBody body) {
    kind(name);
    if (token != JsonToken.VALUE_TRUE) {
      throw new JsonFieldException(name, "must be true");
    }
    return body;
  }

  private Map<String, Value> kindOf(JsonToken token, String name, Set<String> known) {
    kind(name);
    Map<String, Value> object = object(token, name);
    for (String field : object.keySet()) {
      if (!known.contains(field)) {
        throw new JsonFieldException(name + "." + field, "is not a field of \"" + name + "\"");
      }
    }
    return object;
  }

  private Map<String, Value> object(JsonToken token, String field) {
    if (token != JsonToken.START_OBJECT) {
      throw new JsonFieldException(field, "must be an object");
    }
    return JsonValues.struct(in, field, MAX_DEPTH);
  }

  /**
   * Returns a string field of a small object. Without a default it must be present and not empty.
   */
  private static String text(
      Map<String, Value> object, String parent, String name, @Nullable String absent) {
    Value value = object.get(name);
    String path = parent + "." + name;
    if (value == null) {
      if (absent == null) {
        throw new JsonFieldException(path, "is missing");
      }
      return absent;
    }
    if (!(value instanceof Value.StringValue text)) {
      throw new JsonFieldException(path, "must be a string");
    }
    if (absent == null && text.value().isEmpty()) {
      throw new JsonFieldException(path, "must not be empty");
    }
    return text.value();
  }

  private String name(JsonToken token, String field, int maxLength) {
    String text = text(token, field);
    if (text.isEmpty() || text.length() > maxLength) {
      throw new JsonFieldException(
          field, "must have 1 to " + maxLength + " characters: it has " + text.length());
    }
    return text;
  }

  private String text(JsonToken token, String field) {
    if (token != JsonToken.VALUE_STRING) {
      throw new JsonFieldException(field, "must be a string");
    }
    return JsonValues.string(in, field);
  }

  private long integer(JsonToken token, String field, long min, long max) {
    if (token != JsonToken.VALUE_NUMBER_INT) {
      throw new JsonFieldException(field, "must be an integer");
    }
    long value = JsonValues.integer(in, field);
    if (value < min || value > max) {
      throw new JsonFieldException(field, "must be within " + min + ".." + max + ": " + value);
    }
    return value;
  }

  private long stamp(JsonToken token, String field) {
    if (token == JsonToken.VALUE_STRING) {
      return parseStamp(JsonValues.string(in, field), field);
    }
    if (token == JsonToken.VALUE_NUMBER_FLOAT) {
      throw new JsonFieldException(
          field, "loses digits as a fractional number: write the string \"<micros>.<logical>\"");
    }
    if (token != JsonToken.VALUE_NUMBER_INT) {
      throw new JsonFieldException(
          field, "must be a string \"<micros>.<logical>\" or an integer of microseconds");
    }
    return HlcTimestamp.pack(integer(token, field, 0, HlcTimestamp.MAX_MICROS));
  }

  private static long parseStamp(String text, String field) {
    try {
      return HlcTimestamp.parse(text);
    } catch (IllegalArgumentException e) {
      throw new JsonFieldException(field, e.getMessage() == null ? "no stamp" : e.getMessage());
    }
  }
}
