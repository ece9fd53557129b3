// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.print;

import io.retroscope.rql.print.ValueText;
import io.retroscope.server.lines.AlignedLine;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A printer of log lines for users, like {@code tail}. Used by one thread. */
public final class LinePrinter {
  /** The width up to which columns are padded. */
  private static final int MAX_WIDTH = 32;

  /** Cyan, yellow, magenta, green, blue, red: in the order in which nodes appear. */
  private static final List<String> COLOURS =
      List.of("\u001b[36m", "\u001b[33m", "\u001b[35m", "\u001b[32m", "\u001b[34m", "\u001b[31m");

  private static final String NO_COLOUR = "\u001b[0m";

  private final PrintWriter out;
  private final List<LineColumn> columns;
  private final boolean coloured;
  private final int[] widths;
  private final Map<String, String> colourOfNode = new HashMap<>();

  public LinePrinter(PrintWriter out, List<LineColumn> columns, boolean coloured) {
    this.out = out;
    this.columns = columns;
    this.coloured = coloured;
    this.widths = new int[columns.size()];
  }

  public void print(AlignedLine line) {
    StringBuilder text = new StringBuilder();
    int gap = 0;
    for (int i = 0; i < columns.size(); i++) {
      String cell = columns.get(i).text(line);
      int width = ValueText.width(cell);
      if (columns.get(i).isAligned()) {
        widths[i] = Math.max(widths[i], Math.min(MAX_WIDTH, width));
      }
      if (!cell.isEmpty()) {
        text.append(" ".repeat(gap));
        gap = 0;
        text.append(columns.get(i) == LineColumn.NODE ? coloured(cell, line) : cell);
      }
      gap += Math.max(0, widths[i] - width) + (widths[i] == 0 && width == 0 ? 0 : 2);
    }
    out.print(text.append('\n'));
  }

  private String coloured(String cell, AlignedLine line) {
    if (!coloured) {
      return cell;
    }
    String colour =
        colourOfNode.computeIfAbsent(
            line.event().node(), node -> COLOURS.get(colourOfNode.size() % COLOURS.size()));
    return colour + cell + NO_COLOUR;
  }
}
