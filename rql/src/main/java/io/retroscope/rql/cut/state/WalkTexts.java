// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.event.Value;
import io.retroscope.event.Value.StringValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The texts of a walk, each with a number, so that equal texts have equal numbers. The first texts
 * get the lowest numbers. Limited: once it is full, a text that it does not have gets none. Used by
 * one thread.
 */
public final class WalkTexts {
  /** The number of a text that the table does not have. */
  public static final int NONE = -1;

  private static final int MAX_TEXTS = 1 << 12;
  private static final int MAX_CHARS = 1 << 18;

  private final Map<String, Integer> ids = new HashMap<>();
  private final List<StringValue> values = new ArrayList<>();
  private int chars;

  /** The number of a text, or {@link #NONE} if it is not in the table. */
  int find(String text) {
    return ids.getOrDefault(text, NONE);
  }

  /** Returns the number of a text, or {@link #NONE} if it is new and the table is full. */
  public int idOf(String text) {
    int known = find(text);
    if (known != NONE) {
      return known;
    }
    if (values.size() == MAX_TEXTS || text.length() > MAX_CHARS - chars) {
      return NONE;
    }
    chars += text.length();
    ids.put(text, values.size());
    values.add(Value.of(text));
    return values.size() - 1;
  }

  /** The text with a number. */
  StringValue value(int id) {
    return values.get(id);
  }
}
