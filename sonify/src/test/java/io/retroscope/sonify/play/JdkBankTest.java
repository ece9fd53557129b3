// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.sonify.audio.Loudness;
import io.retroscope.sonify.bank.Patch;
import io.retroscope.sonify.bank.SoundBank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The loudness of the patches with the samples of the JDK. */
class JdkBankTest {
  /** MIDI's controllers cannot make it as loud as the others. */
  private static final String SOFT = "sea";

  /*
   * The JDK makes its samples with random phases, once for each home folder. In 12 folders the
   * loudest patch was at -17.3 to -19.2, most often the reed, and the softest at -19.9 to -22.6.
   */
  private static final double LOUDEST = -16.5;
  private static final double SOFTEST = -24;

  private static final double LENGTH_SECONDS = 0.5;

  @Test
  void everyPatch_isAboutAsLoudAsMarks() throws Exception {
    SoundBank bank = SoundBank.named(SoundBank.JDK);
    StringBuilder figures = new StringBuilder();
    List<Double> all = new ArrayList<>();
    double softest = 0;
    double loudest = -100;
    for (Patch patch : Acoustics.PATCHES.patches()) {
      double lufs = loudness(patch, bank);
      all.add(lufs);
      figures.append(" %s %.1f".formatted(patch.name(), lufs));
      softest = patch.name().equals(SOFT) ? softest : Math.min(softest, lufs);
      loudest = Math.max(loudest, lufs);
    }
    System.out.println("with the JDK's bank, LUFS:" + figures);
    Collections.sort(all);
    assertThat(all.get(all.size() / 2)).as("%s", figures).isBetween(-21.5, -18.5);
    assertThat(loudest).as("%s", figures).isBetween(-21.5, LOUDEST);
    assertThat(softest).as("%s", figures).isGreaterThan(SOFTEST);
  }

  private static double loudness(Patch patch, SoundBank bank) throws Exception {
    Performance performance =
        new Performance(
            List.of(Acoustics.mark(0.01, patch.name(), 60, 96, LENGTH_SECONDS)), 1_500_000);
    try (Rendering rendering = new Rendering(performance, bank)) {
      float[] stereo = new float[2 * (int) rendering.frameCount()];
      int frames = rendering.read(stereo);
      return Loudness.momentaryMax(Arrays.copyOf(stereo, 2 * frames), Acoustics.RATE);
    }
  }
}
