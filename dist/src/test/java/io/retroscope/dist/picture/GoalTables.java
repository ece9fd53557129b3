// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.picture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of goals and results of a page, from {@code goals.csv}. A table follows a line {@code
 * <!-- goals: SECTION -->} and ends with an empty line. In a result, {@code {file|line|column}} is
 * a figure of another file, and two lines or columns with {@code " / "} between them are a ratio.
 */
final class GoalTables {
  private static final Pattern TABLE = Pattern.compile("(?m)(^<!-- goals: (\\w+) -->\n)(?:.+\n)*");
  private static final Pattern REFERENCE = Pattern.compile("\\{([\\w-]+)\\|([^|}]*)\\|([^|}]*)}");
  private static final Pattern GOAL = Pattern.compile("([≥≤])([\\d.]+).*");
  private static final Pattern REACHED = Pattern.compile("([\\d.]+)(?: to ([\\d.]+))?");
  private static final String HEADING =
      "| question | command | goal | result |\n|---|---|---|---|\n";

  private final Path folder;
  private final Results goals;

  /** The tables of a folder of results. */
  GoalTables(Path folder) throws IOException {
    this.folder = folder;
    this.goals = Results.of(folder.resolve("goals.csv"));
  }

  /** Returns the page with the present tables. */
  String fill(String page) {
    return TABLE
        .matcher(page)
        .replaceAll(found -> Matcher.quoteReplacement(found.group(1) + table(found.group(2))));
  }

  private String table(String section) {
    StringBuilder table = new StringBuilder(HEADING);
    for (List<String> goal : goals.lines()) {
      if (goal.get(0).equals(section)) {
        String command = goal.get(2).equals("the same") ? goal.get(2) : "`" + goal.get(2) + "`";
        String[] cells = {goal.get(1), command, goal.get(3), result(goal.get(3), goal.get(4))};
        for (String cell : cells) {
          table.append(cell.isEmpty() ? "| " : "| " + cell + " ");
        }
        table.append("|\n");
      }
    }
    return table.toString();
  }

  private String result(String goal, String template) {
    String filled =
        REFERENCE.matcher(template).replaceAll(found -> Matcher.quoteReplacement(figure(found)));
    Matcher bound = GOAL.matcher(goal);
    return bound.matches() ? judged(bound, filled) : filled;
  }

  /** A range misses a goal with its worse end. */
  private static String judged(MatchResult bound, String result) {
    Matcher figures = REACHED.matcher(result);
    if (!figures.lookingAt()) {
      throw new IllegalArgumentException("a result begins with its figure: " + result);
    }
    boolean isLeast = bound.group(1).equals("≥");
    String worst = isLeast || figures.group(2) == null ? figures.group(1) : figures.group(2);
    double distance = Double.parseDouble(worst) - Double.parseDouble(bound.group(2));
    return (isLeast ? distance >= 0 : distance <= 0)
        ? result
        : figures.group() + ", **not** reached" + result.substring(figures.end());
  }

  private String figure(MatchResult reference) {
    try {
      Results results = Results.of(folder.resolve(reference.group(1) + ".csv"));
      String[] lines = reference.group(2).split(" / ", -1);
      String[] columns = reference.group(3).split(" / ", -1);
      String above = results.figure(lines[0], columns[0]);
      if (lines.length + columns.length == 2) {
        return above;
      }
      String below = results.figure(lines[lines.length - 1], columns[columns.length - 1]);
      double ratio = Double.parseDouble(above) / Double.parseDouble(below);
      return String.format(Locale.ROOT, ratio < 10 ? "%.2f" : "%.1f", ratio);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
