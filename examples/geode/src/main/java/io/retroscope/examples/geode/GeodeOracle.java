// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.History.Assignment;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What must hold, known from Geode's own statistics and versions, and from the servers' answers.
 */
final class GeodeOracle {
  private final History history;
  private final Map<String, ServerAnswer> answers;
  private final boolean twoWriters;

  /** The versions that Geode gave to a put of each writer. */
  private final Set<Integer> givenTwice;

  GeodeOracle(History history, Map<String, ServerAnswer> answers, boolean twoWriters) {
    this.history = history;
    this.answers = answers;
    this.twoWriters = twoWriters;
    this.givenTwice = givenTwice(answers.values());
  }

  private static Set<Integer> givenTwice(Iterable<ServerAnswer> answers) {
    Set<Integer> once = new HashSet<>();
    Set<Integer> twice = new HashSet<>();
    for (ServerAnswer answer : answers) {
      for (Integer version : new HashSet<>(answer.ownVersions())) {
        if (!once.add(version)) {
          twice.add(version);
        }
      }
    }
    return twice;
  }

  List<Check> checks(String ranking) throws StageException, IOException {
    return List.of(
        twoValuesAreGivenTwice(),
        conflictsAreDiscarded(),
        heldAfterPut(),
        versionsNeverFall(),
        equalAtTheEnd(),
        flushedBeforeUse(),
        oneVersionPerMessage(),
        earlyWithoutWaitingOnly(ranking));
  }

  private Check twoValuesAreGivenTwice() throws StageException, IOException {
    List<Match> stretches = history.intervals(GeodeCase.TWO_VALUES);
    long explained = stretches.stream().filter(this::isGivenTwice).count();
    boolean found = twoWriters ? !stretches.isEmpty() : givenTwice.isEmpty();
    return new Check(
        "%d stretches in which one version has two values, %d of them in one of the %d versions that both writers gave"
            .formatted(stretches.size(), explained, givenTwice.size()),
        explained == stretches.size() && found);
  }

  /** Whether a version that two nodes have with different values was given twice. */
  private boolean isGivenTwice(Match stretch) {
    if (!(stretch.cells().get("version") instanceof StructValue versions)
        || !(stretch.cells().get("value") instanceof StructValue values)) {
      return false;
    }
    for (Map.Entry<String, Value> one : versions.fields().entrySet()) {
      for (Map.Entry<String, Value> other : versions.fields().entrySet()) {
        boolean differ =
            one.getValue().equals(other.getValue())
                && !Optional.ofNullable(values.fields().get(one.getKey()))
                    .equals(Optional.ofNullable(values.fields().get(other.getKey())));
        if (differ
            && one.getValue() instanceof LongValue version
            && givenTwice.contains((int) version.value())) {
          return true;
        }
      }
    }
    return false;
  }

  /** The winner's server receives the other value of each such version, and discards it. */
  private Check conflictsAreDiscarded() {
    long discarded = answers.values().stream().mapToLong(ServerAnswer::discardedCount).sum();
    return new Check(
        "Geode discarded %d updates because of a conflict, at least one for each of %d versions given twice"
            .formatted(discarded, givenTwice.size()),
        discarded >= givenTwice.size());
  }

  private Check heldAfterPut() {
    Map<String, Long> puts = new HashMap<>();
    for (Assignment put : history.assignments("geode", "put")) {
      puts.put(text(put), put.hlc());
    }
    List<Assignment> held = history.assignments("geode", "value");
    long early =
        held.stream()
            .filter(value -> puts.getOrDefault(text(value), Long.MAX_VALUE) >= value.hlc())
            .count();
    return new Check(
        "no value is held before it is put (%d records, %d too early)"
            .formatted(held.size(), early),
        early == 0 && !held.isEmpty());
  }

  private Check versionsNeverFall() {
    Map<String, Long> last = new HashMap<>();
    long falls = 0;
    for (Assignment version : history.assignments("geode", "version")) {
      Long before = last.put(version.node(), number(version));
      falls += before != null && before > number(version) ? 1 : 0;
    }
    return new Check("no version falls at any server (%d do)".formatted(falls), falls == 0);
  }

  /** The last records are what the servers hold. */
  private Check equalAtTheEnd() {
    Map<String, String> recorded = new TreeMap<>();
    history.assignments("geode", "value").forEach(v -> recorded.put(v.node(), text(v)));
    Set<String> contents = new HashSet<>();
    boolean holds = true;
    for (Map.Entry<String, ServerAnswer> answer : answers.entrySet()) {
      contents.add(answer.getValue().content());
      holds &= answer.getValue().value().equals(recorded.get(answer.getKey()));
    }
    return new Check(
        "at the end all servers hold %s, as recorded last".formatted(contents),
        holds && contents.size() == 1);
  }

  private Check flushedBeforeUse() throws StageException, IOException {
    List<Assignment> told = history.assignments("geode", "told");
    List<Assignment> first = history.assignments("geode", "first");
    long missing = 0;
    for (int i = 0; i < Math.min(told.size(), first.size()); i++) {
      missing += number(first.get(i)) < number(told.get(i)) ? 1 : 0;
    }
    return new Check(
        "in each of %d joins the region held what was put before, from its first use on (%d without)"
            .formatted(first.size(), missing),
        missing == 0 && !first.isEmpty() && told.size() == first.size());
  }

  private Check oneVersionPerMessage() {
    Map<Long, Set<Long>> versions = new HashMap<>();
    Map<Long, Integer> servers = new HashMap<>();
    List<Assignment> messages = history.assignments("patterns", "message");
    List<Assignment> stamped = history.assignments("patterns", "stamped");
    for (int i = 0; i < messages.size(); i++) {
      long message = number(messages.get(i));
      versions.computeIfAbsent(message, m -> new HashSet<>()).add(number(stamped.get(i)));
      servers.merge(message, 1, Integer::sum);
    }
    long same = versions.values().stream().filter(found -> found.size() == 1).count();
    long everywhere = servers.values().stream().filter(count -> count == 3).count();
    return new Check(
        "%d messages, of which %d reached each of three servers once, and %d have one version"
            .formatted(versions.size(), everywhere, same),
        same == versions.size() && everywhere == versions.size() && same > 0);
  }

  private Check earlyWithoutWaitingOnly(String ranking) {
    Map<Long, Long> lastArrivals = new HashMap<>();
    for (Assignment message : history.assignments("patterns", "message")) {
      lastArrivals.merge(number(message), message.hlc(), Math::max);
    }
    List<Assignment> patterns = history.assignments("patterns", "pattern");
    List<Assignment> acknowledged =
        history.assignments("patterns", "acknowledged").stream()
            .filter(message -> number(message) > 0)
            .toList();
    List<String> early = new ArrayList<>();
    for (int i = 0; i < acknowledged.size(); i++) {
      Assignment message = acknowledged.get(i);
      if (lastArrivals.getOrDefault(number(message), Long.MAX_VALUE) > message.hlc()) {
        early.add(text(patterns.get(i)));
      }
    }
    long waited = early.stream().filter(name -> !name.equals(Pattern.NO_WAIT.regionName())).count();
    return new Check(
        "%d messages were acknowledged before each server had them, %d of them by ways that wait; the fastest way first: %s"
            .formatted(early.size(), waited, ranking),
        waited == 0);
  }

  private static String text(Assignment assignment) {
    return assignment.value() instanceof StringValue text ? text.value() : "";
  }

  private static long number(Assignment assignment) {
    return assignment.value() instanceof LongValue number ? number.value() : -1;
  }
}
