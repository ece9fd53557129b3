// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A decoder of levels and places from sound, as a listener hears them: it knows the sound of the
 * patches, and nothing about the notes that were played.
 */
final class BlindDecoder {
  /*
   * Each window of 93 ms, every 10 ms, is explained as a sum of spectra of known notes with factors
   * of 0 or more (non-negative least squares, by coordinate descent). A factor that rises is an
   * onset. Strikes of one register are then counted from its root on: a stretch begins with the
   * root, and a strike of the root is louder than its repeats.
   */

  static final int[] REGISTERS = {-12, 0, 12};

  /** Keys of the middle register: the recovery, and the strikes of the steps. */
  private static final int[] STEP_KEYS = {55, 60, 64, 69, 74};

  private static final double[] VELOCITIES = {58, 80, 90, 100, 110};
  private static final double REFERENCE_VELOCITY = 96;
  private static final int SIZE = 4_096;
  private static final int HOP = 441;
  private static final int LOWEST_BIN = 5;
  private static final int BINS = 420;
  private static final int SWEEPS = 25;

  /** A strike has at least this part of its amplitude in mono; a repeat has half of it. */
  private static final double LEAST_PART = 0.62;

  /**
   * Later strikes may be hidden by an alarm, and have no repeats that could be confused with them.
   */
  private static final double LEAST_LATER_PART = 0.22;

  private final List<Template> templates = new ArrayList<>();
  private final double[][] gram;

  /** The spectrum of a moment of a note; {@code weight} makes moments of one note comparable. */
  private static final class Template {
    final int register;
    final int step;
    final double[] spectrum;
    final double weight;

    Template(int register, int step, double[] spectrum, double weight) {
      this.register = register;
      this.step = step;
      this.spectrum = spectrum;
      this.weight = weight;
    }
  }

  /**
   * A stretch as heard.
   *
   * @param seconds of its first strike
   * @param register index of its register in REGISTERS
   * @param strikes how many different strikes it has
   * @param topStep the highest one
   * @param side -1 left, 0 middle, 1 right
   */
  record Heard(double seconds, int register, int strikes, int topStep, int side) {}

  /** The beginning of a note; {@code part} is its loudness as a part of the expected one. */
  private record Onset(int frame, int register, int step, double part) {

    /** A quiet one must be the next step, because stairs leave none out; or it is another sound. */
    boolean follows(int top) {
      return step == top + 1 || (step > top && part >= LEAST_PART);
    }
  }

  BlindDecoder() throws IOException {
    for (int register = 0; register < REGISTERS.length; register++) {
      for (int step = 0; step < STEP_KEYS.length; step++) {
        int key = STEP_KEYS[step] + REGISTERS[register];
        learn(register, step, Layer.MARK, "wood", key, 0, 0.08, 0.02, 0.07, 0.15);
      }
    }
    learn(-1, 0, Layer.MARK, "pluck", 43, 0, 0.3, 0.02, 0.15, 0.4);
    for (int key : new int[] {67, 71, 74}) {
      learn(-1, 0, Layer.ALARM, "alarm", key, 0, 0.18, 0.02, 0.08, 0.16);
    }
    for (int key : new int[] {48, 55}) {
      for (double level : new double[] {0, 0.5, 1}) {
        learn(-1, 0, Layer.BACKGROUND, "pad", key, level, 3, 1.2, 1.7);
      }
    }
    gram = new double[templates.size()][templates.size()];
    for (int i = 0; i < gram.length; i++) {
      for (int j = 0; j < gram.length; j++) {
        gram[i][j] = product(templates.get(i).spectrum, templates.get(j).spectrum);
      }
    }
  }

  private void learn(
      int register,
      int step,
      Layer layer,
      String patch,
      int key,
      double level,
      double length,
      double... moments)
      throws IOException {
    NoteKind kind = layer == Layer.BACKGROUND ? NoteKind.BACKGROUND : NoteKind.MARK;
    NoteEvent note =
        new NoteEvent(
            0,
            100_000,
            "learned",
            layer,
            kind,
            "",
            level,
            patch,
            key,
            (int) REFERENCE_VELOCITY,
            Acoustics.micros(length),
            0);
    double[] sound = Acoustics.mono(Acoustics.render(List.of(note), 0.4 + length));
    double first = 0;
    for (double moment : moments) {
      double[] spectrum =
          cut(Acoustics.spectrum(sound, (int) ((0.1 + moment - 0.046) * 44_100), SIZE));
      double norm = Math.sqrt(product(spectrum, spectrum));
      first = Math.max(first, norm);
      for (int k = 0; k < spectrum.length; k++) {
        spectrum[k] /= norm;
      }
      templates.add(new Template(register, step, spectrum, 1 / first));
    }
  }

  private static double[] cut(double[] spectrum) {
    return java.util.Arrays.copyOfRange(spectrum, LOWEST_BIN, LOWEST_BIN + BINS);
  }

  private static double product(double[] left, double[] right) {
    double sum = 0;
    for (int k = 0; k < left.length; k++) {
      sum += left[k] * right[k];
    }
    return sum;
  }

