// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.Match;
import io.retroscope.sonify.rule.PastSoundscape.Played;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** One sound for each level of staleness: 2, 3, 4, and more versions. */
final class LevelSounds {
  /**
   * The statements, for {@code listen} and {@code render}: one note whenever a level is reached.
   */
  static final String STATEMENTS =
      """
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT EDGES PLAY click NOTE 60;
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 3 EMIT EDGES PLAY wood NOTE 64;
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 4 EMIT EDGES PLAY glass NOTE 69;
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 5 EMIT EDGES PLAY horn NOTE 74;
      """;

  private static final List<String> LEVELS =
      List.of("2 versions", "3 versions", "4 versions", "more");

  private LevelSounds() {}

  /** The query of each level. */
  static List<String> queries() {
    return STATEMENTS.lines().map(line -> line.replaceAll(" PLAY .*", ";")).toList();
  }

  /**
   * Checks the notes against the rows: each note belongs to a row, and each row has one, unless the
   * limiter of notes has left it out.
   *
   * @param rowsByLevel the rows of each of the {@link #queries()}
   */
  static Check check(Played played, List<List<Match>> rowsByLevel) {
    List<String> counts = new ArrayList<>();
    boolean holds = true;
    for (int i = 0; i < rowsByLevel.size(); i++) {
      String number = (i + 1) + " "; // the name of a rule is its number and its patch
      List<Long> notes =
          played.performance().notes().stream()
              .filter(note -> note.rule().startsWith(number))
              .map(NoteEvent::hlc)
              .toList();
      Set<Long> rises =
          rowsByLevel.get(i).stream()
              .filter(Match::isRise)
              .map(Match::hlc)
              .collect(Collectors.toSet());
      long leftOut =
          played.dropped().entrySet().stream()
              .filter(rule -> rule.getKey().startsWith(number))
              .mapToLong(rule -> rule.getValue())
              .sum();
      holds &= rises.containsAll(notes) && notes.size() + leftOut == rises.size();
      counts.add(
          "%s %d of %d".formatted(LEVELS.get(i), notes.size(), rises.size())
              + (leftOut == 0 ? "" : " (the limiter left out %d)".formatted(leftOut)));
    }
    return new Check(
        "the rows of each level have their notes: " + String.join(", ", counts), holds);
  }
}
