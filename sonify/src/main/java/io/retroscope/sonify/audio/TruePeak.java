// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.audio;

/**
 * Interpolation by four, to find peaks that lie between samples (ITU-R BS.1770, annex 2). Pure;
 * thread-safe.
 */
final class TruePeak {
  /*
   * Most sound is far from the ceiling. No interpolated value exceeds the largest sample around it
   * times GAIN_BOUND, the largest sum of the absolute taps of a phase; the limiter interpolates
   * only where that bound reaches the ceiling.
   */

  /** Samples before a position that its interpolated values depend on. */
  static final int BEFORE = 5;

  /** Samples after a position that its interpolated values depend on. */
  static final int AFTER = 6;

  private static final int PHASES = 4;
  private static final double[][] TAPS = taps();

  /** No interpolated value is larger than the largest sample around it times this. */
  static final double GAIN_BOUND = gainBound();

  private TruePeak() {}

  /**
   * The largest magnitude at a sample and at the three positions between it and the next.
   *
   * @param samples one channel; {@link #BEFORE} and {@link #AFTER} samples around {@code at}
   */
  static double at(float[] samples, int at) {
    double largest = Math.abs(samples[at]);
    for (int phase = 1; phase < PHASES; phase++) {
      double[] taps = TAPS[phase];
      double sum = 0;
      for (int i = 0; i < taps.length; i++) {
        sum += taps[i] * samples[at - BEFORE + i];
      }
      largest = Math.max(largest, Math.abs(sum));
    }
    return largest;
  }

  /** Windowed sine cardinals: twelve taps for each quarter of a sample. */
  private static double[][] taps() {
    double[][] taps = new double[PHASES][BEFORE + AFTER + 1];
    for (int phase = 0; phase < PHASES; phase++) {
      double sum = 0;
      for (int i = 0; i < taps[phase].length; i++) {
        double x = i - BEFORE - (double) phase / PHASES;
        double window = Math.cos(Math.PI * x / (2 * (AFTER + 0.5)));
        double sinc = x == 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
        taps[phase][i] = sinc * window * window;
        sum += taps[phase][i];
      }
      for (int i = 0; i < taps[phase].length; i++) {
        taps[phase][i] /= sum;
      }
    }
    return taps;
  }

  private static double gainBound() {
    double bound = 1;
    for (double[] phase : TAPS) {
      double sum = 0;
      for (double tap : phase) {
        sum += Math.abs(tap);
      }
      bound = Math.max(bound, sum);
    }
    return bound;
  }
}
