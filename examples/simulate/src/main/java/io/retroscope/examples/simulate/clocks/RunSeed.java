// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.SplittableRandom;

/** The random numbers of each run, independent of its thread and of other runs. */
final class RunSeed {
  private RunSeed() {}

  /** Random numbers that depend only on these values. */
  static SplittableRandom random(long seed, long... parts) {
    long mixed = mix(seed);
    for (long part : parts) {
      mixed = mix(mixed ^ part);
    }
    return new SplittableRandom(mixed);
  }

  /** Mixes all bits, because similar seeds must not yield shifted copies of one sequence. */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
