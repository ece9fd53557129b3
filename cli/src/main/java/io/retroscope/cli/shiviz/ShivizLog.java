// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import io.retroscope.cli.file.InputException;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.lines.BoundedText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A parser of ShiViz logs. Used once, by one thread. */
final class ShivizLog {
  /** GoVector's format: the clock above the text. */
  static final String CLOCK_FIRST = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)";

  /** ShiViz's default format: the clock below the text. */
  static final String CLOCK_LAST = "(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})";

  private static final String HOST = "host";
  private static final String CLOCK = "clock";
  private static final String EVENT = "event";

  /** The group of a delimiter that names the execution after it. */
  private static final String NAME = "trace";

  private static final List<String> NEEDED = List.of(HOST, CLOCK, EVENT);
  private static final Pattern CLOCK_LINE = Pattern.compile("\\s*\\S+ \\{.*}");
  private static final Pattern BEGINS_LIKE_A_CLOCK = Pattern.compile("(?m)^(\\S+) (\\{\".*)$");
  private static final Pattern NAMES_A_CLOCK = Pattern.compile("\\(\\?<clock>");
  private static final Pattern LINE_END = Pattern.compile("\\r\\n?");

  private final String file;
  private final String text;
  private final int[] lineStarts;
  private final ShivizPattern pattern;
  private final Optional<ShivizPattern> delimiter;
  private final int bodyStart;
  private final boolean usual;

  /**
   * A log.
   *
   * @param expression empty to use the first line's, otherwise the usual one that matches
   * @param delimiterExpression empty to use the second line after a first line with an expression,
   *     if it is a delimiter
   * @throws InputException if an expression is invalid
   */
  ShivizLog(
      String file,
      String content,
      Optional<String> expression,
      Optional<String> delimiterExpression) {
    this.file = file;
    this.text = normalised(content);
    this.lineStarts = lineStarts(text);
    boolean header = NAMES_A_CLOCK.matcher(line(0)).find();
    this.usual = expression.isEmpty() && !header;
    this.pattern = compile(expression.orElseGet(() -> header ? line(0).strip() : usual()), "regex");
    for (String group : NEEDED) {
      if (!pattern.groupNames().contains(group)) {
        throw new InputException(
            file, "the regular expression has no group (?<%s>...)".formatted(group));
      }
    }
    boolean secondLine = header && isDelimiterLine();
    this.delimiter =
        delimiterExpression
            .or(() -> secondLine ? Optional.of(line(1).strip()) : Optional.empty())
            .map(found -> compile(found, "delimiter"));
    this.bodyStart = header ? lineStart(secondLine ? 2 : 1) : 0;
  }

  /** The usual expression that matches, which is recognized by the first line. */
  private String usual() {
    int first = 0;
    while (first < lineStarts.length - 1 && line(first).isBlank()) {
      first++;
    }
    return CLOCK_LINE.matcher(line(first)).matches() ? CLOCK_FIRST : CLOCK_LAST;
  }

  private static String normalised(String content) {
    String withoutMark = content.startsWith("\uFEFF") ? content.substring(1) : content;
    return LINE_END.matcher(withoutMark).replaceAll("\n");
  }

  private static int[] lineStarts(String text) {
    int[] starts = new int[16];
    int count = 1;
    for (int at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
      }
      starts[count++] = at + 1;
    }
    return Arrays.copyOf(starts, count);
  }

  private int lineStart(int index) {
    return index < lineStarts.length ? lineStarts[index] : text.length();
  }

  private String line(int index) {
    return text.substring(lineStart(index), lineStart(index + 1)).stripTrailing();
  }

  private int lineNumber(int position) {
    int found = Arrays.binarySearch(lineStarts, position);
    return found >= 0 ? found + 1 : -found - 1;
  }

  private ShivizPattern compile(String expression, String what) {
    try {
      return ShivizPattern.compile(expression);
    } catch (IllegalArgumentException e) {
      throw new InputException(file, "--" + what + ": " + e.getMessage());
    }
  }

  /**
   * Whether the second line is the delimiter, as usual in ShiViz, and not the start of the first
   * event.
   */
  private boolean isDelimiterLine() {
    if (line(1).isBlank()) {
      return false;
    }
    Matcher first = pattern.matcher(new BoundedText(text.substring(lineStart(1))));
    return !first.find() || first.start() >= lineStart(2) - lineStart(1);
  }

  /**
   * One run of the system.
   *
   * @param name that the delimiter before it gives it; empty if it gives none
   */
  record Execution(String name, List<LogEntry> entries) {}

  /**
   * The executions in the order of the text.
   *
   * @throws InputException if an entry is invalid, or an execution has none
   */
  List<Execution> executions() {
    List<Execution> executions = new ArrayList<>();
    try {
      int start = bodyStart;
      String name = "";
      if (delimiter.isPresent()) {
        Matcher cut = delimiter.get().matcher(new BoundedText(text)).region(start, text.length());
        while (cut.find()) {
          add(name, start, cut.start(), executions);
          start = cut.end();
          name = name(cut);
        }
      }
      add(name, start, text.length(), executions);
    } catch (StackOverflowError | BoundedText.ExhaustedException e) {
      throw new InputException(
          file, "the regular expression takes too long on this text: make it more specific");
    }
    if (executions.isEmpty()) {
      throw new InputException(file, "is empty");
    }
    return executions;
  }

  private String name(Matcher cut) {
    ShivizPattern cuts = delimiter.orElseThrow();
    String name = cuts.groupNames().contains(NAME) ? cut.group(cuts.javaName(NAME)) : null;
    return name == null ? "" : name.strip();
  }

  private void add(String name, int start, int end, List<Execution> executions) {
    if (text.substring(start, end).isBlank()) {
      return;
    }
    List<LogEntry> entries = new ArrayList<>();
    Matcher match = pattern.matcher(new BoundedText(text)).region(start, end);
    int reached = start;
    while (match.find()) {
      checkGap(reached, match.start());
      reached = match.end();
      if (match.end() > match.start()) {
        entries.add(entry(match));
      }
    }
    checkGap(reached, end);
    if (entries.isEmpty()) {
      int firstText = start;
      while (Character.isWhitespace(text.charAt(firstText))) {
        firstText++;
      }
      throw new InputException(
          file,
          lineNumber(firstText),
          usual
              ? "is neither NDJSON nor blocks, and as a ShiViz log it has no line such as host"
                  + " {\"host\":1} from here on; logs of other forms need --regex"
              : "the regular expression matches nothing from here on");
    }
    executions.add(new Execution(name, entries));
  }

  /**
   * Checks the text between events of a usual format, which may be anything except a truncated
   * clock.
   */
  private void checkGap(int start, int end) {
    Matcher broken = BEGINS_LIKE_A_CLOCK.matcher(text).region(start, end);
    if (usual && broken.find()) {
      throw new InputException(
          file,
          lineNumber(broken.start()),
          "broken clock %s, or no line of text to it".formatted(broken.group(2).strip()));
    }
  }

  private LogEntry entry(Matcher match) {
    int line = lineNumber(match.start(pattern.javaName(CLOCK)));
    Map<String, String> groups = new LinkedHashMap<>();
    for (String name : pattern.groupNames()) {
      String found = match.group(pattern.javaName(name));
      if (found != null) {
        groups.put(name, found.strip());
      }
    }
    String host = groups.getOrDefault(HOST, "");
    String clock = groups.getOrDefault(CLOCK, "");
    String event = groups.getOrDefault(EVENT, "");
    if (host.isEmpty() || clock.isEmpty()) {
      throw new InputException(
          file, line, "no " + (host.isEmpty() ? HOST : CLOCK) + " was found in this event");
    }
    groups.keySet().removeAll(Set.copyOf(NEEDED));
    groups.values().removeIf(String::isEmpty);
    return new LogEntry(file, line, host, clock(clock, host, line), event, groups);
  }

  private Map<String, Integer> clock(String json, String host, int line) {
    Map<String, Integer> clock = new HashMap<>();
    parse(json, line)
        .fields()
        .forEach(
            (name, value) -> {
              int count = count(name, value, line);
              if (count > 0) {
                clock.put(name, count);
              }
            });
    if (!clock.containsKey(host)) {
      throw new InputException(
          file, line, "the clock of host \"%s\" does not count its own events".formatted(host));
    }
    return clock;
  }

  private StructValue parse(String json, int line) {
    try {
      // A clock that was itself printed as a string has escaped quotes.
      String plain = json.startsWith("{\\\"") ? json.replace("\\\"", "\"") : json;
      if (JsonValues.parse(plain) instanceof StructValue clock) {
        return clock;
      }
      throw new IllegalArgumentException("it is no JSON object");
    } catch (IllegalArgumentException e) {
      throw new InputException(file, line, "broken clock %s: %s".formatted(json, e.getMessage()));
    }
  }

  private int count(String host, Value value, int line) {
    if (value instanceof LongValue count
        && count.value() >= 0
        && count.value() <= Integer.MAX_VALUE) {
      return (int) count.value();
    }
    throw new InputException(
        file,
        line,
        "the clock's entry for \"%s\" is not a count of events: %s"
            .formatted(host, JsonValues.text(value)));
  }
}
