// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value.StringValue;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.History.Assignment;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What must hold, known from the joins and leaves, and from the places of the nodes. */
final class RingOracle {
  private final History history;
  private final List<Change> changes;
  private final List<String> members;
  private final List<Match> stretches;

  RingOracle(History history, List<Change> changes, List<String> members)
      throws StageException, IOException {
    this.history = history;
    this.changes = changes;
    this.members = members;
    long begun = changes.stream().mapToLong(Change::beganMicros).min().orElse(Long.MAX_VALUE);
    this.stretches =
        history.intervals(ChordCase.BROKEN).stream()
            .filter(stretch -> micros(stretch) >= begun)
            .toList();
  }

  List<Check> checks() {
    return List.of(eachChange(), nowhereElse(), knownAfterJoined(), wholeAtTheEnd());
  }

  private static long micros(Match stretch) {
    return HlcTimestamp.micros(stretch.hlc());
  }

  private Check eachChange() {
    long found =
        changes.stream()
            .filter(change -> stretches.stream().anyMatch(s -> change.contains(micros(s))))
            .count();
    return new Check(
        "%d joins and leaves, in %d of them the ring is not whole for a while"
            .formatted(changes.size(), found),
        found == changes.size());
  }

  private Check nowhereElse() {
    long outside =
        stretches.stream()
            .filter(s -> changes.stream().noneMatch(change -> change.contains(micros(s))))
            .count();
    return new Check(
        "%d stretches in which the ring is not whole, %d of them at other times"
            .formatted(stretches.size(), outside),
        outside == 0);
  }

  /** A node learns of another by a message from it or about it. */
  private Check knownAfterJoined() {
    Map<String, Long> joined = new HashMap<>();
    for (Assignment assignment : history.assignments("ring", "succ")) {
      joined.merge(assignment.node(), assignment.hlc(), Math::min);
    }
    List<Assignment> named = history.assignments("ring", "pred");
    long early =
        named.stream()
            .filter(assignment -> !text(assignment).isEmpty())
            .filter(
                assignment ->
                    joined.getOrDefault(text(assignment), Long.MAX_VALUE) > assignment.hlc())
            .count();
    return new Check(
        "no node has a predecessor before that has joined (%d records, %d too early)"
            .formatted(named.size(), early),
        early == 0);
  }

  private static String text(Assignment assignment) {
    return assignment.value() instanceof StringValue text ? text.value() : "";
  }

  private Check wholeAtTheEnd() {
    List<String> ring = members.stream().sorted(Comparator.comparingLong(Peer::place)).toList();
    Map<String, String> last = new HashMap<>();
    history.assignments("ring", "succ").forEach(a -> last.put(a.node(), text(a)));
    boolean whole = true;
    for (int i = 0; i < ring.size(); i++) {
      whole &= ring.get((i + 1) % ring.size()).equals(last.get(ring.get(i)));
    }
    return new Check(
        "at the end the ring is " + String.join(" ", ring) + ", by its records", whole);
  }
}
