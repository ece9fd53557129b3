// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.rql.print.OutputFile;
import io.retroscope.sonify.audio.Spectrum;
import io.retroscope.sonify.bank.SoundBank;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import javax.imageio.ImageIO;

/**
 * A writer of a performance as a picture: time goes to the right, pitch upwards by octaves, and
 * what is louder is darker. Sound of the left is red, of the right blue, of both black. Ticks at
 * the bottom are seconds, those at the left 100 Hz, 1 kHz and 10 kHz.
 */
public final class SpectrumPicture {
  /** A longer sound has less detail. */
  static final int MAX_COLUMNS = 2_000;

  static final double LOWEST_HZ = 55;
  static final int ROWS_PER_OCTAVE = 24;
  static final int ROWS = 8 * ROWS_PER_OCTAVE;

  /** Frames between two spectra. */
  static final int STEP_FRAMES = 1_024;

  private static final int SIZE = 4 * STEP_FRAMES;
  private static final double HZ_PER_BIN = (double) SoundEngine.RATE_HZ / SIZE;

  /** The range from white to black, in dB of full scale, and its shades. */
  private static final double WHITE_DB = -84;

  private static final double BLACK_DB = -36;
  private static final int SHADES = 12;

  private static final int GREY = 0x999999;
  private static final int TICK = 5;
  private static final double[] TICKS_HZ = {100, 1_000, 10_000};

  private final Spectrum spectrum = new Spectrum(SIZE);
  private final float[] window = new float[2 * SIZE];
  private final double[] magnitudes = new double[SIZE / 2];
  private final double[][][] shown;

  private SpectrumPicture(int columns) {
    shown = new double[columns][2][ROWS];
  }

  /**
   * Replaces {@code file} with the picture, as PNG.
   *
   * @throws IOException if it cannot be written, or if this Java does not give access to its
   *     synthesizer; no partial file stays
   */
  public static void write(Performance performance, SoundBank bank, Path file) throws IOException {
    BufferedImage image = of(performance, bank);
    OutputFile.replace(file, out -> ImageIO.write(image, "png", out));
  }

  static BufferedImage of(Performance performance, SoundBank bank) throws IOException {
    try (Rendering rendering = new Rendering(performance, bank)) {
      int steps = (int) (rendering.frameCount() / STEP_FRAMES) + 1;
      SpectrumPicture picture = new SpectrumPicture(Math.min(steps, MAX_COLUMNS));
      float[] chunk = new float[2 * STEP_FRAMES];
      for (int step = 0; step < steps; step++) {
        picture.add(
            chunk, rendering.read(chunk), (int) ((long) step * picture.shown.length / steps));
      }
      return picture.image(rendering.frameCount());
    }
  }

  private void add(float[] chunk, int frames, int column) {
    System.arraycopy(window, 2 * STEP_FRAMES, window, 0, window.length - 2 * STEP_FRAMES);
    Arrays.fill(window, window.length - 2 * STEP_FRAMES, window.length, 0);
    System.arraycopy(chunk, 0, window, window.length - 2 * STEP_FRAMES, 2 * frames);
    for (int channel = 0; channel < 2; channel++) {
      spectrum.of(window, channel, magnitudes);
      double[] rows = shown[column][channel];
      for (int row = 0; row < ROWS; row++) {
        rows[row] = Math.max(rows[row], largest(row));
      }
    }
  }

  /** The largest magnitude within the pitches of a row. */
  private double largest(int row) {
    int from = (int) Math.round(hertz(row - 0.5) / HZ_PER_BIN);
    int to = (int) Math.round(hertz(row + 0.5) / HZ_PER_BIN);
    double largest = 0;
    for (int bin = from; bin <= Math.max(from, to - 1); bin++) {
      largest = Math.max(largest, magnitudes[bin]);
    }
    return largest;
  }

  private static double hertz(double row) {
    return LOWEST_HZ * Math.pow(2, row / ROWS_PER_OCTAVE);
  }

  /** The row of a pitch, counted from the lowest. */
  static int row(double hertz) {
    return (int) Math.round(ROWS_PER_OCTAVE * Math.log(hertz / LOWEST_HZ) / Math.log(2));
  }

  private BufferedImage image(long frameCount) {
    BufferedImage image = new BufferedImage(shown.length, ROWS + TICK, BufferedImage.TYPE_INT_RGB);
    for (int x = 0; x < shown.length; x++) {
      for (int row = 0; row < ROWS; row++) {
        image.setRGB(x, ROWS - 1 - row, colour(shown[x][0][row], shown[x][1][row]));
      }
      for (int y = ROWS; y < ROWS + TICK; y++) {
        image.setRGB(x, y, 0xffffff);
      }
    }
    for (double hertz : TICKS_HZ) {
      for (int x = 0; x < Math.min(TICK, shown.length); x++) {
        image.setRGB(x, ROWS - 1 - row(hertz), GREY);
      }
    }
    long seconds = frameCount / SoundEngine.RATE_HZ;
    for (long second = 0; second <= seconds && seconds < shown.length; second++) {
      int x = (int) (second * SoundEngine.RATE_HZ * shown.length / Math.max(1, frameCount));
      for (int y = ROWS; y < ROWS + TICK && x < shown.length; y++) {
        image.setRGB(x, y, GREY);
      }
    }
    return image;
  }

  private static int colour(double left, double right) {
    double l = shade(left);
    double r = shade(right);
    return level(1 - r) << 16 | level(1 - Math.max(l, r)) << 8 | level(1 - l);
  }

  private static double shade(double magnitude) {
    double db = 20 * Math.log10(Math.max(magnitude, 1e-9));
    double dark = Math.max(0, Math.min(1, (db - WHITE_DB) / (BLACK_DB - WHITE_DB)));
    return Math.rint(dark * SHADES) / SHADES;
  }

  private static int level(double light) {
    return (int) Math.round(255 * light);
  }
}
