// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.golden;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.json.JsonValues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** A parser of the golden files' short notation of events, which their README describes. */
public final class EventNotation {
  private final List<Event> events = new ArrayList<>();
  private final Map<String, Offset> offsets = new HashMap<>();
  private final Map<String, Long> steps = new HashMap<>();

  private EventNotation() {}

  /** Parses lines; comments and blank lines are skipped. */
  public static EventNotation read(List<String> lines) {
    EventNotation notation = new EventNotation();
    for (String line : lines) {
      if (!line.isBlank() && !line.startsWith("#")) {
        try {
          notation.add(words(line.strip()));
        } catch (RuntimeException e) {
          throw new IllegalArgumentException("cannot read \"" + line + "\"", e);
        }
      }
    }
    return notation;
  }

  /** The events, in the order of the lines. */
  public List<Event> events() {
    return events;
  }

  /** Returns the events as a source, with the offsets. */
  public InMemoryEventSource source() {
    return source(events);
  }

  /** Returns some of the events as a source, with the offsets. */
  public InMemoryEventSource source(List<Event> some) {
    return new InMemoryEventSource(some, new FixedOffsets(offsets, steps));
  }

  private void add(List<String> words) {
    if (words.get(0).equals("offset")) {
      offsets.put(
          words.get(1),
          new Offset(Long.parseLong(words.get(2)), bound(words.get(3)), bound(words.get(4))));
      return;
    }
    if (words.get(0).equals("step")) {
      steps.put(words.get(1), stamp(words.get(2)));
      return;
    }
    String[] numbered = words.get(0).split("#", -1);
    long sequence = numbered.length > 1 ? Long.parseLong(numbered[1]) : Event.NO_SEQUENCE;
    String[] clocks = numbered[0].split("/", -1);
    long hlc = stamp(clocks[0]);
    long physical = clocks.length > 1 ? micros(clocks[1]) : Event.NO_PHYSICAL;
    String node = words.get(1);
    String kind = words.get(2);
    Set<EventMark> marks =
        words.get(words.size() - 1).endsWith("!") ? Set.of(EventMark.REPAIR) : Set.of();
    EventBody body =
        switch (kind) {
          case "start" ->
              new EventBody.Start(
                  words.get(3), HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE);
          case "stop" -> new EventBody.Stop();
          case "heartbeat" -> new EventBody.Heartbeat(words.size() > 3 ? micros(words.get(3)) : 0);
          default -> body(words.subList(3, words.size()));
        };
    boolean logless =
        body instanceof EventBody.Start
            || body instanceof EventBody.Stop
            || body instanceof EventBody.Heartbeat;
    events.add(new Event(node, logless ? "" : kind, hlc, physical, sequence, marks, body));
  }

  private static EventBody body(List<String> words) {
    return switch (words.get(0)) {
      case "say" -> logLine(words);
      case "send" -> new EventBody.Send(words.get(1), words.get(2));
      case "receive" -> new EventBody.Receive(words.get(1), words.get(2));
      default -> new EventBody.StateChange(words.stream().map(EventNotation::change).toList());
    };
  }

  private static EventBody logLine(List<String> words) {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (String word : words.subList(2, words.size())) {
      int equals = word.indexOf('=');
      fields.put(word.substring(0, equals), JsonValues.parse(word.substring(equals + 1)));
    }
    return new EventBody.LogLine(((StringValue) JsonValues.parse(words.get(1))).value(), fields);
  }

  private static Change change(String word) {
    if (word.startsWith("!")) {
      return new Change(Operation.UNSET, word.substring(1), NullValue.NULL);
    }
    int equals = word.indexOf('=');
    String json = word.substring(equals + 1);
    Value value =
        JsonValues.parse(json.endsWith("!") ? json.substring(0, json.length() - 1) : json);
    return switch (word.charAt(0)) {
      case '+' -> new Change(Operation.ADD, word.substring(1, equals), value);
      case '-' -> new Change(Operation.REMOVE, word.substring(1, equals), value);
      default -> new Change(Operation.SET, word.substring(0, equals), value);
    };
  }

  private static long stamp(String text) {
    int dot = text.indexOf('.');
    return dot < 0
        ? HlcTimestamp.pack(micros(text))
        : HlcTimestamp.pack(
            micros(text.substring(0, dot)), Integer.parseInt(text.substring(dot + 1)));
  }

  private static long micros(String text) {
    if (text.endsWith("us")) {
      return Long.parseLong(text.substring(0, text.length() - 2));
    }
    if (text.endsWith("ms")) {
      return 1_000 * Long.parseLong(text.substring(0, text.length() - 2));
    }
    return text.endsWith("s")
        ? 1_000_000 * Long.parseLong(text.substring(0, text.length() - 1))
        : Long.parseLong(text);
  }

  private static OptionalLong bound(String text) {
    return text.equals("?") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
  }

  /** Splits at whitespace outside quotes and brackets. */
  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    int depth = 0;
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"' && (i == 0 || line.charAt(i - 1) != '\\')) {
        quoted = !quoted;
      } else if (!quoted && (c == '[' || c == '{')) {
        depth++;
      } else if (!quoted && (c == ']' || c == '}')) {
        depth--;
      }
      if (c != ' ' || quoted || depth > 0) {
        word.append(c);
      } else if (!word.isEmpty()) {
        words.add(word.toString());
        word.setLength(0);
      }
    }
    words.add(word.toString());
    return words;
  }

  private record FixedOffsets(Map<String, Offset> offsets, Map<String, Long> steps)
      implements ClockOffsets {
    @Override
    public Optional<String> referenceNode() {
      return offsets.keySet().stream().sorted().findFirst();
    }

    @Override
    public Optional<Offset> offset(String node, long hlc) {
      return Optional.ofNullable(offsets.get(node));
    }

    @Override
    public boolean mayHaveStepped(String node, long fromHlc, long toHlc) {
      Long step = steps.get(node);
      return step != null && fromHlc < step && step <= toHlc;
    }
  }
}
