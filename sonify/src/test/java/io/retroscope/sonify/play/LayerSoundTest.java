// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static io.retroscope.sonify.play.Acoustics.RATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.retroscope.sonify.audio.Loudness;
import io.retroscope.sonify.soundscape.AlarmRule;
import io.retroscope.sonify.soundscape.AlarmRule.Priority;
import io.retroscope.sonify.soundscape.BackgroundRule;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.LevelRule;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import io.retroscope.sonify.soundscape.Origin;
import io.retroscope.sonify.soundscape.RuleReading;
import io.retroscope.sonify.soundscape.SoundRules;
import io.retroscope.sonify.soundscape.Soundscape;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The loudness of the layers, and how a background follows its value. */
class LayerSoundTest {
  private static final SoundRules RULES =
      new SoundRules(
          List.of(LevelRule.of("level", "wood")),
          List.of(new BackgroundRule("pad", "pad", BackgroundRule.DEFAULT_KEYS, 0, 1)),
          List.of(alarm(Priority.MEDIUM), alarm(Priority.HIGH)),
          true);

  private static AlarmRule alarm(Priority priority) {
    return new AlarmRule(priority.name(), "alarm", priority, AlarmRule.DEFAULT_EVERY_MICROS);
  }

  private final List<NoteEvent> notes = new ArrayList<>();
  private final Soundscape soundscape = new Soundscape(RULES, List.of(), notes::add);

  private void read(double seconds, String rule, double value) {
    soundscape.read(
        new RuleReading(
            0, Acoustics.micros(seconds), rule, "", true, OptionalDouble.of(value), Origin.LIVE));
  }

  private float[] sound(double seconds) throws Exception {
    soundscape.advance(Acoustics.micros(seconds));
    return Acoustics.render(notes, seconds);
  }

  private static double lufs(float[] sound, double from, double to) {
    return Loudness.momentaryMax(Acoustics.window(sound, from, to), RATE);
  }

  @Test
  void background_followsEvenly_inLoudnessAndBrightness() throws Exception {
    List<Double> loudness = new ArrayList<>();
    List<Double> centroids = new ArrayList<>();
    int steps = 4;
    for (int i = 0; i <= steps; i++) {
      // Each from its beginning: the pad beats, and must do so alike in each window.
      List<NoteEvent> held = new ArrayList<>();
      double value = (double) i / steps;
      new Soundscape(RULES, List.of(), held::add)
          .read(new RuleReading(0, 0, "pad", "", true, OptionalDouble.of(value), Origin.LIVE));
      float[] steady = Acoustics.window(Acoustics.render(held, 6), 2, 6);
      loudness.add(Loudness.momentaryMax(steady, RATE));
      centroids.add(Acoustics.centroid(steady));
    }
    System.out.printf(
        "background: %s LUFS, centroid %s Hz%n", rounded(loudness), rounded(centroids));
    List<NoteEvent> mark =
        List.of(Acoustics.note(0.1, Layer.MARK, NoteKind.MARK, "wood", 60, 96, 0.08));
    double marks = lufs(Acoustics.render(mark, 2), 0, 2);
    assertThat(loudness.get(steps)).as("marks at %s", marks).isLessThanOrEqualTo(marks - 18);
    assertThat(loudness.get(0)).isEqualTo(-44.5, within(1.0));
    assertThat(loudness.get(steps) - loudness.get(0)).isGreaterThanOrEqualTo(6);
    assertThat(centroids.get(steps) / centroids.get(0)).isGreaterThanOrEqualTo(1.5);
    for (int i = 0; i < steps; i++) {
      assertThat(loudness.get(i + 1) - loudness.get(i)).as("%s", loudness).isBetween(1.0, 2.5);
      assertThat(centroids.get(i + 1) / centroids.get(i)).as("%s", centroids).isBetween(1.05, 1.35);
    }
  }

  private static List<Long> rounded(List<Double> values) {
    return values.stream().map(Math::round).toList();
  }

  @ParameterizedTest
  @EnumSource(Priority.class)
  void alarm_isLouderThanMarks_fromItsThirdBurst(Priority priority) throws Exception {
    read(0.1, priority.name(), 0);
    float[] sound = sound(14);
    System.out.printf("alarm %s: %.1f LUFS%n", priority, lufs(sound, 10, 14));
    assertThat(lufs(sound, 10, 14)).isEqualTo(-15, within(1.0));
    assertThat(lufs(sound, 5, 9)).isEqualTo(-18, within(1.0));
    assertThat(lufs(sound, 0, 4)).isEqualTo(-21, within(1.0));
  }

  @Test
  void heartbeat_isFarBelowMarks() throws Exception {
    assertThat(lufs(sound(31), 29, 31)).isEqualTo(-38, within(1.0));
  }

  @Test
  void loss_isBetweenMarksAndBackground() throws Exception {
    soundscape.lose(0, 0);
    assertThat(lufs(sound(4), 0, 4)).isEqualTo(-24, within(1.0));
  }
}
