// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.picture;

import java.util.Locale;

/**
 * An SVG document that grows element by element. Numbers have one decimal in every locale, so that
 * the same calls make the same bytes.
 */
final class Svg {
  private final StringBuilder text = new StringBuilder();

  /**
   * Begins a document.
   *
   * @param title read aloud in place of the picture
   */
  Svg(int width, int height, Scheme scheme, String title) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
            + " role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"14\">",
        width, height, width, height);
    add("<title>%s</title>", escape(title));
    add("<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\"/>", width, height, scheme.back());
  }

  /** Adds one element, or one tag of it. */
  Svg add(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
    return this;
  }

  /** Adds a line. */
  Svg line(double x1, double y1, double x2, double y2, String stroke) {
    return add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>", x1, y1, x2, y2, stroke);
  }

  /**
   * Adds a text.
   *
   * @param attributes such as the colour and the anchor
   */
  Svg text(double x, double y, String attributes, String content) {
    return add("<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>", x, y, attributes, escape(content));
  }

  /** Returns the document, which is then complete. */
  String end() {
    return add("</svg>").text.toString();
  }

  /** Escapes the characters that XML reserves. */
  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** The colours of a picture, for a light and a dark page. */
  enum Scheme {
    LIGHT("#ffffff #1b1f24 #59636e #c9d0d8 #2f5ea8 #b3261e #fbe3e1 #8a2be2"),
    DARK("#14171b #e6e9ed #a3adb8 #3a434d #8ab4f8 #ff8a80 #46201f #d3a6ff");

    private final String colors;

    Scheme(String colors) {
      this.colors = colors;
    }

    private String color(int number) {
      return colors.split(" ", -1)[number];
    }

    String back() {
      return color(0);
    }

    String ink() {
      return color(1);
    }

    String faint() {
      return color(2);
    }

    String rule() {
      return color(3);
    }

    String event() {
      return color(4);
    }

    String bad() {
      return color(5);
    }

    String badBack() {
      return color(6);
    }

    String cut() {
      return color(7);
    }

    /** The end of a file's name. */
    String suffix() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
