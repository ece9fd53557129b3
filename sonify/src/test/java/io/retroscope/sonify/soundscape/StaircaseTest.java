// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.retroscope.rql.ast.Scale;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class StaircaseTest {
  private final Scene scene = Scene.ofLevels();

  @Test
  void jump_playsAllStrikes_risingAndLouder() {
    scene.level(1_000, 8).until(2_000);
    assertThat(scene.heard())
        .containsExactly(
            "1000 STRIKE 60 80", "1090 STRIKE 64 90", "1180 STRIKE 69 100", "1270 STRIKE 74 110");
    assertThat(scene.notes)
        .allSatisfy(
            note -> {
              assertThat(note.lengthMicros()).isEqualTo(80_000);
              assertThat(note.hlc()).isEqualTo(1_000_000);
              assertThat(note.level()).isEqualTo(8);
              assertThat(note.node()).isEqualTo("z2");
            });
  }

  @Test
  void firstStrike_isThereAtOnce() {
    scene.level(1_000, 2);
    assertThat(scene.heard()).containsExactly("1000 STRIKE 60 80");
  }

  @Test
  void levelBelowTheFirstStep_isSilent() {
    scene.level(0, 0).level(500, 1.99).until(10_000);
    assertThat(scene.heard()).isEmpty();
  }

  @Test
  void higherLevelLater_addsOnlyItsStrike() {
    scene.level(1_000, 2).level(1_500, 3).level(1_700, 2).level(1_900, 3).level(2_000, 4);
    scene.until(2_100);
    assertThat(scene.heard())
        .containsExactly("1000 STRIKE 60 80", "1500 STRIKE 64 90", "2000 STRIKE 69 100");
  }

  @Test
  void stretchThatLasts_repeatsItsLastStrike_6dBSofter() {
    scene.level(1_000, 3).until(5_200);
    assertThat(scene.heard())
        .containsExactly(
            "1000 STRIKE 60 80", "1090 STRIKE 64 90", "3090 REPEAT 64 64", "5090 REPEAT 64 64");
  }

  @Test
  void end_isASoftNoteAFourthBelowTheRoot_150msLater() {
    scene.level(1_000, 2).level(1_500, 0).until(10_000);
    assertThat(scene.heard()).containsExactly("1000 STRIKE 60 80", "1650 RECOVERY 55 58");
  }

  @Test
  void predicateThatNoLongerHolds_endsTheStretch() {
    scene.level(1_000, 2);
    scene.read(1_500, "stale", "z2", false, OptionalDouble.of(5), Origin.LIVE).until(10_000);
    assertThat(scene.heard()).containsExactly("1000 STRIKE 60 80", "1650 RECOVERY 55 58");
  }

  @Test
  void returnWithin150ms_isTheSameStretch() {
    scene.level(1_000, 3).level(1_500, 0).level(1_649, 3).level(1_700, 4).until(1_800);
    assertThat(scene.heard())
        .containsExactly("1000 STRIKE 60 80", "1090 STRIKE 64 90", "1700 STRIKE 69 100");
  }

  @Test
  void returnAfter150ms_isANewStretch() {
    scene.level(1_000, 2).level(1_500, 0).level(1_650, 2).until(2_000);
    assertThat(scene.heard())
        .containsExactly("1000 STRIKE 60 80", "1650 RECOVERY 55 58", "1740 STRIKE 60 80");
  }

  /** A blip shorter than its staircase is heard whole, and its end after it. */
  @Test
  void blip_isHeardWhole() {
    scene.level(1_000, 8).level(1_010, 0).until(5_000);
    assertThat(scene.heard())
        .containsExactly(
            "1000 STRIKE 60 80",
            "1090 STRIKE 64 90",
            "1180 STRIKE 69 100",
            "1270 STRIKE 74 110",
            "1360 RECOVERY 55 58");
  }

  /** NULL is silence: a node that goes silent has not recovered. */
  @Test
  void nodeThatGoesSilent_endsWithoutRecovery() {
    scene.level(1_000, 2).absent(1_500).until(10_000);
    assertThat(scene.heard()).containsExactly("1000 STRIKE 60 80");
    scene.level(11_000, 2);
    assertThat(scene.heard()).contains("11000 STRIKE 60 80");
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LIVE")
  void readingThatIsNotLive_movesTheLevel_silently(Origin origin) {
    scene.level(1_000, "z2", 3, origin).until(1_200);
    assertThat(scene.heard()).isEmpty();
    scene.level(1_300, 4).until(1_400);
    assertThat(scene.heard()).containsExactly("1300 STRIKE 69 100");
  }

  @Test
  void places_shiftTheRegister() {
    scene.level(1_000, "z1", 2, Origin.LIVE).level(1_000, "z3", 2, Origin.LIVE);
    assertThat(scene.heard()).containsExactly("1000 STRIKE 48 80", "1000 STRIKE 72 80");
    assertThat(scene.notes.get(0).pan()).isEqualTo(-0.8);
    assertThat(scene.notes.get(1).pan()).isEqualTo(0.8);
  }

  /** Faster than strikes can follow: the queue is bounded, and dropped notes are counted. */
  @Test
  void flapping_isBounded_andCounted() {
    for (int i = 0; i < 100; i++) {
      scene.level(1_000 + 320 * i, 8).level(1_010 + 320 * i, 0);
    }
    scene.until(40_000);
    long strikes = scene.notes.size();
    assertThat(strikes + scene.soundscape.droppedCount()).isEqualTo(500);
    assertThat(scene.soundscape.droppedCount()).isGreaterThan(0);
    long last = scene.notes.get(scene.notes.size() - 1).micros() / 1_000;
    assertThat(last).isLessThan(33_000 + 90 * Staircase.MAX_WAITING);
    for (int i = 1; i < scene.notes.size(); i++) {
      assertThat(scene.notes.get(i).micros() - scene.notes.get(i - 1).micros())
          .isGreaterThanOrEqualTo(Staircase.STRIKE_GAP_MICROS);
    }
  }

  /**
   * Live, time advances in small pieces; over the past, from cut to cut. The notes are the same.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void notes_doNotDependOnHowTimeAdvances(long seed) {
    Random random = new Random(seed);
    Scene pieces = Scene.ofLevels();
    long millis = 0;
    for (int i = 0; i < 300; i++) {
      long next = millis + random.nextInt(600);
      while (random.nextInt(4) > 0 && millis < next) {
        millis += random.nextInt((int) (next - millis) + 1);
        pieces.until(millis);
      }
      millis = next;
      String node = Scene.NODES.get(random.nextInt(3));
      double level = random.nextInt(10);
      pieces.level(millis, node, level, Origin.LIVE);
      scene.level(millis, node, level, Origin.LIVE);
    }
    pieces.until(millis + 5_000);
    scene.until(millis + 5_000);
    assertThat(pieces.notes).as("seed %d", seed).isEqualTo(scene.notes).isNotEmpty();
  }

  @Test
  void steps_mustRise_andBeFourAtMost() {
    assertThatIllegalArgumentException().isThrownBy(() -> rule(List.of(2.0, 2.0)));
    assertThatIllegalArgumentException().isThrownBy(() -> rule(List.of()));
    assertThatIllegalArgumentException().isThrownBy(() -> rule(List.of(1.0, 2.0, 3.0, 4.0, 5.0)));
  }

  private static LevelRule rule(List<Double> steps) {
    return new LevelRule("r", "wood", steps, 60, Scale.PENTATONIC, 80_000, 2_000_000, true);
  }
}
