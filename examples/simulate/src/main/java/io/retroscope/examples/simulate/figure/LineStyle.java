// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.figure;

import java.util.List;

/**
 * The style of a line.
 *
 * @param color in SVG's syntax, such as {@code #3b528b}
 */
public record LineStyle(String color, Dash dash) {
  /** Distinguishable colours, also for colour-blind readers. */
  private static final List<String> COLORS =
      List.of("#440154", "#31688e", "#35b779", "#e08214", "#b2182b", "#8073ac", "#636363");

  /** One of a few distinguishable colours, which are repeated cyclically. */
  public static String color(int number) {
    return COLORS.get(Math.floorMod(number, COLORS.size()));
  }

  /** The dash pattern of a line. */
  public enum Dash {
    /** Without gaps. */
    SOLID(""),
    /** Long dashes. */
    DASHED("7 4"),
    /** Dots. */
    DOTTED("1.5 3.5");

    private final String pattern;

    Dash(String pattern) {
      this.pattern = pattern;
    }

    /** The lengths of dashes and gaps in SVG's syntax; empty for a solid line. */
    String pattern() {
      return pattern;
    }
  }
}
