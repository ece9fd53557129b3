// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The form of lines that are JSON objects with a time. Read by hand. Immutable. */
final class JsonFormat implements LineFormat {
  /** The names that libraries use, the more special ones first. */
  private static final List<String> TIMES =
      List.of(
          "@timestamp",
          "timestamp",
          "time",
          "ts",
          "@t",
          "instant",
          "timeMillis",
          "datetime",
          "eventTime",
          "asctime",
          "__REALTIME_TIMESTAMP",
          "_SOURCE_REALTIME_TIMESTAMP",
          "Timestamp",
          "TIMESTAMP",
          "Time",
          "date",
          "t",
          "time_local",
          "time_iso8601",
          "timestampSeconds");

  private static final List<String> LEVELS =
      List.of(
          "level",
          "severity",
          "lvl",
          "log.level",
          "log/level",
          "loglevel",
          "logLevel",
          "levelname",
          "level_name",
          "@l",
          "Level",
          "LEVEL",
          "severityText",
          "PRIORITY",
          "s");

  private static final List<String> MESSAGES =
      List.of(
          "msg",
          "message",
          "short_message",
          "MESSAGE",
          "@m",
          "@mt",
          "Message",
          "log",
          "event",
          "body",
          "text",
          "textPayload");

  static final List<String> HOSTS =
      List.of(
          "hostname",
          "host.name",
          "host/name",
          "host/hostname",
          "host.hostname",
          "_HOSTNAME",
          "host",
          "HOSTNAME",
          "instance");

  private static final List<String> SAMPLES =
      List.of(
          "{\"name\":\"orders\",\"hostname\":\"h1\",\"pid\":1,\"level\":30,\"msg\":\"started\",\"time\":\"2026-11-20T18:40:00.123Z\",\"v\":0}",
          "{\"level\":30,\"time\":1795200000123,\"pid\":1,\"hostname\":\"h1\",\"msg\":\"started\"}",
          "{\"level\":\"info\",\"ts\":1795200000.123,\"caller\":\"a.go:1\",\"msg\":\"started\"}",
          "{\"level\":\"info\",\"time\":\"2026-11-20T18:40:00Z\",\"message\":\"started\"}",
          "{\"@timestamp\":\"2026-11-20T18:40:00.123Z\",\"log.level\":\"INFO\",\"message\":\"started\"}",
          "{\"version\":\"1.1\",\"host\":\"h1\",\"short_message\":\"started\",\"timestamp\":1795200000.123,\"level\":6}",
          "{\"log\":\"started\\n"
              + "\",\"stream\":\"stdout\",\"time\":\"2026-11-20T18:40:00.123456789Z\"}",
          "{\"__REALTIME_TIMESTAMP\":\"1795200000123456\",\"_HOSTNAME\":\"h1\",\"PRIORITY\":\"6\",\"MESSAGE\":\"started\"}");

  /** The JSON of services' libraries, of Docker and of the journal. */
  static final JsonFormat OF_SERVICES =
      new JsonFormat(
          "json-lines",
          "JSON lines: bunyan, pino, zap, zerolog, slog, Logstash, ECS, GELF, Docker, journalctl",
          SAMPLES,
          new Fields(TIMES, LEVELS, MESSAGES, Optional.empty(), 0),
          MessageRules.NONE);

  private final String name;
  private final String title;
  private final List<String> samples;
  private final Fields fields;
  private final MessageRules rules;

  /**
   * The names of the special fields, the first of which that an object has counts.
   *
   * @param node the field with the node's name
   * @param timeDivisor the number of units of a numeric time in a second; 0 if its size shows it
   */
  record Fields(
      List<String> times,
      List<String> levels,
      List<String> messages,
      Optional<String> node,
      double timeDivisor) {}

