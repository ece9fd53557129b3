// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Renders notes and takes their sound apart. */
final class Acoustics {
  static final int RATE = SoundEngine.RATE_HZ;
  static final PatchBank PATCHES = PatchBank.standard();
  static final SoundBank BANK = SoundBank.own();

  private static final Map<Integer, Circle> CIRCLES = new ConcurrentHashMap<>();

  private Acoustics() {}

  /** Points of the unit circle, whose computation would take longer than a transform. */
  private static final class Circle {
    final double[] cos;
    final double[] sin;

    Circle(int size) {
      cos = new double[size];
      sin = new double[size];
      Arrays.setAll(cos, i -> Math.cos(2 * Math.PI * i / size));
      Arrays.setAll(sin, i -> Math.sin(2 * Math.PI * i / size));
    }
  }

  /** A mark of the middle, with everything else at its default. */
  static NoteEvent mark(double seconds, String patch, int key, int velocity, double length) {
    return note(seconds, Layer.MARK, NoteKind.MARK, patch, key, velocity, length);
  }

  static NoteEvent note(
      double seconds,
      Layer layer,
      NoteKind kind,
      String patch,
      int key,
      int velocity,
      double length) {
    return new NoteEvent(
        0, micros(seconds), "rule", layer, kind, "", 0, patch, key, velocity, micros(length), 0);
  }

  static long micros(double seconds) {
    return Math.round(seconds * 1e6);
  }

  static float[] render(List<NoteEvent> notes, double seconds) throws IOException {
    Performance performance = new Performance(notes, micros(seconds));
    try (Rendering rendering = new Rendering(performance, BANK)) {
      float[] stereo = new float[2 * (int) rendering.frameCount()];
      rendering.read(stereo);
      return stereo;
    }
  }

  static float[] window(float[] stereo, double from, double to) {
    return Arrays.copyOfRange(stereo, 2 * (int) (from * RATE), 2 * (int) (to * RATE));
  }

  static double[] mono(float[] stereo) {
    double[] mono = new double[stereo.length / 2];
    for (int i = 0; i < mono.length; i++) {
      mono[i] = (stereo[2 * i] + (double) stereo[2 * i + 1]) / 2;
    }
    return mono;
  }

  /** Magnitudes of {@code size / 2} bins, of Hann windows every {@code hop} samples. */
  static double[][] spectrogram(double[] mono, int size, int hop) {
    int count = Math.max(0, (mono.length - size) / hop + 1);
    double[][] frames = new double[count][];
    for (int t = 0; t < count; t++) {
      frames[t] = spectrum(mono, t * hop, size);
    }
    return frames;
  }

  static double[] spectrum(double[] mono, int from, int size) {
    double[] re = new double[size];
    double[] im = new double[size];
    Circle circle = CIRCLES.computeIfAbsent(size, Circle::new);
    for (int i = 0; i < size; i++) {
      re[i] = mono[from + i] * (0.5 - 0.5 * circle.cos[i]);
    }
    transform(re, im, circle);
    double[] magnitudes = new double[size / 2];
    for (int k = 0; k < magnitudes.length; k++) {
      magnitudes[k] = Math.hypot(re[k], im[k]);
    }
    return magnitudes;
  }

  /** The energy-weighted mean frequency in Hz. */
  static double centroid(float[] stereo) {
    double weighted = 0;
    double sum = 0;
    int size = 4_096;
    for (double[] frame : spectrogram(mono(stereo), size, size / 2)) {
      for (int k = 1; k < frame.length; k++) {
        weighted += frame[k] * frame[k] * k * RATE / size;
        sum += frame[k] * frame[k];
      }
    }
    return weighted / sum;
  }

  /** Cosine of the angle between two signals: 1 if they are proportional. */
  static double correlation(double[][] left, double[][] right) {
    double product = 0;
    double ofLeft = 0;
    double ofRight = 0;
    for (int t = 0; t < left.length; t++) {
      for (int k = 0; k < left[t].length; k++) {
        product += left[t][k] * right[t][k];
        ofLeft += left[t][k] * left[t][k];
        ofRight += right[t][k] * right[t][k];
      }
    }
    return product / Math.sqrt(ofLeft * ofRight);
  }

  /** Fourier transform in place; the length is a power of two. */
  private static void transform(double[] re, double[] im, Circle circle) {
    int n = re.length;
    for (int i = 1, j = 0; i < n; i++) {
      int bit = n >> 1;
      for (; (j & bit) != 0; bit >>= 1) {
        j ^= bit;
      }
      j ^= bit;
      if (i < j) {
        swap(re, i, j);
        swap(im, i, j);
      }
    }
    for (int length = 2; length <= n; length <<= 1) {
      for (int k = 0; k < length / 2; k++) {
        int turn = k * (n / length);
        butterflies(re, im, length, k, circle.cos[turn], -circle.sin[turn]);
      }
    }
  }

  private static void butterflies(
      double[] re, double[] im, int length, int k, double cos, double sin) {
    for (int i = k; i < re.length; i += length) {
      int j = i + length / 2;
      double turnedRe = re[j] * cos - im[j] * sin;
      double turnedIm = re[j] * sin + im[j] * cos;
      re[j] = re[i] - turnedRe;
      im[j] = im[i] - turnedIm;
      re[i] += turnedRe;
      im[i] += turnedIm;
    }
  }

  private static void swap(double[] values, int i, int j) {
    double kept = values[i];
    values[i] = values[j];
    values[j] = kept;
  }
}
