// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.picture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of {@code benchmarks/results}: lines {@code # name: text}, a heading, and lines, as CSV.
 *
 * @param lines the first is the heading
 */
record Results(Map<String, String> settings, List<List<String>> lines) {
  private static final Pattern FIELD =
      Pattern.compile("\\G(?:\"((?:[^\"]|\"\")*)\"|([^,]*))(?:,|$)");

  /** Reads a file. */
  static Results of(Path file) throws IOException {
    Map<String, String> settings = new HashMap<>();
    List<List<String>> lines = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("# ")) {
        String[] setting = line.substring(2).split(": ", 2);
        settings.put(setting[0], setting[1]);
      } else {
        lines.add(fields(line));
      }
    }
    return new Results(settings, lines);
  }

  private static List<String> fields(String line) {
    List<String> fields = new ArrayList<>();
    Matcher field = FIELD.matcher(line);
    while (field.find() && field.start() < line.length()) {
      fields.add(field.group(1) == null ? field.group(2) : field.group(1).replace("\"\"", "\""));
    }
    return fields;
  }

  /**
   * The text of a figure.
   *
   * @param line the first field of its line
   * @throws IllegalArgumentException if there is none
   */
  String figure(String line, String column) {
    int at = lines.get(0).indexOf(column);
    return lines.stream()
        .filter(fields -> fields.get(0).equals(line) && at > 0)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no " + line + ", " + column))
        .get(at);
  }
}
