// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.rql.json.JsonValues;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The export of events as a ShiViz log: the regular expression, an empty delimiter, and for each
 * event its host, a vector clock derived from the messages, its stamp and its text.
 *
 * <p>Heartbeats are omitted. A receive draws an arrow if exactly one send among the events matches
 * it.
 */
public final class ShivizExport {
  private static final String EXPRESSION =
      "(?<host>\\S*) (?<clock>{.*})\\n(?<hlc>\\S*) (?<event>.*)";

  /**
   * Characters that ShiViz does not accept in a host's name, and the percent sign, so that names
   * remain distinct.
   */
  private static final Pattern NO_HOST =
      Pattern.compile("[\\p{IsWhite_Space}\\uFEFF\\p{Cntrl}\"\\\\{}%]");

  /** Names of properties of every JavaScript object, which ShiViz would treat as known hosts. */
  private static final Pattern NO_KEY =
      Pattern.compile(
          "constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|toLocaleString|toString"
              + "|valueOf|__.*__");

  /** The text of an event, without the log. */
  private static final EventBody.Visitor<String> TEXT =
      new EventBody.Visitor<>() {
        @Override
        public String stateChange(EventBody.StateChange state) {
          return state.changes().stream().map(ShivizExport::text).collect(Collectors.joining(", "));
        }

        @Override
        public String logLine(EventBody.LogLine line) {
          return line.message() + fields(line.fields());
        }

        @Override
        public String send(EventBody.Send send) {
          return "send " + send.id() + (send.to().isEmpty() ? "" : " to " + send.to());
        }

        @Override
        public String receive(EventBody.Receive receive) {
          return "receive "
              + receive.id()
              + (receive.from().isEmpty() ? "" : " from " + receive.from());
        }

        @Override
        public String heartbeat(EventBody.Heartbeat heartbeat) {
          return "heartbeat";
        }

        @Override
        public String start(EventBody.Start start) {
          return "start " + start.incarnation();
        }

        @Override
        public String stop(EventBody.Stop stop) {
          return "stop";
        }
      };

  /** ShiViz's line terminators. */
  private static final Pattern LINE_END = Pattern.compile("[\\\\\\r\\n\\u2028\\u2029]");

  private final Writer out;
  private final Map<String, Map<String, Integer>> clocks = new HashMap<>();
  private final Map<String, List<Sent>> sent = new HashMap<>();

  /** A sent message, and the clock that it carries. */
  private record Sent(String from, String to, Map<String, Integer> clock) {
    boolean fits(String receiver, EventBody.Receive receive) {
      return (to.isEmpty() || to.equals(receiver))
          && (receive.from().isEmpty() || receive.from().equals(from));
    }
  }

  private ShivizExport(Writer out) {
    this.out = out;
  }

  /** Writes all events, which may be in any order. */
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
      List<Sent> fitting =
          sent.getOrDefault(receive.id(), List.of()).stream()
              .filter(end -> end.fits(event.node(), receive))
              .toList();
      if (fitting.size() == 1) { // ambiguous if there are several
        fitting.get(0).clock().forEach((name, count) -> clock.merge(name, count, Math::max));
      }
    }
    if (event.body() instanceof EventBody.Send send) {
      sent.computeIfAbsent(send.id(), id -> new ArrayList<>())
          .add(new Sent(event.node(), send.to(), new TreeMap<>(clock)));
    }
    out.write(host + " " + json(clock) + "\n");
    out.write(HlcTimestamp.text(event.hlc()) + " " + oneLine(text(event)) + "\n");
  }

  private static String host(String node) {
    return NO_KEY.matcher(node).matches()
        ? percent(node.substring(0, 1)) + node.substring(1)
        : NO_HOST.matcher(node).replaceAll(match -> percent(match.group()));
  }

  private static String percent(String text) {
    StringBuilder encoded = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      encoded.append("%%%02X".formatted(b));
    }
    return encoded.toString();
  }

  private static String json(Map<String, Integer> clock) {
    return clock.entrySet().stream()
        .map(entry -> JsonValues.text(Value.of(entry.getKey())) + ":" + entry.getValue())
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String oneLine(String text) {
    return LINE_END
        .matcher(text)
        .replaceAll(match -> Matcher.quoteReplacement(escape(match.group())));
  }

  private static String escape(String character) {
    return switch (character) {
      case "\\" -> "\\\\";
      case "\r" -> "\\r";
      case "\n" -> "\\n";
      default -> "\\u%04x".formatted((int) character.charAt(0));
    };
  }

  private static String text(Event event) {
    String text = event.body().accept(TEXT);
    return event.body().kind().isOfNode() ? text : event.log() + " " + text;
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
