// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BackgroundTest {
  private static final SoundRules RULES =
      new SoundRules(
          List.of(),
          List.of(new BackgroundRule("pad", "pad", BackgroundRule.DEFAULT_KEYS, 0, 8)),
          List.of(),
          false);

  private final Scene scene = new Scene(RULES);

  private Scene value(long millis, double value) {
    return scene.read(millis, "pad", "", true, OptionalDouble.of(value), Origin.LIVE);
  }

  private double levelAt(long millis) {
    double level = -1;
    for (NoteEvent note : scene.notes) {
      level = note.micros() <= millis * 1_000 ? note.level() : level;
    }
    return level;
  }

  @Test
  void firstReading_startsIt_whereItIs() {
    value(1_000, 4).until(60_000);
    assertThat(scene.heard())
        .containsExactly("1000 BACKGROUND 48 127", "1000 BACKGROUND 55 127", "1000 FOLLOW 48 127");
    assertThat(scene.notes).allMatch(note -> note.level() == 0.5);
    assertThat(scene.notes.get(0).lengthMicros()).isEqualTo(NoteEvent.UNTIL_THE_END);
  }

  /** One time constant after a step, 1 - 1/e of the way is done. */
  @Test
  void rise_takes150ms_andFall1200ms() {
    value(0, 0);
    value(1_050, 8).until(3_000);
    assertThat(levelAt(1_200)).isEqualTo(1 - Math.exp(-1), within(0.01));
    assertThat(levelAt(2_000)).isEqualTo(1, within(0.01));
    value(3_000, 0).until(4_200);
    assertThat(levelAt(4_200)).isEqualTo(Math.exp(-1), within(0.01));
    scene.until(20_000);
    assertThat(levelAt(20_000)).isZero();
  }

  @Test
  void updates_areTenASecondAtMost_andNoneWhenNothingMoves() {
    value(0, 0);
    for (int i = 0; i < 1_000; i++) {
      value(i, i % 9);
    }
    scene.until(60_000);
    for (int from = 0; from < 2_000; from += 100) {
      long start = from * 1_000L;
      assertThat(
              scene.notes.stream()
                  .filter(note -> note.kind() == NoteKind.FOLLOW)
                  .filter(note -> note.micros() >= start && note.micros() < start + 1_000_000))
          .hasSizeLessThanOrEqualTo(10);
    }
    assertThat(scene.notes.get(scene.notes.size() - 1).micros()).isLessThan(10_000_000);
  }

  @Test
  void values_areClamped() {
    value(0, 100).until(10);
    assertThat(levelAt(10)).isEqualTo(1);
    value(20, -5).until(20_000);
    assertThat(levelAt(20_000)).isZero();
  }

  @Test
  void absentValue_holdsTheLast10s_thenFadesIn2s() {
    value(0, 8);
    scene.read(1_000, "pad", "", true, OptionalDouble.empty(), Origin.LIVE).until(11_000);
    assertThat(scene.notes).hasSize(3);
    scene.until(60_000);
    List<NoteEvent> fade = scene.notes.subList(3, scene.notes.size());
    assertThat(fade.get(0).micros()).isEqualTo(11_100_000);
    assertThat(fade.get(fade.size() - 1).micros()).isEqualTo(13_000_000);
    assertThat(fade.get(fade.size() - 1).velocity()).isZero();
    assertThat(fade).hasSize(20).allMatch(note -> note.level() == 1);
    value(61_000, 8).until(62_000);
    assertThat(scene.notes.get(scene.notes.size() - 1).velocity()).isEqualTo(127);
  }

  @Test
  void lostServer_fadesIn2s_andItsReturnBringsItBack() {
    value(0, 8);
    scene.soundscape.lose(0, 5_000_000);
    scene.until(7_000);
    NoteEvent last = scene.notes.stream().filter(BackgroundTest::follows).reduce((a, b) -> b).get();
    assertThat(last.micros()).isEqualTo(7_000_000);
    assertThat(last.velocity()).isZero();
    scene.soundscape.regain(0, 8_000_000);
    value(8_050, 8).until(8_200);
    NoteEvent back = scene.notes.stream().filter(BackgroundTest::follows).reduce((a, b) -> b).get();
    assertThat(back.velocity()).isEqualTo(127);
  }

  private static boolean follows(NoteEvent note) {
    return note.kind() == NoteKind.FOLLOW;
  }

  @Test
  void notes_doNotDependOnHowTimeAdvances() {
    Random random = new Random(7);
    Scene pieces = new Scene(RULES);
    for (long millis = 0; millis < 30_000; millis += 1 + random.nextInt(700)) {
      pieces.until(millis);
      if (random.nextInt(3) == 0) {
        OptionalDouble value = OptionalDouble.of(random.nextInt(9));
        pieces.read(millis, "pad", "", true, value, Origin.LIVE);
        scene.read(millis, "pad", "", true, value, Origin.LIVE);
      }
    }
    assertThat(pieces.until(40_000).notes).isEqualTo(scene.until(40_000).notes);
    assertThat(scene.notes.size()).isGreaterThan(50);
  }

  @Test
  void emptyRange_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BackgroundRule("r", "pad", List.of(48), 3, 3));
  }
}
