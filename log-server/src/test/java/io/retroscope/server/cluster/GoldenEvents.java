// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.rql.json.JsonValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The queries of the golden files of module rql, each with the events before it. */
record GoldenEvents(String title, List<Event> events, String query) {
  private static final Path FOLDER = Path.of("../rql/src/test/resources/golden");

  /** All that neither are live nor set clock offsets. */
  static List<GoldenEvents> all() throws IOException {
    List<GoldenEvents> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".rqltest")).sorted().toList()) {
        add(file.getFileName().toString(), Files.readAllLines(file), all);
      }
    }
    return all;
  }

  private static void add(String file, List<String> lines, List<GoldenEvents> to) {
    List<String> log = List.of();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).equals("log")) {
        int end = find(lines, i, "end");
        log = lines.subList(i + 1, end);
        i = end;
      } else if (lines.get(i).startsWith("case ")) {
        int rule = find(lines, i, "----");
        String query = String.join("\n", lines.subList(i + 1, rule));
        boolean hasClocks =
            log.stream().anyMatch(l -> l.startsWith("offset ") || l.startsWith("step "));
        if (!query.contains("STREAM") && !hasClocks) {
          to.add(new GoldenEvents(file + ":" + (i + 1), events(log), query));
        }
        i = find(lines, rule, "end");
      }
    }
  }

  private static int find(List<String> lines, int from, String line) {
    int at = from;
    while (!lines.get(at).equals(line)) {
      at++;
    }
    return at;
  }

  private static List<Event> events(List<String> lines) {
    return lines.stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> event(words(line.strip())))
        .toList();
  }

  private static Event event(List<String> words) {
    String[] numbered = words.get(0).split("#", -1);
    String[] clocks = numbered[0].split("/", -1);
    String kind = words.get(2);
    EventBody body =
        switch (kind) {
          case "start" ->
              new EventBody.Start(
                  words.get(3), HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE);
          case "stop" -> new EventBody.Stop();
          case "heartbeat" -> new EventBody.Heartbeat(words.size() > 3 ? micros(words.get(3)) : 0);
          default -> body(words.subList(3, words.size()));
        };
    boolean isOfNode = body.kind().isOfNode();
    return new Event(
        words.get(1),
        isOfNode ? "" : kind,
        stamp(clocks[0]),
        clocks.length > 1 ? micros(clocks[1]) : Event.NO_PHYSICAL,
        numbered.length > 1 ? Long.parseLong(numbered[1]) : Event.NO_SEQUENCE,
        words.get(words.size() - 1).endsWith("!") ? Set.of(EventMark.REPAIR) : Set.of(),
        body);
  }

  private static EventBody body(List<String> words) {
    switch (words.get(0)) {
      case "send":
        return new EventBody.Send(words.get(1), words.get(2));
      case "receive":
        return new EventBody.Receive(words.get(1), words.get(2));
      case "say":
        Map<String, Value> fields = new LinkedHashMap<>();
        for (String word : words.subList(2, words.size())) {
          String[] parts = word.split("=", 2);
          fields.put(parts[0], JsonValues.parse(parts[1]));
        }
        String text = ((Value.StringValue) JsonValues.parse(words.get(1))).value();
        return new EventBody.LogLine(text, fields);
      default:
        return new EventBody.StateChange(words.stream().map(GoldenEvents::change).toList());
    }
  }

  private static Change change(String word) {
    if (word.startsWith("!")) {
      return new Change(Operation.UNSET, word.substring(1), Value.NullValue.NULL);
    }
    String[] parts = word.split("=", 2);
    String json = parts[1].endsWith("!") ? parts[1].substring(0, parts[1].length() - 1) : parts[1];
    Value value = JsonValues.parse(json);
    return switch (word.charAt(0)) {
      case '+' -> new Change(Operation.ADD, parts[0].substring(1), value);
      case '-' -> new Change(Operation.REMOVE, parts[0].substring(1), value);
      default -> new Change(Operation.SET, parts[0], value);
    };
  }

  private static long stamp(String text) {
    String[] parts = text.split("\\.", 2);
    return HlcTimestamp.pack(micros(parts[0]), parts.length > 1 ? Integer.parseInt(parts[1]) : 0);
  }

  private static long micros(String text) {
    long number = Long.parseLong(text.replaceAll("[a-z]+$", ""));
    return text.endsWith("us")
        ? number
        : text.endsWith("ms") ? number * 1_000 : text.endsWith("s") ? number * 1_000_000 : number;
  }

  /** Splits at spaces outside quotes and brackets. */
  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    int depth = 0;
    boolean isQuoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      isQuoted ^= c == '"' && (i == 0 || line.charAt(i - 1) != '\\');
      depth += isQuoted ? 0 : c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
      if (c != ' ' || isQuoted || depth > 0) {
        word.append(c);
      } else if (!word.isEmpty()) {
        words.add(word.toString());
        word.setLength(0);
      }
    }
    words.add(word.toString());
    return words;
  }
}
