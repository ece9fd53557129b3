// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

/** A musical scale on C. */
public enum Scale {
  /** Five tones; any two sound well together. */
  PENTATONIC(0, 2, 4, 7, 9),
  /** Seven tones. */
  MAJOR(0, 2, 4, 5, 7, 9, 11),
  /** Seven tones, natural minor. */
  MINOR(0, 2, 3, 5, 7, 8, 10),
  /** All twelve. */
  CHROMATIC(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);

  private static final int OCTAVE = 12;

  /** A bit for each of the twelve tones. */
  private final int tones;

  Scale(int... tones) {
    int bits = 0;
    for (int tone : tones) {
      bits |= 1 << tone;
    }
    this.tones = bits;
  }

  /** The key of the scale nearest to {@code key}; of two equally near, the lower. */
  public int nearest(int key) {
    for (int distance = 0; distance < OCTAVE; distance++) {
      if (contains(key - distance)) {
        return key - distance;
      }
      if (contains(key + distance)) {
        return key + distance;
      }
    }
    throw new AssertionError("every octave of a scale has a tone");
  }

  /** The key this many degrees of the scale above {@code key}, counted from the nearest key. */
  public int above(int key, int degrees) {
    int at = nearest(key);
    for (int left = degrees; left > 0; left--) {
      at++;
      while (!contains(at)) {
        at++;
      }
    }
    return at;
  }

  private boolean contains(int key) {
    return (tones >> Math.floorMod(key, OCTAVE) & 1) == 1;
  }
}
