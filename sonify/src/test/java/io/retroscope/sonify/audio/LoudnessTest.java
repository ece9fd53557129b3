// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The meter against the test signals of EBU Tech 3341 and the filter's published response. */
class LoudnessTest {
  private static final int RATE = 44_100;

  @ParameterizedTest
  @CsvSource({
    "1000, -23, -23.0", // the standard's first test signal
    "1000, -33, -33.0", // and its second
    "100, -23, -24.9", // the high pass begins
    "10000, -23, -19.7" // the shelf is full
  })
  void sine_ofKnownLevel_hasKnownLoudness(double hz, double dbfs, double lufs) {
    assertThat(Loudness.momentaryMax(sine(hz, dbfs, RATE), RATE)).isEqualTo(lufs, within(0.15));
  }

  @Test
  void oneChannel_isThreeBelowTwo() {
    float[] sound = sine(1_000, -23, RATE);
    for (int i = 0; i < sound.length; i += 2) {
      sound[i] = 0;
    }
    assertThat(Loudness.momentaryMax(sound, RATE)).isEqualTo(-26.0, within(0.1));
  }

  @Test
  void burst_ofATenthOfTheWindow_isTenBelow() {
    float[] sound = sine(1_000, -23, RATE);
    java.util.Arrays.fill(sound, 2 * RATE / 25, sound.length, 0);
    assertThat(Loudness.momentaryMax(sound, RATE)).isEqualTo(-33.0, within(0.3));
  }

  @Test
  void silence_isTheLowestLoudness() {
    assertThat(Loudness.momentaryMax(new float[2 * RATE], RATE)).isEqualTo(Loudness.SILENCE_LUFS);
  }

  private static float[] sine(double hz, double dbfs, int frames) {
    float[] stereo = new float[2 * frames];
    double amplitude = Math.pow(10, dbfs / 20);
    for (int i = 0; i < frames; i++) {
      float sample = (float) (amplitude * Math.sin(2 * Math.PI * hz * i / RATE));
      stereo[2 * i] = sample;
      stereo[2 * i + 1] = sample;
    }
    return stereo;
  }
}