  /** Factors of all templates that explain a spectrum; {@code factors} is where it begins. */
  private void explain(double[] spectrum, double[] factors) {
    double[] wanted = new double[factors.length];
    for (int i = 0; i < factors.length; i++) {
      wanted[i] = product(templates.get(i).spectrum, spectrum);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      for (int i = 0; i < factors.length; i++) {
        double rest = wanted[i] - product(gram[i], factors) + gram[i][i] * factors[i];
        factors[i] = Math.max(0, rest / gram[i][i]);
      }
    }
  }

  /** How loud each note of wood is: 1 is its reference velocity. */
  private double[] loudness(double[] factors) {
    double[] loudness = new double[REGISTERS.length * STEP_KEYS.length];
    for (int i = 0; i < factors.length; i++) {
      Template template = templates.get(i);
      if (template.register >= 0) {
        int note = template.register * STEP_KEYS.length + template.step;
        loudness[note] += factors[i] * template.weight;
      }
    }
    return loudness;
  }

  List<Heard> decode(float[] stereo) {
    double[] mono = Acoustics.mono(stereo);
    int count = (mono.length - SIZE) / HOP;
    double[][] loudness = new double[count][];
    double[] factors = new double[templates.size()];
    for (int t = 0; t < count; t++) {
      explain(cut(Acoustics.spectrum(mono, t * HOP, SIZE)), factors);
      loudness[t] = loudness(factors);
    }
    List<Onset> onsets = onsets(loudness);
    List<Heard> heard = new ArrayList<>();
    for (int register = 0; register < REGISTERS.length; register++) {
      count(register, onsets, stereo, heard);
    }
    heard.sort(Comparator.comparingDouble(Heard::seconds));
    return heard;
  }

  private static List<Onset> onsets(double[][] loudness) {
    List<Onset> onsets = new ArrayList<>();
    for (int note = 0; note < REGISTERS.length * STEP_KEYS.length; note++) {
      int step = note % STEP_KEYS.length;
      double expected = Math.pow(VELOCITIES[step] / REFERENCE_VELOCITY, 2);
      int last = Integer.MIN_VALUE / 2;
      for (int t = 0; t < loudness.length; t++) {
        double now = loudness[t][note];
        double least = step == 1 ? LEAST_PART : LEAST_LATER_PART;
        if (now >= least * expected && isPeak(loudness, note, t) && t - last > 20) {
          onsets.add(new Onset(t, note / STEP_KEYS.length, step, now / expected));
          last = t;
        }
      }
    }
    onsets.sort(Comparator.comparingInt(Onset::frame));
    return onsets;
  }

  /** Whether it is the largest in its neighbourhood, and twice the previous value. */
  private static boolean isPeak(double[][] loudness, int note, int t) {
    double now = loudness[t][note];
    for (int near = Math.max(0, t - 6); near <= Math.min(loudness.length - 1, t + 6); near++) {
      if (loudness[near][note] > now) {
        return false;
      }
    }
    return t < 12 || loudness[t - 12][note] < now / 2;
  }

  private void count(int register, List<Onset> onsets, float[] stereo, List<Heard> heard) {
    List<Onset> strikes = new ArrayList<>();
    for (Onset onset : onsets) {
      int top = strikes.isEmpty() ? 0 : strikes.get(strikes.size() - 1).step;
      if (onset.register != register) {
        continue;
      }
      if (onset.step == 1) {
        addHeard(register, strikes, stereo, heard);
        strikes.clear();
        strikes.add(onset);
      } else if (!strikes.isEmpty() && onset.follows(top)) {
        strikes.add(onset);
      }
    }
    addHeard(register, strikes, stereo, heard);
  }

  private void addHeard(int register, List<Onset> strikes, float[] stereo, List<Heard> heard) {
    if (strikes.isEmpty()) {
      return;
    }
    double seconds = (strikes.get(0).frame * (double) HOP + SIZE / 2.0) / Acoustics.RATE;
    int top = strikes.get(strikes.size() - 1).step;
    heard.add(new Heard(seconds, register, strikes.size(), top, side(strikes, stereo)));
  }

  /** From the difference of the channels alone, whatever the register. */
  private int side(List<Onset> strikes, float[] stereo) {
    double[] sides = new double[2];
    for (Onset strike : strikes) {
      for (int channel = 0; channel < 2; channel++) {
        double[] samples = new double[SIZE];
        for (int i = 0; i < SIZE; i++) {
          samples[i] = stereo[2 * (strike.frame * HOP + i) + channel];
        }
        double[] factors = new double[templates.size()];
        explain(cut(Acoustics.spectrum(samples, 0, SIZE)), factors);
        int note = strike.register * STEP_KEYS.length + strike.step;
        sides[channel] += loudness(factors)[note];
      }
    }
    double balance = (sides[1] - sides[0]) / (sides[0] + sides[1]);
    return balance < -0.3 ? -1 : balance > 0.3 ? 1 : 0;
  }
}
