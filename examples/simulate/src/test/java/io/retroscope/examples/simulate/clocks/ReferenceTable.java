// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A table that another program computed from the same model; see the README in the files' folder.
 */
final class ReferenceTable {
  private final List<Map<String, String>> rows = new ArrayList<>();

  ReferenceTable(String file) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(ReferenceTable.class.getResourceAsStream("/alignment/" + file))) {
      List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      String[] names = lines.get(0).split(",", -1);
      for (String line : lines.subList(1, lines.size())) {
        String[] cells = line.split(",", -1);
        Map<String, String> row = new HashMap<>();
        for (int i = 0; i < names.length; i++) {
          row.put(names[i], cells[i]);
        }
        rows.add(row);
      }
    }
  }

  List<Map<String, String>> rows() {
    return rows;
  }

  /** The only row with these values in these columns: name, value, name, value, ... */
  Map<String, String> row(String... namesAndValues) {
    List<Map<String, String>> found = new ArrayList<>(rows);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      String name = namesAndValues[i];
      String value = namesAndValues[i + 1];
      found.removeIf(row -> !value.equals(row.get(name)));
    }
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " rows with " + String.join(" ", namesAndValues));
    }
    return found.get(0);
  }

  /** A number in a row. */
  static double number(Map<String, String> row, String column) {
    return Double.parseDouble(Objects.requireNonNull(row.get(column)));
  }
}
