// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recordings.textlog.LinearPattern;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A selection of log lines, optionally including future ones. Immutable.
 *
 * @param nodes the nodes of the lines; empty for all
 * @param logs the logs of the lines; empty for all
 * @param grep an expression that must match in the message
 * @param level the least severe level; lines without a level are excluded, and lines with a level
 *     that is not known are not
 * @param since the earliest aligned time
 * @param until the latest aligned time
 * @param last the number of lines, counted from the end of the stored ones
 * @param follow whether to continue with lines as they arrive
 * @param limitMicros how long to follow; empty for unlimited
 */
public record LineRequest(
    Set<String> nodes,
    Set<String> logs,
    Optional<LinearPattern> grep,
    Optional<LineLevel> level,
    Optional<LineTime> since,
    Optional<LineTime> until,
    OptionalInt last,
    boolean follow,
    OptionalLong limitMicros) {
  /** The largest value of {@code last}. */
  public static final int MAX_LAST = 100_000;

  /** The default number of stored lines before the first new one. */
  private static final int LAST_BEFORE_FOLLOWING = 10;

  /** The parameters that {@link #parse} accepts. */
  public static final Set<String> PARAMETERS =
      Set.of("node", "log", "grep", "level", "since", "until", "last", "follow", "for");

  /**
   * Parses a request.
   *
   * @param parameters values by name: {@code node} and {@code log} may have several, {@code grep}
   *     is a regular expression, {@code since} and {@code until} an instant or how long ago, {@code
   *     last} a number, {@code follow} true or false, {@code for} a duration
   * @throws IllegalArgumentException if a name or a value is invalid; the message is one sentence
   *     with the reason
   */
  public static LineRequest parse(Map<String, List<String>> parameters) {
    for (String name : parameters.keySet()) {
      if (!PARAMETERS.contains(name)) {
        throw new IllegalArgumentException("no such parameter: \"" + name + "\"");
      }
    }
    Optional<String> follow = one(parameters, "follow");
    boolean following = follow.isPresent() && isTrue(follow.get());
    Optional<LineTime> since = one(parameters, "since").map(t -> LineTime.parse("since", t));
    Optional<LineTime> until = one(parameters, "until").map(t -> LineTime.parse("until", t));
    Optional<LineTime> limit = one(parameters, "for").map(t -> LineTime.parse("for", t));
    if (following && until.isPresent()) {
      throw new IllegalArgumentException("until cannot be combined with follow");
    }
    if (limit.isPresent() && (!following || !limit.get().ago())) {
      throw new IllegalArgumentException("for must be a duration and requires follow");
    }
    OptionalInt last =
        one(parameters, "last").map(LineRequest::lastCount).orElse(OptionalInt.empty());
    if (following && last.isEmpty() && since.isEmpty()) {
      last = OptionalInt.of(LAST_BEFORE_FOLLOWING);
    }
    return new LineRequest(
        Set.copyOf(parameters.getOrDefault("node", List.of())),
        Set.copyOf(parameters.getOrDefault("log", List.of())),
        one(parameters, "grep").map(LinearPattern::new),
        one(parameters, "level").map(LineLevel::of),
        since,
        until,
        last,
        following,
        limit.map(time -> OptionalLong.of(time.micros())).orElse(OptionalLong.empty()));
  }

  private static Optional<String> one(Map<String, List<String>> parameters, String name) {
    List<String> values = parameters.getOrDefault(name, List.of());
    if (values.size() > 1) {
      throw new IllegalArgumentException(name + " is given " + values.size() + " times");
    }
    return values.stream().findFirst();
  }

  private static boolean isTrue(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("follow is true or false, not \"" + text + "\"");
    }
    return text.equals("true");
  }

  private static OptionalInt lastCount(String text) {
    if (text.matches("\\d{1,6}") && Integer.parseInt(text) <= MAX_LAST) {
      return OptionalInt.of(Integer.parseInt(text));
    }
    throw new IllegalArgumentException(
        "last is a number from 0 to " + MAX_LAST + ", not \"" + text + "\"");
  }

  /** Whether an event is a requested line, except for its time. */
  boolean matches(Event event) {
    return matchesWithoutLevel(event)
        && (level.isEmpty() || hasLevel((EventBody.LogLine) event.body(), level.get()));
  }

  /** Whether an event is a requested line, except for its time and its level. */
  boolean matchesWithoutLevel(Event event) {
    return event.body() instanceof EventBody.LogLine line
        && (nodes.isEmpty() || nodes.contains(event.node()))
        && (logs.isEmpty() || logs.contains(event.log()))
        && (grep.isEmpty() || grep.get().isFoundIn(line.message()));
  }

  private static boolean hasLevel(EventBody.LogLine line, LineLevel limit) {
    return LineLevel.of(line)
        .map(own -> own.mayReach(limit))
        .orElseGet(() -> line.fields().containsKey(LineLevel.FIELD));
  }
}
