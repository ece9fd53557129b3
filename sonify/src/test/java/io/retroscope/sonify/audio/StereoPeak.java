// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.audio;

/** The measurement of a whole sound's true peak, for tests. */
public final class StereoPeak {
  private StereoPeak() {}

  /** The true peak of interleaved stereo, in dBTP; silence is -120. */
  public static double dbtp(float[] stereo) {
    int frames = stereo.length / 2;
    double largest = 1e-6;
    for (int channel = 0; channel < 2; channel++) {
      float[] padded = new float[TruePeak.BEFORE + frames + TruePeak.AFTER];
      for (int i = 0; i < frames; i++) {
        padded[TruePeak.BEFORE + i] = stereo[2 * i + channel];
      }
      for (int i = 0; i < frames; i++) {
        largest = Math.max(largest, TruePeak.at(padded, TruePeak.BEFORE + i));
      }
    }
    return 20 * Math.log10(largest);
  }
}
