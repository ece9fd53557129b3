// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names of the fields in the cells of a result. Most rows have those of the row before, which
 * are checked once. Used by one thread.
 */
final class StructNames {
  private final String field;

  /* By cell, the names of the latest row, as they are written and as they are. */
  private String[][] written = {};
  private String[][] restored = {};

  private int cell;
  private int next;

  /** The names of this cell so far; null as long as they are those of the row before. */
  private @Nullable Set<String> seen;

  /**
   * No names.
   *
   * @param field the path of the cells, for errors
   */
  StructNames(String field) {
    this.field = field;
  }

  /** Begins the names of a cell, from 0. */
  void begin(int number) {
    cell = number;
    next = 0;
    seen = null;
    int known = written.length;
    if (cell >= known) {
      written = Arrays.copyOf(written, 2 * cell + 1);
      restored = Arrays.copyOf(restored, 2 * cell + 1);
      for (int i = known; i < written.length; i++) {
        written[i] = new String[8];
        restored[i] = new String[8];
      }
    }
  }

  /**
   * The name of the next field.
   *
   * @param name as it is written
   */
  String next(String name) {
    if (next == written[cell].length) {
      written[cell] = Arrays.copyOf(written[cell], 2 * next);
      restored[cell] = Arrays.copyOf(restored[cell], 2 * next);
    }
    if (seen != null || !name.equals(written[cell][next])) {
      check(name);
      written[cell][next] = name;
      restored[cell][next] = restored(name);
    }
    return restored[cell][next++];
  }

  private void check(String name) {
    if (seen == null) {
      seen = new HashSet<>(Arrays.asList(written[cell]).subList(0, next));
      Arrays.fill(written[cell], next, written[cell].length, null); // of the row before
    }
    if (!seen.add(JsonValues.wellFormed(name, field))) {
      throw new JsonFieldException(field + "." + name, "is given twice");
    }
  }

  /** The name of a field without the mark of one that begins with a dollar sign. */
  static String restored(String name) {
    return name.startsWith("$") ? name.substring(1) : name;
  }
}
