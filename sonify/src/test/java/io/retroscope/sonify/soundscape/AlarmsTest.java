// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.retroscope.sonify.soundscape.AlarmRule.Priority;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlarmsTest {
  private final Scene scene =
      new Scene(
          new SoundRules(
              List.of(),
              List.of(),
              List.of(
                  new AlarmRule("a", "alarm", Priority.MEDIUM, 5_000_000),
                  new AlarmRule("b", "alarm", Priority.MEDIUM, 5_000_000),
                  new AlarmRule("urgent", "alarm", Priority.HIGH, 5_000_000)),
              false));

  private Scene fires(long millis, String rule, boolean fires) {
    return scene.truth(millis, rule, fires, Origin.LIVE);
  }

  /** The first pulses of patterns, as {@code millis rule}. */
  private List<String> patterns() {
    return scene.notes.stream()
        .filter(
            note ->
                scene.notes.stream()
                    .noneMatch(
                        earlier ->
                            earlier.micros() < note.micros()
                                && earlier.micros() > note.micros() - 900_000))
        .map(note -> note.micros() / 1_000 + " " + note.rule())
        .toList();
  }

  @Test
  void burst_isThreePulses_theFirstTwoBurstsSofter() {
    fires(1_000, "a", true).until(14_900);
    assertThat(scene.heard())
        .containsExactly(
            "1000 ALARM 67 82",
            "1380 ALARM 71 82",
            "1760 ALARM 74 82",
            "6000 ALARM 67 98",
            "6380 ALARM 71 98",
            "6760 ALARM 74 98",
            "11000 ALARM 67 116",
            "11380 ALARM 71 116",
            "11760 ALARM 74 116");
  }

  @Test
  void highPriority_isThreeAndTwoPulsesTwice() {
    fires(0, "urgent", true).until(4_000);
    assertThat(scene.notes.stream().map(note -> note.micros() / 1_000))
        .containsExactly(0L, 200L, 400L, 760L, 960L, 1_500L, 1_700L, 1_900L, 2_260L, 2_460L);
    assertThat(scene.notes).allMatch(note -> note.lengthMicros() == 120_000);
  }

  @Test
  void over_butNotAcknowledged_isOnePulseEach30s() {
    fires(0, "a", true);
    fires(2_000, "a", false).until(95_000);
    assertThat(scene.heard().subList(3, scene.notes.size()))
        .containsExactly("32000 ALARM 67 98", "62000 ALARM 67 116", "92000 ALARM 67 116");
  }

  @Test
  void acknowledged_isSilentUntilItFiresAnew() {
    fires(0, "a", true).until(2_000);
    scene.soundscape.acknowledge("a", 2_000_000);
    scene.until(60_000);
    fires(60_000, "a", false).until(200_000);
    assertThat(scene.notes).hasSize(3);
    fires(200_000, "a", true).until(201_000);
    assertThat(scene.heard().subList(3, 6))
        .containsExactly("200000 ALARM 67 82", "200380 ALARM 71 82", "200760 ALARM 74 82");
  }

  @Test
  void acknowledgingInABurst_stopsIt() {
    fires(0, "a", true);
    scene.soundscape.acknowledge("a", 500_000);
    scene.until(60_000);
    assertThat(scene.notes).hasSize(2);
  }

  @Test
  void burstThatHasBegun_isWhole_thoughTheAlarmEnds() {
    fires(0, "a", true);
    fires(100, "a", false).until(5_000);
    assertThat(scene.notes).hasSize(3);
  }

  @Test
  void oneAtATime_theOldestFirst() {
    fires(0, "a", true);
    fires(1_000, "b", true).until(12_000);
    assertThat(patterns()).containsExactly("0 a", "5000 a", "10000 a");
    scene.soundscape.acknowledge("a", 12_000_000);
    scene.until(13_000);
    assertThat(patterns()).endsWith("12000 b");
  }

  @Test
  void moreUrgentOne_comesRightAfterTheBurstOfTheOther() {
    fires(0, "a", true);
    fires(300, "urgent", true).until(9_000);
    assertThat(scene.notes.stream().map(NoteEvent::rule).distinct()).containsExactly("a", "urgent");
    assertThat(scene.notes.get(2).rule()).isEqualTo("a");
    assertThat(scene.notes.get(3).micros()).isEqualTo(1_440_000);
  }

  @Test
  void correctionThatEndsIt_withdrawsIt() {
    fires(0, "a", true);
    scene.truth(400, "a", false, Origin.CORRECTION).until(100_000);
    assertThat(scene.notes).hasSize(2);
  }

  @Test
  void correctionThatStartsIt_soundsIt() {
    scene.truth(0, "a", true, Origin.CORRECTION).until(1_000);
    assertThat(scene.notes).hasSize(3);
  }

  @Test
  void history_soundsWhatStillFires_only() {
    scene.truth(0, "a", true, Origin.HISTORY);
    scene.truth(0, "a", false, Origin.HISTORY);
    scene.truth(0, "b", true, Origin.HISTORY).until(60_000);
    assertThat(scene.notes).allMatch(note -> note.rule().equals("b")).isNotEmpty();
  }

  @Test
  void bursts_mayNotBeTooFrequent() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AlarmRule("a", "alarm", Priority.HIGH, 2_000_000))
        .withMessageContaining("2.5 s");
  }
}
