package io.retroscope.cli.shiviz;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.rql.json.JsonValues;
import java.io.IOException;
import java.io.Writer;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Writes events as a log that ShiViz opens: the regular expression, an empty delimiter, and for
 * each event its host, a vector clock made of the messages, its stamp and its text.
 *
 * <p>Heartbeats are left out. A receive whose send is not among the events draws no arrow.
 */
public final class ShivizExport {
  private static final String EXPRESSION =
      "(?<host>\\S*) (?<clock>{.*})\\n(?<hlc>\\S*) (?<event>.*)";

  /** What ShiViz would not take in a host's name; the percent sign, so that no two names meet. */
  private static final Pattern NO_HOST = Pattern.compile("[\\s\\p{Cntrl}\"\\\\{}%]");

  private final Writer out;
  private final Map<String, Map<String, Integer>> clocks = new HashMap<>();
  private final Map<String, Map<String, Integer>> sent = new HashMap<>();

  private ShivizExport(Writer out) {
    this.out = out;
  }

  /** Writes all of the events, which may come in any order. */
  public static void write(List<Event> events, Writer out) throws IOException {
    out.write(EXPRESSION + "\n\n");
    ShivizExport export = new ShivizExport(out);
    List<Event> ordered =
        events.stream()
            .filter(event -> !(event.body() instanceof EventBody.Heartbeat))
            .sorted(Comparator.comparingLong(Event::hlc).thenComparing(Event::node))
            .toList();
    for (Event event : ordered) {
      export.write(event);
    }
  }

  private void write(Event event) throws IOException {
    String host = host(event.node());
    Map<String, Integer> clock = clocks.computeIfAbsent(host, name -> new TreeMap<>());
    clock.merge(host, 1, Integer::sum);
    if (event.body() instanceof EventBody.Receive receive) {
      sent.getOrDefault(receive.id(), Map.of())
          .forEach((name, count) -> clock.merge(name, count, Math::max));
    }
    if (event.body() instanceof EventBody.Send send) {
      sent.put(send.id(), new TreeMap<>(clock));
    }
    out.write(host + " " + json(clock) + "\n");
    out.write(HlcTimestamp.text(event.hlc()) + " " + oneLine(text(event)) + "\n");
  }

  private static String host(String node) {
    return NO_HOST
        .matcher(node)
        .replaceAll(match -> "%%%02X".formatted((int) match.group().charAt(0)));
  }

  private static String json(Map<String, Integer> clock) {
    return clock.entrySet().stream()
        .map(entry -> JsonValues.text(Value.of(entry.getKey())) + ":" + entry.getValue())
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String oneLine(String text) {
    return text.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n");
  }

  private static String text(Event event) {
    EventBody body = event.body();
    String log = event.log() + " ";
    if (body instanceof EventBody.StateChange state) {
      return log
          + state.changes().stream().map(ShivizExport::text).collect(Collectors.joining(", "));
    }
    if (body instanceof EventBody.LogLine line) {
      return log + line.message() + fields(line.fields());
    }
    if (body instanceof EventBody.Send send) {
      return log + "send " + send.id() + (send.to().isEmpty() ? "" : " to " + send.to());
    }
    if (body instanceof EventBody.Receive receive) {
      return log
          + "receive "
          + receive.id()
          + (receive.from().isEmpty() ? "" : " from " + receive.from());
    }
    return body instanceof EventBody.Start start ? "start " + start.incarnation() : "stop";
  }

  private static String text(EventBody.Change change) {
    String value = JsonValues.text(change.value());
    return switch (change.operation()) {
      case SET -> change.variable() + " = " + value;
      case ADD -> change.variable() + " + " + value;
      case REMOVE -> change.variable() + " - " + value;
      case UNSET -> change.variable() + " unset";
    };
  }

  private static String fields(Map<String, Value> fields) {
    return fields.entrySet().stream()
        .map(field -> " " + field.getKey() + "=" + JsonValues.text(field.getValue()))
        .collect(Collectors.joining());
  }
}
