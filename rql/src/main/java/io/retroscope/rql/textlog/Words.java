// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.textlog;

import io.retroscope.event.Value;
import org.jspecify.annotations.Nullable;

/**
 * The parts of lines that come again and again, such as severities, threads and loggers: each is
 * one object, which later stages recognize. Used by one thread.
 */
final class Words {
  /** Longer parts are not kept. */
  private static final int MAX_LENGTH = 100;

  private static final int SLOTS = 1 << 10;

  private final Value.@Nullable StringValue[] known = new Value.StringValue[SLOTS];

  /** The value of a text. */
  Value.StringValue of(String text) {
    if (text.length() > MAX_LENGTH) {
      return new Value.StringValue(text);
    }
    int hash = text.hashCode();
    int slot = (hash ^ hash >>> 10) & (SLOTS - 1);
    Value.StringValue word = known[slot];
    if (word == null || !word.value().equals(text)) {
      word = new Value.StringValue(text);
      known[slot] = word;
    }
    return word;
  }
}