  JsonFormat(String name, String title, List<String> samples, Fields fields, MessageRules rules) {
    this.name = name;
    this.title = title;
    this.samples = samples;
    this.fields = fields;
    this.rules = rules;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public List<String> samples() {
    return samples;
  }

  @Override
  public String kind() {
    return this == OF_SERVICES ? "by hand" : "definition";
  }

  @Override
  public MessageRules rules() {
    return rules;
  }

  @Override
  public LineReader reader(DateOrder order) {
    return new Reader(fields, order);
  }

  /** The host that an object names; empty if it names none. */
  static String host(Map<String, Value> object) {
    return HOSTS.stream()
        .map(name -> text(find(object, name)))
        .filter(text -> !text.isEmpty())
        .findFirst()
        .orElse("");
  }

  private static @Nullable Value find(Map<String, Value> object, String path) {
    Value direct = object.get(path);
    int slash = path.indexOf('/');
    if (direct != null || slash < 0) {
      return direct;
    }
    return object.get(path.substring(0, slash)) instanceof StructValue inner
        ? find(inner.fields(), path.substring(slash + 1))
        : null;
  }

  private static String text(@Nullable Value value) {
    return value instanceof StringValue text ? text.value() : "";
  }

  private static final class Reader implements LineReader {
    private final Fields names;
    private final TimeScanner scanner = new TimeScanner();
    private final JsonLine json = new JsonLine();
    private final LogTime count = new LogTime();
    private Map<String, Value> object = new LinkedHashMap<>();

    Reader(Fields names, DateOrder order) {
      this.names = names;
      scanner.order(order);
    }

    @Override
    public boolean read(String line, Entry into) {
      int start = 0;
      while (start < line.length() && line.charAt(start) <= ' ') {
        start++;
      }
      if (start == line.length() || line.charAt(start) != '{') {
        return false;
      }
      Optional<Map<String, Value>> read = json.read(line);
      if (read.isEmpty()) {
        return false;
      }
      object = new LinkedHashMap<>(read.get());
      into.clear();
      if (!readTime(into)) {
        return false;
      }
      readLevel(into);
      readMessage(into);
      into.node = text(object.get("_HOSTNAME")); // the journal's lines are of hosts
      names.node().map(path -> text(find(object, path))).ifPresent(node -> into.node = node);
      readParts(into);
      object.forEach(into::field);
      return true;
    }

    private boolean readTime(Entry into) {
      for (String name : names.times()) {
        Value value = find(object, name);
        if (value != null && readTime(name, value, into)) {
          object.remove(name);
          return true;
        }
      }
      return false;
    }

    private boolean readTime(String name, Value value, Entry into) {
      if (value instanceof StringValue text) {
        return readText(name, text.value().strip(), into);
      }
      if (value instanceof LongValue number) {
        return readNumber(BigDecimal.valueOf(number.value()), into);
      }
      if (value instanceof DoubleValue) {
        return json.decimal(name).map(decimal -> readNumber(decimal, into)).orElse(false);
      }
      return value instanceof StructValue struct && readStruct(struct.fields(), into);
    }

    private boolean readText(String name, String text, Entry into) {
      if (name.endsWith("REALTIME_TIMESTAMP") && text.matches("\\d{1,17}")) {
        return readMicros(Long.parseLong(text), into);
      }
      if (text.matches("\\d{9,19}(\\.\\d{1,9})?")) {
        return readNumber(new BigDecimal(text), into);
      }
      int end = scanner.scan(text, 0);
      into.time = scanner.time();
      return end == text.length() && into.time.missing != LogTime.Missing.DATE;
    }

    /** A number of seconds, or of smaller units, which its size shows. */
    private boolean readNumber(BigDecimal number, Entry into) {
      if (number.signum() <= 0 || number.precision() - number.scale() > 19) {
        return false;
      }
      if (names.timeDivisor() > 0) {
        return readMicros((long) (number.doubleValue() / names.timeDivisor() * 1_000_000), into);
      }
      int digits = number.precision() - number.scale();
      int power = digits <= 10 ? 6 : digits <= 13 ? 3 : digits <= 16 ? 0 : -3;
      // A smaller number is another quantity, such as seconds since a start.
      return digits >= 9 && readMicros(number.scaleByPowerOfTen(power).longValue(), into);
    }

    private boolean readMicros(long micros, Entry into) {
      count.clear();
      count.isCount = true;
      count.micros = micros;
      into.time = count;
      return true;
    }

    /** A time of MongoDB, of Log4j's JSON layout, or of Google's. */
    private boolean readStruct(Map<String, Value> struct, Entry into) {
      if (struct.get("$date") instanceof StringValue date) {
        return readText("", date.value(), into);
      }
      Value seconds = struct.getOrDefault("epochSecond", struct.getOrDefault("seconds", NONE));
      Value nanos = struct.getOrDefault("nanoOfSecond", struct.getOrDefault("nanos", NONE));
      if (!(seconds instanceof LongValue whole) || whole.value() > Long.MAX_VALUE / 2_000_000) {
        return false;
      }
      long part = nanos instanceof LongValue rest ? rest.value() / 1_000 : 0;
      return readMicros(whole.value() * 1_000_000 + part, into);
    }

    private void readLevel(Entry into) {
      for (String name : names.levels()) {
        Value value = find(object, name);
        String level = level(name, value);
        if (!level.isEmpty()) {
          object.remove(name);
          into.level(level);
          return;
        }
      }
    }

    private String level(String name, @Nullable Value value) {
      if (value instanceof LongValue number) {
        boolean isSyslog = number.value() < 8 && !object.containsKey("v");
        return isSyslog ? Levels.ofSyslog(number.value()) : Levels.ofTens(number.value());
      }
      String text = text(value);
      if (name.equals("PRIORITY") && text.length() == 1) {
        return Levels.ofSyslog(text.charAt(0) - '0');
      }
      if (name.equals("s")) {
        return text.length() == 1 ? Levels.ofLetter(text.charAt(0)) : "";
      }
      return text;
    }

    private void readMessage(Entry into) {
      for (String name : names.messages()) {
        Value value = find(object, name);
        if (value instanceof StringValue text) {
          object.remove(name);
          String full = name.equals("short_message") ? text(object.remove("full_message")) : "";
          into.message(full.startsWith(text.value()) ? full : text.value());
          return;
        }
      }
    }

    /** Docker divides long lines, and ends the last part with LF. */
    private void readParts(Entry into) {
      boolean isDocker = object.size() <= 2 && object.get("stream") instanceof StringValue;
      String message = into.message();
      if (isDocker) {
        into.stream = text(object.get("stream"));
        into.partOf = message.endsWith("\n") ? "" : into.stream;
        into.message(message.endsWith("\n") ? message.substring(0, message.length() - 1) : message);
      }
    }
  }

  private static final Value NONE = Value.NullValue.NULL;
}
