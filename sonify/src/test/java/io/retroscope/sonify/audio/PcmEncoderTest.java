// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PcmEncoderTest {
  private static final int COUNT = 50_000;

  @ParameterizedTest
  @ValueSource(ints = {16, 24})
  void samples_areWithinOneAndAHalfSteps(int bits) {
    double scale = Math.pow(2, bits - 1) - 1;
    float[] samples = {0, 0.5f, -0.5f, 0.999f, -0.999f};
    byte[] bytes = new byte[samples.length * bits / 8];
    new PcmEncoder(bits, 1).encode(samples, samples.length, bytes);
    for (int i = 0; i < samples.length; i++) {
      assertThat((double) value(bytes, i, bits)).isEqualTo(samples[i] * scale, within(1.5));
    }
  }

  /** A third of a step would always be rounded to 0; dither keeps its mean. */
  @Test
  void valueBelowAStep_survivesInTheMean() {
    float[] samples = new float[COUNT];
    Arrays.fill(samples, (float) (1 / 3.0 / Short.MAX_VALUE));
    byte[] bytes = new byte[2 * COUNT];
    new PcmEncoder(16, 1).encode(samples, COUNT, bytes);
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
      sum += value(bytes, i, 16);
    }
    assertThat(sum / COUNT).isEqualTo(1 / 3.0, within(0.02));
  }

  /** Rounding adds a twelfth and triangular dither two twelfths, whatever the value. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.25, 0.5})
  void noise_doesNotDependOnTheValue(double steps) {
    float[] samples = new float[COUNT];
    Arrays.fill(samples, (float) (steps / Short.MAX_VALUE));
    byte[] bytes = new byte[2 * COUNT];
    new PcmEncoder(16, 2).encode(samples, COUNT, bytes);
    double power = 0;
    for (int i = 0; i < COUNT; i++) {
      power += Math.pow(value(bytes, i, 16) - steps, 2);
    }
    assertThat(power / COUNT).isEqualTo(0.25, within(0.01));
  }

  @Test
  void beyondFullScale_isClipped() {
    byte[] bytes = new byte[4];
    new PcmEncoder(16, 1).encode(new float[] {2, -2}, 2, bytes);
    assertThat(value(bytes, 0, 16)).isEqualTo(Short.MAX_VALUE);
    assertThat(value(bytes, 1, 16)).isEqualTo(Short.MIN_VALUE);
  }

  @Test
  void otherWidths_areRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PcmEncoder(8, 1))
        .withMessageContaining("8");
  }

  private static int value(byte[] bytes, int index, int bits) {
    int size = bits / 8;
    int value = bytes[size * index + size - 1];
    for (int b = size - 2; b >= 0; b--) {
      value = (value << 8) | (bytes[size * index + b] & 0xff);
    }
    return value;
  }
}
