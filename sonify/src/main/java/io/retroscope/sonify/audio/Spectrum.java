// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.audio;

/** The magnitudes of the frequencies in a short piece of sound. Not thread-safe. */
public final class Spectrum {
  private final int size;
  private final double[] window;
  private final double[] re;
  private final double[] im;

  /**
   * A spectrum of pieces of this many samples.
   *
   * @param size a power of two
   */
  public Spectrum(int size) {
    if (Integer.bitCount(size) != 1) {
      throw new IllegalArgumentException("not a power of two: " + size);
    }
    this.size = size;
    window = new double[size];
    re = new double[size];
    im = new double[size];
    for (int i = 0; i < size; i++) {
      window[i] = 0.5 - 0.5 * Math.cos(2 * Math.PI * i / size);
    }
  }

  /**
   * Computes the magnitudes of the frequencies 0, rate/size, 2 rate/size, ... below rate/2. A sine
   * wave of amplitude 1 has the magnitude 1.
   *
   * @param stereo interleaved frames, {@code size} of them
   * @param channel 0 or 1
   * @param magnitudes takes {@code size / 2} values
   */
  public void of(float[] stereo, int channel, double[] magnitudes) {
    for (int i = 0; i < size; i++) {
      int reversed = Integer.reverse(i) >>> (Integer.numberOfLeadingZeros(size) + 1);
      re[reversed] = stereo[2 * i + channel] * window[i];
      im[reversed] = 0;
    }
    for (int half = 1; half < size; half *= 2) {
      butterflies(half);
    }
    for (int i = 0; i < size / 2; i++) {
      // The window halves the amplitude, and the other half of it is at the negative frequency.
      magnitudes[i] = Math.hypot(re[i], im[i]) * 4 / size;
    }
  }

  private void butterflies(int half) {
    for (int k = 0; k < half; k++) {
      double cos = Math.cos(-Math.PI * k / half);
      double sin = Math.sin(-Math.PI * k / half);
      for (int i = k; i < size; i += 2 * half) {
        double r = re[i + half] * cos - im[i + half] * sin;
        double s = re[i + half] * sin + im[i + half] * cos;
        re[i + half] = re[i] - r;
        im[i + half] = im[i] - s;
        re[i] += r;
        im[i] += s;
      }
    }
  }
}
