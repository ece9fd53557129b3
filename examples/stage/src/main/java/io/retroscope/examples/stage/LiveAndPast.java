// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import io.retroscope.event.Value;
import io.retroscope.rql.cut.HlcRange;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The rows of a question that ran live, and of the same question over the past. Immutable.
 *
 * <p>Live rows in which a node was missing may differ, because its events have arrived since; they
 * are left out, and the others must be among those of the past.
 */
public final class LiveAndPast {
  private final List<Map<String, Value>> live;
  private final List<Map<String, Value>> past;
  private final int incompleteCount;

  private LiveAndPast(
      List<Map<String, Value>> live, List<Map<String, Value>> past, int incompleteCount) {
    this.live = live;
    this.past = past;
    this.incompleteCount = incompleteCount;
  }

  /** All rows. */
  public static LiveAndPast of(List<Match> live, List<Match> past) {
    return within(HlcRange.ALL, live, past);
  }

  /** The rows of a time, for a question about a system that runs before and after. */
  public static LiveAndPast within(HlcRange time, List<Match> live, List<Match> past) {
    List<Match> inTime = live.stream().filter(match -> time.contains(match.hlc())).toList();
    List<Map<String, Value>> complete =
        inTime.stream().filter(Match::isComplete).map(Match::comparable).toList();
    return new LiveAndPast(
        complete,
        past.stream().filter(match -> time.contains(match.hlc())).map(Match::comparable).toList(),
        inTime.size() - complete.size());
  }

  /** The number of live rows that are compared. */
  public int liveCount() {
    return live.size();
  }

  /** The number of live rows that are not, because a node was missing. */
  public int incompleteCount() {
    return incompleteCount;
  }

  /** The first difference, if there is one, with the rows on both sides. */
  public Optional<String> difference() {
    boolean same = incompleteCount == 0 ? live.equals(past) : past.containsAll(live);
    if (same) {
      return Optional.empty();
    }
    int i = 0;
    while (i < Math.min(live.size(), past.size()) && live.get(i).equals(past.get(i))) {
      i++;
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "from row %d on (live has %d rows, the past %d): live %s, past %s",
            i + 1,
            live.size(),
            past.size(),
            i < live.size() ? live.get(i) : "ends",
            i < past.size() ? past.get(i) : "ends"));
  }
}
