// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static io.retroscope.sonify.play.Acoustics.RATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.retroscope.sonify.audio.Loudness;
import io.retroscope.sonify.bank.Patch;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sound of the patches, as rendered. */
class PatchSoundTest {
  private static final double MARKS_LUFS = -20;
  private static final int MIDDLE_C = 60;
  private static final int VELOCITY = 96;

  /** The roots of the samples, and the keys farthest from them. */
  private static final List<Integer> KEYS = List.of(48, 53, 54, 60, 65, 66, 72, 77, 78, 84);

  @Test
  void everyPatch_isAsLoudAsMarks_atMiddleC() throws Exception {
    for (Patch patch : Acoustics.PATCHES.patches()) {
      assertThat(loudness(patch, List.of(MIDDLE_C)).get(0))
          .as(patch.name())
          .isEqualTo(MARKS_LUFS, within(0.5));
    }
  }

  @Test
  void everyPatch_isAboutAsLoud_overThreeOctaves() throws Exception {
    for (Patch patch : Acoustics.PATCHES.patches()) {
      List<Double> loudness = loudness(patch, KEYS);
      for (int i = 0; i < KEYS.size(); i++) {
        assertThat(loudness.get(i))
            .as("%s at key %d", patch.name(), KEYS.get(i))
            .isEqualTo(MARKS_LUFS, within(2.0));
      }
    }
  }

  @Test
  void noTwoPatches_areAlike() throws Exception {
    List<Patch> patches = Acoustics.PATCHES.patches();
    List<double[][]> pictures = new ArrayList<>();
    for (Patch patch : patches) {
      List<NoteEvent> note = List.of(Acoustics.mark(0.01, patch.name(), MIDDLE_C, VELOCITY, 0.4));
      double[] sound = Acoustics.mono(Acoustics.render(note, 0.6));
      pictures.add(Acoustics.spectrogram(sound, 1_024, 512));
    }
    for (int i = 0; i < patches.size(); i++) {
      for (int j = 0; j < i; j++) {
        assertThat(Acoustics.correlation(pictures.get(i), pictures.get(j)))
            .as("%s and %s", patches.get(i).name(), patches.get(j).name())
            .isLessThan(0.9);
      }
    }
  }

  /** A struck note for its own time, a sustained one long enough for its loop to swell. */
  private static List<Double> loudness(Patch patch, List<Integer> keys) throws Exception {
    double length = patch.struck() ? 0.1 : Math.max(1, patch.seconds() + 2 * patch.attackSeconds());
    double distance = length + patch.tailMicros(Acoustics.micros(length)) / 1e6 + 0.5;
    List<NoteEvent> notes = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      notes.add(Acoustics.mark(i * distance + 0.01, patch.name(), keys.get(i), VELOCITY, length));
    }
    float[] sound = Acoustics.render(notes, keys.size() * distance);
    List<Double> loudness = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      float[] note = Acoustics.window(sound, i * distance, (i + 1) * distance);
      loudness.add(Loudness.momentaryMax(note, RATE));
    }
    return loudness;
  }
}
