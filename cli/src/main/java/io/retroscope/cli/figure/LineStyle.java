package io.retroscope.cli.figure;

/**
 * How a line looks.
 *
 * @param color as SVG writes it, such as {@code #3b528b}
 */
public record LineStyle(String color, Dash dash) {
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
