// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.json.JsonValues;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A writer of the JSON of nodes with a LONG each into a cell of delimited values, without a
 * generator of JSON. Used by one thread.
 */
final class NodeLongs {
  private final String quote;
  private final UnaryOperator<String> escape;

  /** The names of nodes by their place in a cell, with their JSON. */
  private @Nullable String[] names = new String[8];

  private String[] fields = new String[8];

  /**
   * Creates a writer.
   *
   * @param quote what a cell begins and ends with
   * @param escape escapes the JSON of a name within the cell
   */
  NodeLongs(String quote, UnaryOperator<String> escape) {
    this.quote = quote;
    this.escape = escape;
  }

  /** Whether a cell of nodes can be written: each has a LONG, and there is one. */
  boolean isAll(RowCells cells, int cell) {
    int end = cells.endNode(cell);
    int node = cells.firstNode(cell);
    boolean are = node < end;
    for (; node < end && are; node++) {
      are = cells.isNodeLong(node);
    }
    return are;
  }

  /** Appends a cell of nodes. */
  void append(StringBuilder line, RowCells cells, int cell) {
    int first = cells.firstNode(cell);
    int end = cells.endNode(cell);
    line.append(quote);
    for (int node = first; node < end; node++) {
      line.append(node == first ? '{' : ',');
      line.append(field(node - first, cells.node(node))).append(cells.nodeNumber(node));
    }
    line.append('}').append(quote);
  }

  @SuppressWarnings("ReferenceEquality") // Another object with the same name is only slower.
  private String field(int place, String name) {
    if (place >= names.length) {
      names = Arrays.copyOf(names, 2 * place);
      fields = Arrays.copyOf(fields, names.length);
    }
    if (names[place] != name) {
      names[place] = name;
      fields[place] = escape.apply(JsonValues.text(Value.of(name))) + ":";
    }
    return fields[place];
  }
}
