// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** Tests of the common behaviour of voices: history, time, loss of the server. */
class SoundscapeTest {
  private static final SoundRules HEARTBEAT = new SoundRules(List.of(), List.of(), List.of(), true);

  private final Scene scene = Scene.ofLevels();

  @Test
  void historyOf10000Rows_isOneNote() {
    for (int i = 0; i < 10_000; i++) {
      scene.level(1_000, Scene.NODES.get(i % 3), i % 2 == 0 ? 8 : 0, Origin.HISTORY);
      scene.soundscape.mark(mark(1_000, Origin.HISTORY));
    }
    scene.level(1_000, "z1", 0, Origin.HISTORY).level(1_000, "z2", 0, Origin.HISTORY);
    scene.level(1_000, "z3", 0, Origin.HISTORY);
    scene.soundscape.caughtUp(0, 1_000_000, 20_003);
    scene.until(60_000);
    assertThat(scene.heard()).containsExactly("1000 CAUGHT_UP 60 58");
    assertThat(scene.notes.get(0).level()).isEqualTo(20_003);
  }

  @Test
  void noHistory_isNoNote() {
    scene.soundscape.caughtUp(0, 0, 0);
    assertThat(scene.notes).isEmpty();
  }

  @Test
  void marks_soundIfLiveOnly() {
    for (Origin origin : Origin.values()) {
      scene.soundscape.mark(mark(500, origin));
    }
    assertThat(scene.heard()).containsExactly("500 MARK 43 90");
  }

  @Test
  void notes_areInOrderOfTime_acrossVoices() {
    scene.level(0, "z1", 8, Origin.LIVE).level(30, "z2", 8, Origin.LIVE);
    scene.level(60, "z3", 8, Origin.LIVE).until(20_000);
    assertThat(scene.notes)
        .hasSizeGreaterThan(20)
        .isSortedAccordingTo(Comparator.comparingLong(NoteEvent::micros));
  }

  @Test
  void readingOfThePast_countsAsNow() {
    scene.until(5_000).level(1_000, 2).until(5_100);
    assertThat(scene.heard()).containsExactly("5000 STRIKE 60 80");
  }

  @Test
  void lostServer_isAFallingFifth_each15s_thenEach2min() {
    scene.soundscape.lose(0, 0);
    scene.soundscape.lose(0, 1_000_000);
    scene.until(500_000);
    assertThat(scene.heard().subList(0, 4))
        .containsExactly(
            "2000 LOST 67 96", "2300 LOST 60 96", "17000 LOST 67 96", "17300 LOST 60 96");
    List<Long> falls =
        scene.notes.stream()
            .filter(note -> note.key() == 67)
            .map(note -> note.micros() / 1_000_000)
            .toList();
    assertThat(falls)
        .containsExactly(2L, 17L, 32L, 47L, 62L, 77L, 92L, 107L, 122L, 242L, 362L, 482L);
  }

  @Test
  void returnedServer_isARisingFifth_once() {
    scene.soundscape.regain(0, 0);
    scene.soundscape.lose(0, 1_000_000);
    scene.until(5_000);
    scene.soundscape.regain(0, 5_000_000);
    scene.soundscape.regain(0, 6_000_000);
    scene.until(500_000);
    assertThat(scene.heard())
        .containsExactly(
            "3000 LOST 67 96", "3300 LOST 60 96", "5000 BACK 60 96", "5300 BACK 67 96");
  }

  @Test
  void heartbeat_clicksEach30s_whileTheServerIsThere() {
    Scene calm = new Scene(HEARTBEAT).until(70_000);
    assertThat(calm.heard()).containsExactly("30000 HEARTBEAT 84 96", "60000 HEARTBEAT 84 96");
    calm.soundscape.lose(0, 80_000_000);
    calm.until(100_000);
    assertThat(calm.notes).filteredOn(note -> note.kind() == NoteKind.HEARTBEAT).hasSize(2);
  }

  @Test
  void unknownRule_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scene.read(0, "x", "", true, OptionalDouble.empty(), Origin.LIVE))
        .withMessageContaining("x");
  }

  @Test
  void twoRulesOfOneName_areRefused() {
    LevelRule rule = LevelRule.of("stale", "wood");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SoundRules(List.of(rule, rule), List.of(), List.of(), false))
        .withMessageContaining("stale");
  }

  private static Mark mark(long millis, Origin origin) {
    return new Mark(0, millis * 1_000, "row", "", "pluck", 43, 90, 200_000, 0, origin);
  }
}
