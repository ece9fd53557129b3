// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.bank;

import io.retroscope.sonify.bank.Patch.Noise;
import io.retroscope.sonify.bank.Patch.Partial;
import io.retroscope.sonify.bank.Patch.SampleKey;

/** One sample of a patch, computed from its recipe. */
final class PatchSample {
  /*
   * Additive synthesis. Each sine wave runs as a rotation of a complex number, one multiplication
   * per sample. Phases are pseudo-random with a fixed seed: equal in every run, and in the browser.
   */

  private static final double A4_HZ = 440;
  private static final int A4_KEY = 69;

  /** A struck sample ends in silence, without a click. */
  private static final double FADE_SECONDS = 0.01;

  /** The 60 dB of a decay time, as a natural logarithm. */
  private static final double LN_60_DB = Math.log(1000);

  private final int key;
  private final int rateHz;
  private final float[] frames;

  private PatchSample(int key, int rateHz, float[] frames) {
    this.key = key;
    this.rateHz = rateHz;
    this.frames = frames;
  }

  /** MIDI key at which the sample sounds unchanged. */
  int key() {
    return key;
  }

  int rateHz() {
    return rateHz;
  }

  /**
   * Within -1 to 1; a sustained sample repeats from its end to its beginning. Not to be changed.
   */
  float[] frames() {
    return frames;
  }

  static PatchSample of(Patch patch, SampleKey sample) {
    double[] frames = patch.struck() ? struck(patch, sample.key()) : looped(patch, sample.key());
    double peak = 0;
    for (double frame : frames) {
      peak = Math.max(peak, Math.abs(frame));
    }
    double gain = amplitude(sample.peakDb()) / peak;
    float[] scaled = new float[frames.length];
    for (int i = 0; i < frames.length; i++) {
      scaled[i] = (float) (frames[i] * gain);
    }
    return new PatchSample(sample.key(), patch.rateHz(), scaled);
  }

  private static double[] struck(Patch patch, int key) {
    int rate = patch.rateHz();
    double[] frames = new double[(int) (patch.seconds() * rate)];
    Phases phases = new Phases();
    for (Partial partial : patch.partials()) {
      double hz = hz(key) * partial.ratio();
      if (hz < rate / 2.0) {
        add(frames, hz / rate, amplitude(partial.db()), decay(partial.decaySeconds(), rate), 0);
      }
    }
    Noise noise = patch.noise();
    for (int i = 0; i < noise.partials(); i++) {
      double hz = noise.lowHz() + (noise.highHz() - noise.lowHz()) * phases.next();
      double level = noiseAmplitude(noise, hz);
      add(frames, hz / rate, level, decay(noise.decaySeconds(), rate), phases.next());
    }
    shape(frames, (int) (patch.attackSeconds() * rate), (int) (FADE_SECONDS * rate));
    return frames;
  }

  /** A loop holds a whole number of cycles of each sine wave, so that its ends meet. */
  private static double[] looped(Patch patch, int key) {
    int rate = patch.rateHz();
    double hz = hz(key);
    long cycles = Math.round(hz * patch.seconds());
    double[] frames = new double[(int) Math.round(cycles * rate / hz)];
    Phases phases = new Phases();
    for (Partial partial : patch.partials()) {
      double partialCycles = Math.rint(cycles * partial.ratio()) + partial.detune();
      if (partialCycles < frames.length / 2.0) {
        double turn = partialCycles / frames.length;
        add(frames, turn, amplitude(partial.db()), 1, phases.next());
      }
    }
    Noise noise = patch.noise();
    double cycleHz = (double) rate / frames.length;
    for (int i = 0; i < noise.partials(); i++) {
      double wanted = noise.lowHz() * Math.pow(noise.highHz() / noise.lowHz(), phases.next());
      double partialCycles = Math.rint(wanted / cycleHz);
      double level = noiseAmplitude(noise, wanted);
      add(frames, partialCycles / frames.length, level, 1, phases.next());
    }
    swell(frames, noise.swellDb());
    return frames;
  }

  private static double noiseAmplitude(Noise noise, double hz) {
    double octaves = Math.log(hz / noise.lowHz()) / Math.log(2);
    return amplitude(noise.db() + noise.slopeDb() * octaves) / Math.sqrt(noise.partials());
  }

  /** Adds a sine wave of {@code turn} cycles per sample, starting at {@code phase} cycles. */
  private static void add(
      double[] frames, double turn, double amplitude, double decay, double phase) {
    double stepRe = decay * Math.cos(2 * Math.PI * turn);
    double stepIm = decay * Math.sin(2 * Math.PI * turn);
    double re = amplitude * Math.cos(2 * Math.PI * phase);
    double im = amplitude * Math.sin(2 * Math.PI * phase);
    for (int i = 0; i < frames.length; i++) {
      frames[i] += im;
      double next = re * stepRe - im * stepIm;
      im = re * stepIm + im * stepRe;
      re = next;
    }
  }

  private static void shape(double[] frames, int attack, int fade) {
    for (int i = 0; i < attack; i++) {
      frames[i] *= (double) i / attack;
    }
    for (int i = 0; i < fade; i++) {
      frames[frames.length - 1 - i] *= (double) i / fade;
    }
  }

  private static void swell(double[] frames, double db) {
    double softest = amplitude(-db);
    for (int i = 0; i < frames.length; i++) {
      double rise = 0.5 - 0.5 * Math.cos(2 * Math.PI * i / frames.length);
      frames[i] *= softest + (1 - softest) * rise;
    }
  }

  private static double decay(double seconds, int rate) {
    return Math.exp(-LN_60_DB / (seconds * rate));
  }

  private static double amplitude(double db) {
    return Math.pow(10, db / 20);
  }

  private static double hz(int key) {
    return A4_HZ * Math.pow(2, (key - A4_KEY) / 12.0);
  }

  /** Fixed pseudo-random numbers in 0..1, of 31 bits: exact in JavaScript, too. */
  private static final class Phases {
    private long state = 1;

    double next() {
      state = state * 48_271 % 0x7fffffffL;
      return (double) state / 0x7fffffffL;
    }
  }
}
