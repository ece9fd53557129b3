// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A severity on the scale of OpenTelemetry, from 1, TRACE, to 24, FATAL4. Some names and numbers
 * have another place in each scale that has them: CRITICAL is FATAL for Python and a kind of ERROR
 * for syslog, and 40 is WARN for bunyan and ERROR for Python. Such a level is a range.
 *
 * @param least the lowest severity that it may have
 * @param most the highest severity that it may have
 */
public record LineLevel(int least, int most) {
  /** The field of a log line that names its level. */
  public static final String FIELD = "level";

  /** The field of a log line with its severity as a number of OpenTelemetry, if it has one. */
  public static final String NUMBER_FIELD = "severityNumber";

  private static final int TRACE = 1;
  private static final int DEBUG = 5;
  private static final int INFO = 9;
  private static final int WARN = 13;
  private static final int ERROR = 17;
  private static final int FATAL = 21;
  private static final int LAST = 24;
  private static final Map<String, LineLevel> NAMES = new HashMap<>();
  private static final Map<Long, LineLevel> NUMBERS = new HashMap<>();

  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

  static {
    // Names of OpenTelemetry, syslog, glog, java.util.logging, Log4j, Python, bunyan, pino, zap,
    // zerolog, npm and .NET.
    put(TRACE, TRACE, "trace", "trc", "finest", "silly", "notset");
    put(TRACE, 8, "verbose", "vrb", "v");
    put(3, 3, "finer");
    put(DEBUG, DEBUG, "debug", "dbg", "dbug", "d", "fine", "debug5");
    put(8, 8, "config");
    put(INFO, INFO, "info", "inf", "i", "information", "informational");
    put(10, 10, "notice");
    put(WARN, WARN, "warn", "warning", "wrn", "w");
    put(ERROR, ERROR, "error", "err", "e", "fail", "severe");
    put(18, 18, "dpanic");
    put(18, FATAL, "critical", "crit");
    put(19, 22, "alert");
    put(19, LAST, "panic", "pnc");
    put(FATAL, LAST, "fatal", "ftl", "f", "emerg", "emergency", "assert");
    // OpenTelemetry has four of each, such as ERROR2.
    for (int step = 0; step < 4; step++) {
      put(TRACE + step, TRACE + step, "trace" + (step + 1));
      put(DEBUG + step, DEBUG + step, "debug" + (step + 1));
      put(INFO + step, INFO + step, "info" + (step + 1));
      put(WARN + step, WARN + step, "warn" + (step + 1));
      put(ERROR + step, ERROR + step, "error" + (step + 1));
      put(FATAL + step, FATAL + step, "fatal" + (step + 1));
    }
    // Of syslog, for which lower is worse. The numbers of OpenTelemetry up to 7 are those of TRACE
    // and DEBUG, so that no line is hidden that is worse in either scale.
    putNumber(0, FATAL, LAST);
    putNumber(1, 19, 22);
    putNumber(2, 18, FATAL);
    putNumber(3, ERROR, ERROR);
    putNumber(4, WARN, WARN);
    putNumber(5, 10, 10);
    putNumber(6, INFO, INFO);
    putNumber(7, DEBUG, 7);
    for (int number = 8; number <= LAST; number++) {
      putNumber(number, number, number);
    }
    // Of bunyan and pino, and ten more severe of Python. In place of two of OpenTelemetry, whose
    // numbers are in a field of their own.
    putNumber(10, TRACE, DEBUG);
    putNumber(20, DEBUG, INFO);
    putNumber(30, INFO, WARN);
    putNumber(40, WARN, ERROR);
    putNumber(50, ERROR, FATAL);
    putNumber(60, FATAL, LAST);
  }

  private static void put(int least, int most, String... names) {
    for (String name : names) {
      NAMES.put(name, new LineLevel(least, most));
    }
  }

  private static void putNumber(long number, int least, int most) {
    NUMBERS.put(number, new LineLevel(least, most));
  }

  /**
   * The level of this name or number, in any case.
   *
   * @throws IllegalArgumentException if there is none
   */
  static LineLevel of(String name) {
    return known(name)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no such level: \""
                        + name
                        + "\"; the levels are TRACE, DEBUG, INFO, WARN, ERROR, FATAL, and the names"
                        + " that logging libraries have for them, such as CRITICAL"));
  }

  /** The level of a log line; empty if it has none that is known. */
  static Optional<LineLevel> of(LogLine line) {
    Optional<LineLevel> named =
        Optional.ofNullable(line.fields().get(FIELD)).flatMap(LineLevel::known);
    Optional<LineLevel> numbered =
        line.fields().get(NUMBER_FIELD) instanceof LongValue number
                && number.value() >= TRACE
                && number.value() <= LAST
            ? Optional.of(new LineLevel((int) number.value(), (int) number.value()))
            : Optional.empty();
    return named.isPresent() && numbered.isPresent()
        ? Optional.of(named.get().or(numbered.get()))
        : named.or(() -> numbered);
  }

  private LineLevel or(LineLevel other) {
    return new LineLevel(Math.min(least, other.least), Math.max(most, other.most));
  }

  private static Optional<LineLevel> known(Value level) {
    if (level instanceof StringValue name) {
      return known(name.value());
    }
    if (level instanceof DoubleValue number && number.value() == (long) number.value()) {
      return Optional.ofNullable(NUMBERS.get((long) number.value()));
    }
    return level instanceof LongValue number
        ? Optional.ofNullable(NUMBERS.get(number.value()))
        : Optional.empty();
  }

  private static Optional<LineLevel> known(String written) {
    String name = written.strip().toLowerCase(Locale.ROOT);
    if (NUMBER.matcher(name).matches()) {
      return Optional.ofNullable(NUMBERS.get(Long.parseLong(name)));
    }
    return Optional.ofNullable(NAMES.get(name));
  }

  /** Whether a line of this level may be as severe as a limit, in any scale. */
  boolean mayReach(LineLevel limit) {
    return most >= limit.least;
  }
}
