package io.retroscope.server.lines;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Which log lines are wanted, and whether new ones are. Immutable.
 *
 * @param nodes only theirs; empty for all
 * @param logs only of these; empty for all
 * @param grep only where this is found in the message
 * @param level only lines that name this level or a more serious one
 * @param since only lines from this aligned time on
 * @param until only lines up to this aligned time
 * @param last only so many, the last ones that are stored
 * @param follow whether to go on with lines as they come
 * @param limitMicros how long to follow; empty for ever
 */
public record LineRequest(
    Set<String> nodes,
    Set<String> logs,
    Optional<LinePattern> grep,
    Optional<LineLevel> level,
    Optional<LineTime> since,
    Optional<LineTime> until,
    OptionalInt last,
    boolean follow,
    OptionalLong limitMicros) {
  /** The most lines that can be asked for by their number. */
  public static final int MAX_LAST = 100_000;

  /** Lines shown before the first new one, unless it is said which. */
  private static final int LAST_BEFORE_FOLLOWING = 10;

  /** The names that {@link #parse} knows. */
  public static final Set<String> PARAMETERS =
      Set.of("node", "log", "grep", "level", "since", "until", "last", "follow", "for");

  /**
   * Reads a request.
   *
   * @param parameters values by name: {@code node} and {@code log} may have several, {@code grep}
   *     is a regular expression, {@code since} and {@code until} an instant or how long ago, {@code
   *     last} a number, {@code follow} true or false, {@code for} a duration
   * @throws IllegalArgumentException if a name or a value is wrong, with one sentence that says how
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
      throw new IllegalArgumentException("until has no sense where new lines are followed");
    }
    if (limit.isPresent() && (!following || !limit.get().ago())) {
      throw new IllegalArgumentException("for takes a duration, and needs follow");
    }
    OptionalInt last =
        one(parameters, "last").map(LineRequest::lastCount).orElse(OptionalInt.empty());
    if (following && last.isEmpty() && since.isEmpty()) {
      last = OptionalInt.of(LAST_BEFORE_FOLLOWING);
    }
    return new LineRequest(
        Set.copyOf(parameters.getOrDefault("node", List.of())),
        Set.copyOf(parameters.getOrDefault("log", List.of())),
        one(parameters, "grep").map(LinePattern::new),
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

  /** Whether an event is a line that is wanted, but for its time. */
  boolean matches(Event event) {
    return event.body() instanceof EventBody.LogLine line
        && (nodes.isEmpty() || nodes.contains(event.node()))
        && (logs.isEmpty() || logs.contains(event.log()))
        && (level.isEmpty()
            || LineLevel.of(event).filter(its -> its.compareTo(level.get()) >= 0).isPresent())
        && (grep.isEmpty() || grep.get().isFoundIn(line.message()));
  }
}
