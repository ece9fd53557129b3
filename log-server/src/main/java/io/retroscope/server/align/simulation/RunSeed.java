package io.retroscope.server.align.simulation;

import java.util.SplittableRandom;

/** Gives each run its own random numbers, whichever thread runs it and whatever runs beside it. */
final class RunSeed {
  private RunSeed() {}

  /** Random numbers that depend on all of these and nothing else. */
  static SplittableRandom random(long seed, long... parts) {
    long mixed = mix(seed);
    for (long part : parts) {
      mixed = mix(mixed ^ part);
    }
    return new SplittableRandom(mixed);
  }

  /** Near seeds must not give shifted copies of one sequence, so every bit counts everywhere. */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
