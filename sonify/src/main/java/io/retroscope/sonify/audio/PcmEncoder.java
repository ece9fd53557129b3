// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.audio;

import java.util.SplittableRandom;

/**
 * An encoder of samples as little-endian integers of 16 or 24 bits, with triangular dither of two
 * steps, which turns rounding errors into faint noise instead of distortion. Not thread-safe.
 */
public final class PcmEncoder {
  private final int bytesPerSample;
  private final double scale;
  private final SplittableRandom dither;

  /**
   * An encoder.
   *
   * @param bits 16 or 24
   * @param seed of the dither: equal seeds make equal bytes
   */
  public PcmEncoder(int bits, long seed) {
    if (bits != 16 && bits != 24) {
      throw new IllegalArgumentException("samples have 16 or 24 bits, not " + bits);
    }
    bytesPerSample = bits / 8;
    scale = (1L << (bits - 1)) - 1;
    dither = new SplittableRandom(seed);
  }

  /** Bytes of one sample of one channel. */
  public int bytesPerSample() {
    return bytesPerSample;
  }

  /**
   * Encodes samples.
   *
   * @param samples within -1 to 1; others are clipped
   * @param bytes takes {@code count * bytesPerSample()} bytes
   */
  public void encode(float[] samples, int count, byte[] bytes) {
    int at = 0;
    for (int i = 0; i < count; i++) {
      double up = dither.nextDouble();
      double down = dither.nextDouble();
      double scaled = Math.rint(samples[i] * scale + up - down);
      int value = (int) Math.max(-scale - 1, Math.min(scale, scaled));
      for (int b = 0; b < bytesPerSample; b++) {
        bytes[at++] = (byte) (value >> (8 * b));
      }
    }
  }
}
