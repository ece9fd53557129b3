// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A cut as a table: a line for each name, and a column for each node. */
public final class CutTable {
  private static final String GAP = "  ";

  private CutTable() {}

  /** The lines of the table, then those of the values that are not by node. */
  public static List<String> lines(StructValue cut) {
    Set<String> nodes = new LinkedHashSet<>();
    List<String> single = new ArrayList<>();
    List<Map.Entry<String, StructValue>> byNode = new ArrayList<>();
    cut.fields()
        .forEach(
            (name, value) -> {
              if (value instanceof StructValue values) {
                nodes.addAll(values.fields().keySet());
                byNode.add(Map.entry(name, values));
              } else {
                single.add(name + " = " + ValueText.of(value));
              }
            });
    List<String> lines = new ArrayList<>(table(nodes, byNode));
    lines.addAll(single);
    return lines;
  }

  private static List<String> table(
      Set<String> nodes, List<Map.Entry<String, StructValue>> byNode) {
    if (byNode.isEmpty()) {
      return List.of();
    }
    List<List<String>> rows = new ArrayList<>();
    List<String> heading = new ArrayList<>(List.of(""));
    heading.addAll(nodes);
    rows.add(heading);
    for (Map.Entry<String, StructValue> name : byNode) {
      List<String> row = new ArrayList<>(List.of(name.getKey()));
      for (String node : nodes) {
        Value value = name.getValue().fields().get(node);
        row.add(value == null ? "" : ValueText.of(value));
      }
      rows.add(row);
    }
    int[] widths = new int[heading.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], ValueText.width(row.get(i)));
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      line.append(i == 0 ? "" : GAP).append(ValueText.pad(row.get(i), widths[i], false));
    }
    return line.toString().stripTrailing();
  }
}
