// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.bank;

import java.util.List;

/**
 * The recipe of one sound, as written in {@code patches.json}. The browser computes the same
 * samples from the same file.
 *
 * @param name lower-case word used in PLAY
 * @param program General MIDI program of the patch in {@code .mid} files, 0 to 127
 * @param struck true if a note decays by itself whatever its length; false if it sounds for its
 *     length
 * @param rateHz sample rate of the samples
 * @param seconds length of a struck sample, or of the loop of a sustained one
 * @param attackSeconds rise time
 * @param releaseSeconds time a sustained note takes to fade after its end; 0 if struck
 * @param tuningCents change of pitch per key; 100 except for noises
 * @param cutoffHz of a low-pass filter of second order, at neutral brightness (CC74 64)
 * @param partials sine waves
 * @param noise a band of many sine waves; no partials if the patch has none
 * @param samples one sample per octave
 */
public record Patch(
    String name,
    int program,
    boolean struck,
    int rateHz,
    double seconds,
    double attackSeconds,
    double releaseSeconds,
    int tuningCents,
    double cutoffHz,
    List<Partial> partials,
    Noise noise,
    List<SampleKey> samples) {
  /** Checks what the synthesis relies on, and copies the lists. */
  public Patch {
    if (partials.isEmpty() && noise.partials() == 0) {
      throw new IllegalArgumentException("the patch " + name + " has neither partials nor noise");
    }
    if (samples.isEmpty()) {
      throw new IllegalArgumentException("the patch " + name + " has no samples");
    }
    partials = List.copyOf(partials);
    samples = List.copyOf(samples);
  }

  /** How long the patch sounds after the end of a note of this length, in microseconds. */
  public long tailMicros(long lengthMicros) {
    long natural = (long) ((struck ? seconds : releaseSeconds) * 1e6);
    return struck ? Math.max(0, natural - lengthMicros) : natural;
  }

  /**
   * A sine wave of a patch.
   *
   * @param ratio its frequency in multiples of the key's
   * @param db its level
   * @param decaySeconds time to fall by 60 dB in a struck patch
   * @param detune cycles added per loop of a sustained patch; makes it beat
   */
  public record Partial(double ratio, double db, double decaySeconds, int detune) {}

  /**
   * A band of noise, made of sine waves of fixed random frequencies and phases.
   *
   * @param partials number of sine waves; 0 is no noise
   * @param lowHz lower edge
   * @param highHz upper edge
   * @param db level of the band
   * @param slopeDb change of level per octave above the lower edge
   * @param decaySeconds time to fall by 60 dB in a struck patch
   * @param swellDb how much softer a sustained noise is at the ends of its loop than in its middle
   */
  public record Noise(
      int partials,
      double lowHz,
      double highHz,
      double db,
      double slopeDb,
      double decaySeconds,
      double swellDb) {}

  /**
   * The key at which a sample is made.
   *
   * @param key MIDI key at which the sample sounds unchanged
   * @param peakDb peak of the sample, at most 0; makes all samples of the bank equally loud
   */
  public record SampleKey(int key, double peakDb) {
    /** Checks the range. */
    public SampleKey {
      if (peakDb > 0) {
        throw new IllegalArgumentException("a sample cannot peak above 0 dB: " + peakDb);
      }
    }
  }
}
