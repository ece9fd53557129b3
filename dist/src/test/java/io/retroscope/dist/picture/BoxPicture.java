// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.picture;

import io.retroscope.dist.picture.Svg.Scheme;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Boxes with arrows between them: the modules, and the way of an event. */
final class BoxPicture {
  private static final int WIDTH = 900;
  private static final int BOX_HEIGHT = 54;

  private final Svg svg;
  private final Scheme scheme;
  private final Map<String, double[]> boxes = new LinkedHashMap<>();

  private BoxPicture(Scheme scheme, int height, String title) {
    this.scheme = scheme;
    svg = new Svg(WIDTH, height, scheme, title);
    svg.add(
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\""
            + " markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"%s\"/>"
            + "</marker></defs>",
        scheme.faint());
  }

  /** The modules that users meet; an arrow points to a module that is used. */
  static String modules(Scheme scheme) {
    BoxPicture picture = new BoxPicture(scheme, 420, "The modules; arrows point to what they use");
    picture.row(24, 240, List.of("cli", "the command and its shell"));
    picture.row(
        122,
        200,
        List.of(
            "junit", "a test's cluster",
            "log-server", "ingest, store, live queries",
            "sonify", "notes and sound",
            "console", "pages with a movable cut"));
    picture.row(
        232,
        240,
        List.of(
            "recordings", "files, text logs, traces",
            "rql", "the language, the walk of cuts"));
    picture.row(
        342,
        260,
        List.of(
            "instrumentation/*", "one module per integration",
            "hlc-core", "clock, recorder, sinks; only the JDK",
            "blocks", "the merge and sealing of blocks"));
    for (String used : List.of("log-server", "sonify", "console")) {
      picture.arrow("cli", used);
    }
    picture.arrow("junit", "recordings");
    picture.arrow("log-server", "recordings");
    picture.arrow("sonify", "rql");
    picture.arrow("console", "rql");
    picture.sideArrow("recordings", "rql");
    picture.arrow("rql", "blocks");
    picture.arrow("rql", "hlc-core");
    picture.sideArrow("blocks", "hlc-core");
    picture.sideArrow("instrumentation/*", "hlc-core");
    return picture.svg.end();
  }

  /** The way of an event from a service to a row. */
  static String event(Scheme scheme) {
    BoxPicture picture = new BoxPicture(scheme, 392, "An event on its way from a service to a row");
    picture.group("your service", 16, 104);
    picture.row(
        52,
        190,
        List.of(
            "EventRing", "log.set(\"r1\", 4): a stamp",
            "EventBlock", "sorted, with a heartbeat",
            "sink", "HTTP, file or Kafka"));
    picture.group("log server", 140, 104);
    picture.row(
        176,
        190,
        List.of(
            "sealed blocks", "in the order of stamps",
            "watermark", "the lowest frontier",
            "store", "durable, then acknowledged"));
    picture.group("query", 264, 104);
    picture.row(
        300,
        190,
        List.of(
            "View", "windows of blocks",
            "CutState", "each variable at each node",
            "row", "cut, time, uncertainty"));
    picture.sideArrow("EventRing", "EventBlock");
    picture.sideArrow("EventBlock", "sink");
    picture.arrow("sink", "store");
    picture.sideArrow("store", "watermark");
    picture.sideArrow("watermark", "sealed blocks");
    picture.arrow("sealed blocks", "View");
    picture.sideArrow("View", "CutState");
    picture.sideArrow("CutState", "row");
    return picture.svg.end();
  }

  private void group(String name, int y, int height) {
    svg.add(
        "<rect x=\"12\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"none\" stroke=\"%s\"/>",
        y, WIDTH - 24, height, scheme.rule());
    svg.text(24, y + 20.0, "font-size=\"12\" fill=\"" + scheme.faint() + "\"", name);
  }

  /** Adds boxes side by side: each has a name and a line of text. */
  private void row(int y, int width, List<String> texts) {
    int count = texts.size() / 2;
    double gap = (WIDTH - (double) count * width) / (count + 1);
    for (int i = 0; i < count; i++) {
      double x = gap + i * (width + gap);
      double middle = x + width / 2.0;
      boxes.put(texts.get(2 * i), new double[] {x, y, width});
      svg.add(
          "<rect x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\""
              + " stroke=\"%s\" stroke-width=\"1.5\"/>",
          x, y, width, BOX_HEIGHT, scheme.back(), scheme.event());
      svg.text(
          middle,
          y + 23.0,
          "text-anchor=\"middle\" font-weight=\"600\" fill=\"" + scheme.ink() + "\"",
          texts.get(2 * i));
      svg.text(
          middle,
          y + 42.0,
          "text-anchor=\"middle\" font-size=\"11\" fill=\"" + scheme.faint() + "\"",
          texts.get(2 * i + 1));
    }
  }

  /** Adds an arrow downwards. */
  private void arrow(String from, String to) {
    double[] upper = boxes.get(from);
    double[] lower = boxes.get(to);
    arrow(upper[0] + upper[2] / 2, upper[1] + BOX_HEIGHT, lower[0] + lower[2] / 2, lower[1]);
  }

  /** Adds an arrow between boxes of one row. */
  private void sideArrow(String from, String to) {
    double[] first = boxes.get(from);
    double[] second = boxes.get(to);
    double y = first[1] + BOX_HEIGHT / 2.0;
    boolean right = first[0] < second[0];
    arrow(right ? first[0] + first[2] : first[0], y, right ? second[0] : second[0] + second[2], y);
  }

  private void arrow(double x1, double y1, double x2, double y2) {
    svg.line(x1, y1, x2, y2, "stroke=\"" + scheme.faint() + "\" marker-end=\"url(#tip)\"");
  }
}
