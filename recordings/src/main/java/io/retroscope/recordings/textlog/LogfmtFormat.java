// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The lines of logfmt, which consist of pairs of a key and a value. Read by hand. Immutable. */
final class LogfmtFormat implements LineFormat {
  private static final List<String> TIMES =
      List.of("time", "ts", "timestamp", "t", "@timestamp", "datetime");
  private static final List<String> LEVELS = List.of("level", "lvl", "severity", "loglevel");
  private static final List<String> MESSAGES = List.of("msg", "message", "event");

  /** The most pairs of one line; the others are left out. */
  private static final int MAX_PAIRS = 1_000;

  @Override
  public String name() {
    return "logfmt";
  }

  @Override
  public String title() {
    return "logfmt: logrus, Go's slog, Grafana, Prometheus";
  }

  @Override
  public List<String> samples() {
    return List.of("time=2026-11-20T18:40:00.123Z level=INFO msg=\"user joined\" id=7");
  }

  @Override
  public String kind() {
    return "by hand";
  }

  @Override
  public LineReader reader(DateOrder order) {
    return new Reader(order);
  }

  private static final class Reader implements LineReader {
    private final TimeScanner scanner = new TimeScanner();
    private final Map<String, String> pairs = new LinkedHashMap<>();

    Reader(DateOrder order) {
      scanner.order(order);
    }

    @Override
    public boolean read(String line, Entry into) {
      if (line.indexOf('=') <= 0 || !Character.isLetter(line.charAt(0)) || !readPairs(line)) {
        return false;
      }
      String time = take(TIMES);
      if (time.isEmpty() || scanner.scan(time, 0) != time.length()) {
        return false;
      }
      into.clear();
      into.time = scanner.time();
      into.level(take(LEVELS));
      into.message(take(MESSAGES));
      pairs.forEach((name, value) -> into.field(name, Value.of(value)));
      return true;
    }

    private String take(List<String> names) {
      for (String name : names) {
        String value = pairs.remove(name);
        if (value != null) {
          return value;
        }
      }
      return "";
    }

    /** Reads all pairs; a key alone has no value. False if the line has another form. */
    private boolean readPairs(String line) {
      pairs.clear();
      int at = 0;
      while (at < line.length()) {
        char c = line.charAt(at);
        if (c == ' ' || c == '\t') {
          at++;
          continue;
        }
        int end = at;
        while (end < line.length() && line.charAt(end) > ' ' && line.charAt(end) != '=') {
          end++;
        }
        if (end == at || line.charAt(at) == '"') {
          return false;
        }
        boolean hasValue = end < line.length() && line.charAt(end) == '=';
        String key = line.substring(at, end);
        at = hasValue ? value(line, end + 1, key) : end;
      }
      return true;
    }

    private int value(String line, int from, String key) {
      boolean isQuoted = from < line.length() && line.charAt(from) == '"';
      int end = from + (isQuoted ? 1 : 0);
      StringBuilder text = new StringBuilder();
      while (end < line.length() && (isQuoted ? line.charAt(end) != '"' : line.charAt(end) > ' ')) {
        char c = line.charAt(end);
        if (isQuoted && c == '\\' && end + 1 < line.length()) {
          end++;
          c = unescaped(line.charAt(end));
        }
        text.append(c);
        end++;
      }
      if (pairs.size() < MAX_PAIRS) {
        pairs.put(key, text.toString());
      }
      return Math.min(line.length(), end + (isQuoted ? 1 : 0));
    }

    private static char unescaped(char c) {
      return switch (c) {
        case 'n' -> '\n';
        case 't' -> '\t';
        case 'r' -> '\r';
        default -> c;
      };
    }
  }
}
