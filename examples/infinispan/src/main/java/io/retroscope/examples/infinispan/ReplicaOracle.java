// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.TimestampValue;
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
import java.util.Set;
import java.util.TreeMap;

/** What must hold, known from the relay, from the writer, and from the nodes' own content. */
final class ReplicaOracle {
  /** Versions that a gust must hold back, so that at least two of them are applied elsewhere. */
  private static final int ENOUGH_VERSIONS = 4;

  private static final long CLOCK_READING_MICROS = 1_000;

  private final History history;
  private final List<Gust> gusts;
  private final long toleranceMicros;
  private final Map<Long, Assignment> puts = new TreeMap<>();
  private final List<Assignment> applies;

  ReplicaOracle(History history, List<Gust> gusts, long skewMicros) {
    this.history = history;
    this.gusts = gusts;
    this.toleranceMicros = CLOCK_READING_MICROS + skewMicros;
    history.assignments("stock", "put").forEach(put -> puts.put(version(put), put));
    this.applies = history.assignments("stock", "r1");
  }

  private static long version(Assignment assignment) {
    return assignment.value() instanceof LongValue version ? version.value() : -1;
  }

  List<Check> checks(Map<String, String> contents, int visits) throws StageException, IOException {
    return List.of(
        effectsAfterCauses(),
        ascending(),
        notFasterThanTheRelay(),
        apartInGusts(),
        equalAtTheEnd(contents),
        viewsPerVisit(visits));
  }

  private Check effectsAfterCauses() {
    long early =
        applies.stream()
            .filter(
                apply -> {
                  Assignment put = puts.get(version(apply));
                  return put == null || put.hlc() >= apply.hlc();
                })
            .count();
    return new Check(
        "no version was applied before it was put (%d put, %d applied, %d too early)"
            .formatted(puts.size(), applies.size(), early),
        early == 0 && applies.size() >= puts.size());
  }

  private Check ascending() {
    Map<String, Long> last = new HashMap<>();
    long falls = 0;
    for (Assignment apply : applies) {
      Long before = last.put(apply.node(), version(apply));
      falls += before != null && before > version(apply) ? 1 : 0;
    }
    return new Check("no replica goes back to an older version", falls == 0);
  }

  /** The relay holds bytes for its delay, at most until its end: nothing can be earlier. */
  private Check notFasterThanTheRelay() {
    long held = 0;
    long early = 0;
    for (Assignment apply : applies) {
      Assignment put = puts.get(version(apply));
      if (put == null || !apply.node().equals(CacheScene.SLOW)) {
        continue;
      }
      for (Gust gust : gusts) {
        if (gust.contains(put.micros())) {
          held++;
          long earliest = Math.min(put.micros() + gust.delayMicros(), gust.endedMicros());
          early += apply.micros() + toleranceMicros < earliest ? 1 : 0;
        }
      }
    }
    return new Check(
        "no version reached %s faster than the relay let it (%d versions held back)"
            .formatted(CacheScene.SLOW, held),
        early == 0);
  }

  /** A gust that holds back enough versions must be among the stretches. */
  private Check apartInGusts() throws StageException, IOException {
    List<Match> stretches = history.intervals(InfinispanCase.APART);
    int enough = 0;
    int found = 0;
    for (Gust gust : gusts) {
      long until = gust.beganMicros() + Math.min(gust.delayMicros(), gust.durationMicros());
      long held =
          puts.values().stream()
              .filter(put -> gust.beganMicros() <= put.micros() && put.micros() < until)
              .count();
      if (held >= ENOUGH_VERSIONS) {
        enough++;
        found += stretches.stream().anyMatch(stretch -> touches(gust, stretch)) ? 1 : 0;
      }
    }
    long beganInGusts =
        stretches.stream()
            .filter(s -> gusts.stream().anyMatch(g -> g.contains(HlcTimestamp.micros(s.hlc()))))
            .count();
    return new Check(
        ("%d gusts, %d of them held back %d versions, and replicas were apart in %d of these"
                + " (%d stretches, %d began in gusts)")
            .formatted(
                gusts.size(), enough, ENOUGH_VERSIONS, found, stretches.size(), beganInGusts),
        enough == found);
  }

  private boolean touches(Gust gust, Match stretch) {
    long start = HlcTimestamp.micros(stretch.hlc());
    long end =
        stretch.cells().get("endHlc") instanceof TimestampValue last
            ? HlcTimestamp.micros(last.packed())
            : Long.MAX_VALUE;
    return start <= gust.endedMicros() + toleranceMicros
        && end + toleranceMicros >= gust.beganMicros();
  }

  private Check equalAtTheEnd(Map<String, String> contents) {
    Map<String, Long> recorded = new TreeMap<>();
    applies.forEach(apply -> recorded.put(apply.node(), version(apply)));
    Set<String> read = new HashSet<>(contents.values());
    Set<Long> last = new HashSet<>(recorded.values());
    boolean holds =
        recorded.keySet().equals(contents.keySet())
            && read.size() == 1
            && last.size() == 1
            && read.equals(Set.of(List.copyOf(last).toString()));
    return new Check(
        "at the end all replicas hold the same, as recorded: %s, read %s"
            .formatted(recorded, contents),
        holds);
  }

  /** Members install a view one after the other, so that each change shows at least once. */
  private Check viewsPerVisit(int visits) throws StageException, IOException {
    int start = CacheScene.REPLICAS.size() - 1;
    List<Match> stretches = new ArrayList<>(history.intervals(InfinispanCase.VIEWS));
    Map<String, Object> last = new TreeMap<>();
    history.assignments("stock", "view").forEach(view -> last.put(view.node(), view.value()));
    boolean holds =
        new HashSet<>(last.values()).size() == 1 && stretches.size() <= start + 2 * visits;
    return new Check(
        "%d visits, %d stretches with different views, and one view at the end"
            .formatted(visits, stretches.size()),
        holds);
  }
}
