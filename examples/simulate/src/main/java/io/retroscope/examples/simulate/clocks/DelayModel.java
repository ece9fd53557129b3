// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The distribution of message delays, in milliseconds. Immutable.
 *
 * @param name its name in tables
 * @param minimumMillis the minimum delay
 * @param shape the distribution of the additional delay
 * @param scaleMillis the maximum additional delay if it is uniform, its mean if it is exponential
 */
public record DelayModel(String name, double minimumMillis, Shape shape, double scaleMillis) {
  /** Within one data centre. */
  public static final DelayModel LAN = exponential("lan0.05+Exp0.2", 0.05, 0.2);

  /** The distributions of the delay above the minimum. */
  public enum Shape {
    /** Uniform up to the scale. */
    UNIFORM,
    /** Exponential, with the scale as its mean. */
    EXPONENTIAL
  }

  private static final double MAX_MILLIS = 60_000;
  private static final String NUMBER = "(\\d{1,6}(?:\\.\\d{1,6})?)";
  private static final Pattern UNIFORM =
      Pattern.compile("(?:U" + NUMBER + "_|uniform:" + NUMBER + "\\.\\.)" + NUMBER);
  private static final Pattern EXPONENTIAL =
      Pattern.compile("(?:exponential:" + NUMBER + "\\+|" + NUMBER + "\\+Exp)" + NUMBER);

  /** Checks the ranges. */
  public DelayModel {
    if (!(minimumMillis >= 0 && scaleMillis >= 0 && minimumMillis + scaleMillis <= MAX_MILLIS)) {
      throw new IllegalArgumentException("delays must lie in 0 to 60000 ms: " + name);
    }
  }

  /**
   * Parses {@code uniform:3..10}, {@code exponential:3+4}, {@code lan}, or a name as in tables.
   *
   * @throws IllegalArgumentException if it is none of these; the message lists the valid forms
   */
  public static DelayModel parse(String text) {
    if (text.equals("lan") || text.equals(LAN.name)) {
      return LAN;
    }
    Matcher uniform = UNIFORM.matcher(text);
    if (uniform.matches()) {
      double leastMillis = Double.parseDouble(either(uniform));
      double mostMillis = Double.parseDouble(uniform.group(3));
      if (mostMillis < leastMillis) {
        throw new IllegalArgumentException("the least delay is above the most: " + text);
      }
      String name = "U" + either(uniform) + "_" + uniform.group(3);
      return new DelayModel(name, leastMillis, Shape.UNIFORM, mostMillis - leastMillis);
    }
    Matcher exponential = EXPONENTIAL.matcher(text);
    if (exponential.matches()) {
      String name = either(exponential) + "+Exp" + exponential.group(3);
      return exponential(
          name, Double.parseDouble(either(exponential)), Double.parseDouble(exponential.group(3)));
    }
    throw new IllegalArgumentException(
        "no delay model: "
            + text
            + " (like uniform:3..10, exponential:3+4 or lan, in milliseconds)");
  }

  private static DelayModel exponential(String name, double minimumMillis, double meanMillis) {
    return new DelayModel(name, minimumMillis, Shape.EXPONENTIAL, meanMillis);
  }

  private static String either(Matcher matcher) {
    return matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
  }

  /** One delay, in microseconds. */
  double sampleMicros(SplittableRandom random) {
    double above =
        switch (shape) {
          case UNIFORM -> random.nextDouble();
          case EXPONENTIAL -> -Math.log1p(-random.nextDouble());
        };
    return 1_000 * (minimumMillis + scaleMillis * above);
  }
}
