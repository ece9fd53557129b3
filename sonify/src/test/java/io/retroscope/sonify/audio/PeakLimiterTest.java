// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeakLimiterTest {
  private static final int RATE = 44_100;

  private final PeakLimiter limiter = new PeakLimiter(RATE);

  /** A sine at a quarter of the rate, caught between its peaks: 3 dB above its samples. */
  @Test
  void truePeak_findsPeaksBetweenSamples() {
    float[] stereo = new float[2 * 1_000];
    for (int i = 0; i < 1_000; i++) {
      stereo[2 * i] = (float) (0.5 * Math.sin(Math.PI / 2 * i + Math.PI / 4));
    }
    assertThat(StereoPeak.dbtp(stereo)).isEqualTo(20 * Math.log10(0.5), within(0.2));
  }

  @Test
  void quietSound_passesUnchanged_later() {
    float[] sound = noise(1, 20_000, 0.3);
    float[] limited = sound.clone();
    limiter.process(limited, 20_000);
    int delay = 2 * limiter.delayFrames();
    for (int i = delay; i < sound.length; i++) {
      assertThat(limited[i]).isEqualTo(sound[i - delay]);
    }
    assertThat(limiter.lowestGain()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void loudNoise_staysBelowTheCeiling(long seed) {
    float[] sound = noise(seed, 40_000, 4);
    limiter.process(sound, 40_000);
    assertThat(StereoPeak.dbtp(sound))
        .as("seed %d", seed)
        .isLessThanOrEqualTo(PeakLimiter.CEILING_DBTP)
        .isGreaterThan(PeakLimiter.CEILING_DBTP - 1.5);
  }

  /** One sample of +12 dBFS in silence: the gain must be there before it. */
  @Test
  void click_staysBelowTheCeiling() {
    float[] sound = new float[2 * 4_000];
    sound[2_000] = 4;
    limiter.process(sound, 4_000);
    assertThat(StereoPeak.dbtp(sound)).isEqualTo(PeakLimiter.CEILING_DBTP, within(0.3));
  }

  /** A step in the gain would be a click of its own: it falls over the look-ahead instead. */
  @Test
  void gain_fallsGradually_beforeThePeak() {
    float[] sound = new float[2 * 4_000];
    java.util.Arrays.fill(sound, 0.1f);
    sound[2 * 2_000] = 4;
    limiter.process(sound, 4_000);
    int peak = 2_000 + limiter.delayFrames();
    assertThat(sound[2 * (peak - 110) + 1]).isBetween(0.04f, 0.08f);
    for (int i = limiter.delayFrames() + 1; i < 4_000; i++) {
      assertThat(sound[2 * i + 1]).isEqualTo(sound[2 * i - 1], within(0.001f));
    }
  }

  @Test
  void gain_returnsAfterTheRelease() {
    float[] sound = noise(5, 2 * RATE, 0.3);
    sound[2_000] = 4;
    limiter.process(sound, 2 * RATE);
    assertThat(limiter.lowestGain()).isLessThan(0.25);
    float[] more = noise(6, 10_000, 0.3);
    float[] limited = more.clone();
    limiter.process(limited, 10_000);
    int delay = 2 * limiter.delayFrames();
    assertThat(limited[9_000]).isEqualTo(more[9_000 - delay]);
  }

  /** Both channels keep their ratio, or places would move. */
  @Test
  void gain_isTheSameForBothChannels() {
    float[] sound = noise(7, 20_000, 3);
    for (int i = 0; i < sound.length; i += 2) {
      sound[i + 1] = sound[i] / 4;
    }
    limiter.process(sound, 20_000);
    for (int i = 0; i < sound.length; i += 2) {
      assertThat(sound[i + 1]).isEqualTo(sound[i] / 4, within(1e-6f));
    }
  }

  @Test
  void blocks_doNotMatter() {
    float[] whole = noise(8, 10_000, 3);
    float[] pieces = whole.clone();
    limiter.process(whole, 10_000);
    PeakLimiter other = new PeakLimiter(RATE);
    int[] sizes = {1, 88, 300, 7};
    for (int from = 0, i = 0; from < 10_000; i++) {
      int frames = Math.min(sizes[i % sizes.length], 10_000 - from);
      float[] piece = java.util.Arrays.copyOfRange(pieces, 2 * from, 2 * (from + frames));
      other.process(piece, frames);
      System.arraycopy(piece, 0, pieces, 2 * from, piece.length);
      from += frames;
    }
    assertThat(pieces).isEqualTo(whole);
  }

  private static float[] noise(long seed, int frames, double amplitude) {
    Random random = new Random(seed);
    float[] stereo = new float[2 * frames];
    for (int i = 0; i < stereo.length; i++) {
      stereo[i] = (float) (amplitude * (2 * random.nextDouble() - 1));
    }
    return stereo;
  }
}
