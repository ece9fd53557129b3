package io.retroscope.cli.figure;

import java.util.List;

/**
 * How a line looks.
 *
 * @param color as SVG writes it, such as {@code #3b528b}
 */
public record LineStyle(String color, Dash dash) {
  /** Colours that can be told apart, also without seeing all of them. */
  private static final List<String> COLORS =
      List.of("#440154", "#31688e", "#35b779", "#e08214", "#b2182b", "#8073ac", "#636363");

  /** One of a few colours that can be told apart; they come round again. */
  public static String color(int number) {
    return COLORS.get(Math.floorMod(number, COLORS.size()));
  }

  /** How a line is drawn through. */
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

    /** The lengths of dashes and gaps as SVG writes them; empty for none. */
    String pattern() {
      return pattern;
    }
  }
}
