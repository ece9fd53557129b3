// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.audio;

/**
 * A meter of momentary loudness after ITU-R BS.1770: K-weighted power of windows of 400 ms, summed
 * over two channels. Not thread-safe.
 */
public final class Loudness {
  /** Loudness of digital silence. */
  public static final double SILENCE_LUFS = -120;

  private static final double WINDOW_SECONDS = 0.4;
  private static final double HOP_SECONDS = 0.01;
  private static final double OFFSET_LUFS = -0.691;

  private final int hopFrames;
  private final double[] hops;
  private final Weighting left;
  private final Weighting right;
  private double hopPower;
  private int hopAt;
  private int hopCount;
  private double windowMax;

  /** A meter for interleaved stereo of this rate. */
  public Loudness(double rateHz) {
    hopFrames = (int) Math.round(rateHz * HOP_SECONDS);
    hops = new double[(int) Math.round(WINDOW_SECONDS / HOP_SECONDS)];
    left = new Weighting(rateHz);
    right = new Weighting(rateHz);
  }

  /** Momentary maximum of interleaved stereo, in LUFS. */
  public static double momentaryMax(float[] stereo, double rateHz) {
    Loudness meter = new Loudness(rateHz);
    meter.add(stereo, stereo.length / 2);
    return meter.momentaryMax();
  }

  /** Measures the next frames. */
  public void add(float[] stereo, int frames) {
    for (int i = 0; i < frames; i++) {
      double l = left.next(stereo[2 * i]);
      double r = right.next(stereo[2 * i + 1]);
      hopPower += l * l + r * r;
      if (++hopAt == hopFrames) {
        endHop();
      }
    }
  }

  private void endHop() {
    hops[hopCount++ % hops.length] = hopPower / hopFrames;
    hopPower = 0;
    hopAt = 0;
    double sum = 0;
    for (double hop : hops) {
      sum += hop;
    }
    windowMax = Math.max(windowMax, sum / hops.length);
  }

  /** The loudest window so far, in LUFS. */
  public double momentaryMax() {
    return windowMax <= 0
        ? SILENCE_LUFS
        : Math.max(SILENCE_LUFS, OFFSET_LUFS + 10 * Math.log10(windowMax));
  }

  /** The two filters of K-weighting: a high shelf, and a high pass. */
  private static final class Weighting {
    private final Biquad shelf;
    private final Biquad highPass;

    Weighting(double rateHz) {
      shelf = shelf(rateHz);
      highPass = highPass(rateHz);
    }

    double next(double sample) {
      return highPass.next(shelf.next(sample));
    }

    private static Biquad shelf(double rateHz) {
      double k = Math.tan(Math.PI * 1681.974450955533 / rateHz);
      double q = 0.7071752369554196;
      double high = Math.pow(10, 3.999843853973347 / 20);
      double band = Math.pow(high, 0.4996667741545416);
      double a0 = 1 + k / q + k * k;
      return new Biquad(
          (high + band * k / q + k * k) / a0,
          2 * (k * k - high) / a0,
          (high - band * k / q + k * k) / a0,
          2 * (k * k - 1) / a0,
          (1 - k / q + k * k) / a0);
    }

    private static Biquad highPass(double rateHz) {
      double k = Math.tan(Math.PI * 38.13547087602444 / rateHz);
      double q = 0.5003270373238773;
      double a0 = 1 + k / q + k * k;
      return new Biquad(1, -2, 1, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0);
    }
  }

  /** A filter of second order, in transposed direct form II. */
  private static final class Biquad {
    private final double b0;
    private final double b1;
    private final double b2;
    private final double a1;
    private final double a2;
    private double z1;
    private double z2;

    Biquad(double b0, double b1, double b2, double a1, double a2) {
      this.b0 = b0;
      this.b1 = b1;
      this.b2 = b2;
      this.a1 = a1;
      this.a2 = a2;
    }

    double next(double x) {
      double y = b0 * x + z1;
      z1 = b1 * x - a1 * y + z2;
      z2 = b2 * x - a2 * y;
      return y;
    }
  }
}
