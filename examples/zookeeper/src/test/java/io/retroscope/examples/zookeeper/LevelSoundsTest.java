// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.examples.stage.Match;
import io.retroscope.sonify.rule.PastSoundscape.Played;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LevelSoundsTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;

  @TempDir Path folder;
  private Played played;

  /** The spread becomes 1, 2, 3, 0, then at once 5. */
  @BeforeEach
  void play() throws Exception {
    String[] writes = {"zk1 0", "zk2 1", "zk2 2", "zk2 3", "zk1 3", "zk2 8"};
    StringBuilder events = new StringBuilder();
    for (int second = 0; second < writes.length; second++) {
      String[] write = writes[second].split(" ", 2);
      events.append(
          "{\"node\":\"%s\",\"log\":\"setd\",\"hlc\":\"%d.0\",\"set\":{\"r1\":%s}}%n"
              .formatted(write[0], START_MICROS + second * 1_000_000L, write[1]));
    }
    played =
        DemoSoundscape.write(
            Files.writeString(folder.resolve("events.ndjson"), events.toString()), folder);
  }

  @Test
  void notes_levelsReached_areThoseOfTheRows() {
    assertThat(played.performance().notes())
        .extracting(NoteEvent::patch)
        .containsExactlyInAnyOrder("click", "wood", "click", "wood", "glass", "horn");
    assertThat(LevelSounds.check(played, rows(2, 5)).statement())
        .isEqualTo(
            "the rows of each level have their notes: 2 versions 2 of 2, 3 versions 2 of 2,"
                + " 4 versions 1 of 1, more 1 of 1");
    assertThat(LevelSounds.check(played, rows(2, 5)).holds()).isTrue();
  }

  @Test
  void check_rowWithoutNote_fails() {
    List<List<Match>> rows = rows(2, 5);
    rows.get(3).add(rise(3));
    assertThat(LevelSounds.check(played, rows).holds()).isFalse();
  }

  @Test
  void check_noteAtAnotherStamp_fails() {
    assertThat(LevelSounds.check(played, rows(1, 5)).holds()).isFalse();
  }

  /** The rises of the four levels: two of the first two, one of the others. */
  private static List<List<Match>> rows(int first, int last) {
    return List.of(
        new ArrayList<>(List.of(rise(first), rise(last))),
        new ArrayList<>(List.of(rise(3), rise(last))),
        new ArrayList<>(List.of(rise(last))),
        new ArrayList<>(List.of(rise(last))));
  }

  private static Match rise(int second) {
    long hlc = HlcTimestamp.pack(START_MICROS + second * 1_000_000L);
    return new Match(hlc, Map.of("edge", Value.of("rise")));
  }
}
