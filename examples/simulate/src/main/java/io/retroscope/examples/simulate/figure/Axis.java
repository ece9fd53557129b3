// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * One axis of a panel, without its range, which follows from the lines.
 *
 * @param label the quantity, with its unit
 * @param isLogarithmic whether equal ratios are equally long; then only values above 0 are shown
 */
public record Axis(String label, boolean isLogarithmic) {
  /** The maximum number of decades on a logarithmic axis; the upper ones are shown. */
  private static final double MAX_DECADES = 5;

  private static final int WANTED_TICKS = 5;

  /** The share of a linear axis from zero that is left empty above the lines. */
  private static final double HEADROOM = 0.04;

  /** An axis on which equal differences are equally long. */
  public static Axis linear(String label) {
    return new Axis(label, false);
  }

  /** An axis on which equal ratios are equally long. */
  public static Axis logarithmic(String label) {
    return new Axis(label, true);
  }

  /** The range of the axis for all of these values that can be shown. */
  Range range(DoubleStream values, boolean fromZero) {
    double[] shown = values.filter(v -> Double.isFinite(v) && (v > 0 || !isLogarithmic)).toArray();
    if (shown.length == 0) {
      return new Range(this, isLogarithmic ? 0.1 : 0, 1);
    }
    double low = DoubleStream.of(shown).min().orElseThrow();
    double high = DoubleStream.of(shown).max().orElseThrow();
    if (isLogarithmic) {
      low = Math.max(low, high / Math.pow(10, MAX_DECADES));
      return low < high ? new Range(this, low, high) : new Range(this, low / 2, high * 2);
    }
    low = fromZero ? Math.min(0, low) : low;
    high = high > low ? high : low + 1;
    return new Range(this, low, fromZero ? high + HEADROOM * (high - low) : high);
  }

  /** A range of an axis. */
  record Range(Axis axis, double low, double high) {
    /**
     * The relative position of a value: 0 at the low end, 1 at the high end; not-a-number if it
     * cannot be shown.
     */
    double place(double value) {
      if (!axis.isLogarithmic) {
        return (value - low) / (high - low);
      }
      return value < low * (1 - 1e-9) ? Double.NaN : Math.log(value / low) / Math.log(high / low);
    }

    /** Round values within the range. */
    List<Double> ticks() {
      return axis.isLogarithmic ? logarithmicTicks() : linearTicks();
    }

    private List<Double> linearTicks() {
      double raw = (high - low) / WANTED_TICKS;
      double decade = Math.pow(10, Math.floor(Math.log10(raw)));
      double step = decade * (raw / decade <= 2 ? 2 : raw / decade <= 5 ? 5 : 10);
      List<Double> ticks = new ArrayList<>();
      long last = (long) Math.floor(high / step + 1e-9);
      for (long i = (long) Math.ceil(low / step - 1e-9); i <= last; i++) {
        ticks.add(i * step);
      }
      return ticks;
    }

    private List<Double> logarithmicTicks() {
      boolean narrow = high / low < 100;
      List<Double> ticks = new ArrayList<>();
      int last = (int) Math.floor(Math.log10(high) + 1e-9);
      for (int exponent = (int) Math.floor(Math.log10(low)); exponent <= last; exponent++) {
        for (int factor : narrow ? new int[] {1, 2, 5} : new int[] {1}) {
          double tick = factor * Math.pow(10, exponent);
          if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) {
            ticks.add(tick);
          }
        }
      }
      return ticks;
    }

    /** The label of a tick. */
    static String text(double tick) {
      if (tick == 0) {
        return "0";
      }
      String text = String.format(Locale.ROOT, "%.6f", tick);
      return text.replaceAll("0+$", "").replaceAll("\\.$", "");
    }
  }
}
