// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A form of lines that a definition describes with regular expressions. Immutable. */
final class DefinedFormat implements LineFormat {
  private final Definition definition;
  private final List<Line> lines;

  /**
   * The parts of a definition.
   *
   * @param timestamp the group with the time
   * @param timestampFormats the forms of the time; none to recognize it
   * @param level the group with the severity
   * @param levels expressions of severities by their names; none to take the text as it is
   * @param body the group with the message; the whole line if it is absent
   * @param node the group with the node
   * @param kinds the types of groups by their names
   * @param timeDivisor the number of units of a numeric time in a second; 0 if its size shows it
   * @param sinceStart the number of units of a time since the start in a second; 0 if it is none
   */
  record Definition(
      String name,
      String title,
      List<String> samples,
      Optional<LinearPattern> filePattern,
      String timestamp,
      List<TimeFormat> timestampFormats,
      String level,
      Map<String, LinearPattern> levels,
      String body,
      Optional<String> node,
      Map<String, String> kinds,
      double timeDivisor,
      long sinceStart,
      MessageRules rules) {}

  /**
   * One of the expressions of lines.
   *
   * @param pattern without {@code rest}
   * @param rest the group of the rest of the line, which matches anything; empty if there is none
   */
  private record Line(LinearPattern pattern, Optional<String> rest) {
    static Line of(String expression) {
      // Matching the rest of each line is most of the work.
      java.util.regex.Matcher end = REST.matcher(expression);
      if (!expression.startsWith("^") || !end.find() || hasAlternatives(expression)) {
        return new Line(new LinearPattern(expression), Optional.empty());
      }
      return new Line(
          new LinearPattern(expression.substring(0, end.start())), Optional.of(end.group(1)));
    }

    private static boolean hasAlternatives(String expression) {
      int depth = 0;
      for (int i = 0; i < expression.length(); i++) {
        char c = expression.charAt(i);
        i += c == '\\' ? 1 : 0;
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == '|' && depth == 0) {
          return true;
        }
      }
      return false;
    }
  }

  private static final java.util.regex.Pattern REST =
      java.util.regex.Pattern.compile("(?<!\\\\)\\(\\?P?<([A-Za-z_]\\w*)>\\.\\*\\)\\$?$");

  /**
   * A form.
   *
   * @param expressions of a line, the first of which that matches counts
   * @throws IllegalArgumentException if one is invalid, or has no time
   */
  DefinedFormat(Definition definition, List<String> expressions) {
    this.definition = definition;
    List<Line> all = new ArrayList<>();
    for (String expression : expressions) {
      new LinearPattern(expression); // an error names it as it was written
      Line line = Line.of(expression);
      boolean isTimed =
          line.pattern.hasGroup(definition.timestamp)
              || line.rest.filter(definition.timestamp::equals).isPresent();
      if (!isTimed) {
        throw new IllegalArgumentException(
            "\"%s\" has no group (?<%s>...), which is the time"
                .formatted(expression, definition.timestamp));
      }
      all.add(line);
    }
    lines = List.copyOf(all);
  }

  @Override
  public String name() {
    return definition.name;
  }

  @Override
  public String title() {
    return definition.title;
  }

  @Override
  public List<String> samples() {
    return definition.samples;
  }

  @Override
  public String kind() {
    return "definition";
  }

  @Override
  public boolean fits(String path) {
    return definition.filePattern.map(pattern -> pattern.isFoundIn(path)).orElse(true);
  }

  @Override
  public MessageRules rules() {
    return definition.rules;
  }

  @Override
  public LineReader reader(DateOrder order) {
    return new Reader(definition, lines, order);
  }

  private static final class Reader implements LineReader {
    private final Definition definition;
    private final List<Line> lines;
    private final List<LineMatcher> matchers;
    private final TimeScanner scanner = new TimeScanner();
    private final LogTime time = new LogTime();

    Reader(Definition definition, List<Line> lines, DateOrder order) {
      this.definition = definition;
      this.lines = lines;
      matchers = lines.stream().map(line -> new LineMatcher(line.pattern)).toList();
      scanner.order(order);
    }

    @Override
    public boolean read(String line, Entry into) {
      for (int i = 0; i < matchers.size(); i++) {
        Line form = lines.get(i);
        LineMatcher match = matchers.get(i);
        if (match.match(line, form.rest.isPresent()) && readGroups(line, form, match, into)) {
          return true;
        }
      }
      return false;
    }

    private boolean readGroups(String line, Line form, LineMatcher match, Entry into) {
      into.clear();
      into.message(line);
      List<String> names = form.pattern.names();
      boolean hasTime = false;
      for (int group = 1; group < names.size(); group++) {
        String name = names.get(group);
        String text = name.isEmpty() ? null : match.group(group);
        if (text == null) {
          continue;
        }
        if (name.equals(definition.timestamp)) {
          hasTime = readTime(text.strip(), into);
        } else {
          take(name, text, into);
        }
      }
      form.rest.ifPresent(name -> take(name, line.substring(match.end()), into));
      return hasTime;
    }

    private void take(String name, String text, Entry into) {
      if (name.equals(definition.body)) {
        into.message(text);
      } else if (name.equals(definition.level)) {
        into.level(level(text.strip()));
      } else if (definition.node.filter(name::equals).isPresent()) {
        into.node = text.strip();
      } else if (!text.isEmpty()) {
        into.field(name, value(definition.kinds.getOrDefault(name, "string"), text));
      }
    }

    private boolean readTime(String text, Entry into) {
      if (definition.sinceStart > 0) {
        return readSinceStart(text, into);
      }
      for (TimeFormat format : definition.timestampFormats) {
        if (format.parse(text, time)) {
          into.time = time;
          return true;
        }
      }
      if (definition.timeDivisor > 0 && text.matches("\\d{1,18}")) {
        time.clear();
        time.isCount = true;
        time.micros = (long) (Long.parseLong(text) / definition.timeDivisor * 1_000_000);
        into.time = time;
        return true;
      }
      into.time = scanner.time();
      return scanner.scan(text, 0) == text.length();
    }

    private boolean readSinceStart(String text, Entry into) {
      if (!text.matches("\\d{1,12}(\\.\\d{1,9})?")) {
        return false;
      }
      time.clear();
      time.isCount = true;
      time.missing = LogTime.Missing.START;
      time.micros =
          new BigDecimal(text)
              .multiply(BigDecimal.valueOf(1_000_000 / definition.sinceStart))
              .longValue();
      into.time = time;
      return true;
    }

    private String level(String text) {
      for (Map.Entry<String, LinearPattern> level : definition.levels.entrySet()) {
        if (level.getValue().isFoundIn(text)) {
          return level.getKey().toUpperCase(Locale.ROOT);
        }
      }
      return text;
    }

    private static Value value(String kind, String text) {
      try {
        return switch (kind) {
          case "integer" -> Value.of(Long.parseLong(text.strip()));
          case "float" -> finite(Double.parseDouble(text.strip()), text);
          case "boolean" -> Value.of(Boolean.parseBoolean(text.strip()));
          default -> Value.of(text);
        };
      } catch (NumberFormatException e) {
        return Value.of(text);
      }
    }

    private static Value finite(double number, String text) {
      return Double.isFinite(number) ? Value.of(number) : Value.of(text);
    }
  }

  /** The expressions of severities, in the order of their definition. */
  static Map<String, LinearPattern> levels(Map<String, String> expressions) {
    Map<String, LinearPattern> levels = new LinkedHashMap<>();
    expressions.forEach((name, text) -> levels.put(name, new LinearPattern("^(?:" + text + ")$")));
    return levels;
  }
}
