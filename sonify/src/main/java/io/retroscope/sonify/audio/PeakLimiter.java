// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.audio;

import java.util.Arrays;

/**
 * A stereo peak limiter with look-ahead. No true peak of its output exceeds the ceiling; sound that
 * stays below it passes unchanged. Output is input, {@link #delayFrames} later. Not thread-safe.
 */
public final class PeakLimiter {
  /*
   * Each frame needs a gain that brings its true peak to the ceiling. The smallest gain of the last
   * `hold` frames is averaged over the look-ahead: while a peak leaves the delay line, all averaged
   * values are small enough for it, and the gain got there without a step. It returns to 1
   * exponentially. Both channels have the same gain, so that nothing moves in stereo.
   *
   * Far from the ceiling nothing of this runs: see TruePeak.GAIN_BOUND.
   */

  /** No true peak is higher. */
  public static final double CEILING_DBTP = -1.5;

  private static final double LOOK_AHEAD_SECONDS = 0.005;
  private static final double RELEASE_SECONDS = 0.08;

  /** The error of interpolating by four stays below this. */
  private static final double MARGIN_DB = 0.15;

  private static final double CEILING = Math.pow(10, (CEILING_DBTP - MARGIN_DB) / 20);
  private static final int TAPS = TruePeak.BEFORE + 1 + TruePeak.AFTER;

  private final int lookAhead;
  private final double release;
  private final float[] delay;
  private int delayAt;

  /** The last samples of each channel twice, so that they always lie in one piece. */
  private final float[][] recent = new float[2][2 * TAPS];

  private int recentAt;
  private final SlidingMinimum smallest;
  private final double[] averaged;
  private double averagedSum;
  private double gain = 1;
  private double lowestGain = 1;
  private long frame;
  private long busyUntil = -1;

  /** A limiter for this sample rate. */
  public PeakLimiter(double rateHz) {
    lookAhead = (int) Math.round(rateHz * LOOK_AHEAD_SECONDS);
    release = 1 - Math.exp(-1 / (rateHz * RELEASE_SECONDS));
    int hold = lookAhead + TAPS;
    smallest = new SlidingMinimum(hold);
    delay = new float[2 * (hold - 1)];
    averaged = new double[lookAhead];
    averagedSum = lookAhead;
    Arrays.fill(averaged, 1);
  }

  /** Frames by which output is later than input: the look-ahead and half an interpolation. */
  public int delayFrames() {
    return delay.length / 2;
  }

  /** The lowest gain used so far; 1 if no peak reached the ceiling. */
  public double lowestGain() {
    return lowestGain;
  }

  /** Limits interleaved stereo in place. */
  public void process(float[] stereo, int frames) {
    for (int i = 0; i < frames; i++) {
      float left = stereo[2 * i];
      float right = stereo[2 * i + 1];
      advance(left, right);
      stereo[2 * i] = (float) (delay[delayAt] * gain);
      stereo[2 * i + 1] = (float) (delay[delayAt + 1] * gain);
      delay[delayAt] = left;
      delay[delayAt + 1] = right;
      delayAt = delayAt + 2 == delay.length ? 0 : delayAt + 2;
    }
  }

  private void advance(float left, float right) {
    frame++;
    recentAt = recentAt + 1 == TAPS ? 0 : recentAt + 1;
    recent[0][recentAt] = left;
    recent[0][recentAt + TAPS] = left;
    recent[1][recentAt] = right;
    recent[1][recentAt + TAPS] = right;
    if (Math.max(Math.abs(left), Math.abs(right)) * TruePeak.GAIN_BOUND > CEILING) {
      busyUntil = frame + TAPS + smallest.length() + lookAhead;
    }
    if (frame <= busyUntil) {
      follow(average(smallest.add(neededGain())));
    } else if (gain < 1) {
      averagedSum = lookAhead;
      follow(1);
    }
  }

  private double neededGain() {
    int at = recentAt + 1 + TruePeak.BEFORE;
    double peak = Math.max(TruePeak.at(recent[0], at), TruePeak.at(recent[1], at));
    return peak > CEILING ? CEILING / peak : 1;
  }

  private double average(double value) {
    int at = (int) (frame % lookAhead);
    averagedSum += value - averaged[at];
    averaged[at] = value;
    return Math.min(1, averagedSum / lookAhead);
  }

  private void follow(double target) {
    gain = target < gain ? target : gain + (target - gain) * release;
    if (gain > 0.999_999) {
      gain = 1;
    }
    lowestGain = Math.min(lowestGain, gain);
  }

  /** The smallest of the last values that were added; of none, 1. */
  private static final class SlidingMinimum {
    private final int length;
    private final double[] values;
    private final long[] positions;
    private int head;
    private int size;
    private long position;

    SlidingMinimum(int length) {
      this.length = length;
      values = new double[length + 1];
      positions = new long[length + 1];
    }

    int length() {
      return length;
    }

    /** Adds a value and drops all that are larger: they cannot become the smallest again. */
    double add(double value) {
      position++;
      while (size > 0 && values[last()] >= value) {
        size--;
      }
      size++;
      values[last()] = value;
      positions[last()] = position;
      if (positions[head] <= position - length) {
        head = (head + 1) % values.length;
        size--;
      }
      return values[head];
    }

    private int last() {
      return (head + size - 1) % values.length;
    }
  }
}
