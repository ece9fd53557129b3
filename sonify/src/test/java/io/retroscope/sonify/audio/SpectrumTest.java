// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SpectrumTest {
  private static final int SIZE = 256;

  @Test
  void of_sineInOneChannel_hasItsAmplitudeAtItsFrequencyOnly() {
    float[] stereo = new float[2 * SIZE];
    for (int i = 0; i < SIZE; i++) {
      stereo[2 * i + 1] = (float) (0.5 * Math.cos(2 * Math.PI * 20 * i / SIZE + 1));
    }
    double[] magnitudes = new double[SIZE / 2];
    Spectrum spectrum = new Spectrum(SIZE);
    spectrum.of(stereo, 0, magnitudes);
    assertThat(magnitudes).containsOnly(0);
    spectrum.of(stereo, 1, magnitudes);
    assertThat(magnitudes[20]).isEqualTo(0.5, within(1e-6));
    assertThat(magnitudes[19]).isEqualTo(0.25, within(1e-6));
    assertThat(magnitudes[23]).isLessThan(1e-6);
  }
}
