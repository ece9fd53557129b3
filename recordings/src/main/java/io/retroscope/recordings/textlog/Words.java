// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;
import org.jspecify.annotations.Nullable;

/**
 * The parts of lines that come again and again, such as severities, threads and loggers: each is
 * one object, which later stages recognize. Used by one thread.
 */
final class Words {
  /** Longer parts are not kept. */
  private static final int MAX_LENGTH = 100;

  private static final int HASHED_LENGTH = 8;
  private static final int SLOTS = 1 << 10;

  private final Value.@Nullable StringValue[] known = new Value.StringValue[SLOTS];

  /** The value of a text. */
  Value.StringValue of(String text) {
    if (text.length() > MAX_LENGTH) {
      return new Value.StringValue(text);
    }
    int slot = slot(text, 0, text.length());
    Value.StringValue word = known[slot];
    if (word == null || !word.value().equals(text)) {
      word = new Value.StringValue(text);
      known[slot] = word;
    }
    return word;
  }

  /** The value of a part of a line, which is copied only if it is new. */
  Value.StringValue of(String line, int from, int to) {
    int length = to - from;
    if (length > MAX_LENGTH) {
      return new Value.StringValue(line.substring(from, to));
    }
    Value.StringValue word = known[slot(line, from, to)];
    boolean isKnown =
        word != null && word.value().length() == length && line.startsWith(word.value(), from);
    return isKnown ? word : of(line.substring(from, to));
  }

  /** The end distinguishes most words, such as those of threads and loggers. */
  private static int slot(String line, int from, int to) {
    int hash = to - from;
    for (int i = Math.max(from, to - HASHED_LENGTH); i < to; i++) {
      hash = 31 * hash + line.charAt(i);
    }
    return (hash ^ hash >>> 10 ^ hash >>> 20) & (SLOTS - 1);
  }
}
