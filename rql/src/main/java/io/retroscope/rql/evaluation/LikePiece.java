// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The part of a LIKE pattern between two {@code %}: known characters and wildcards. Immutable. */
final class LikePiece {
  /*
   * A piece of known characters is matched by the algorithm of Knuth, Morris and Pratt. With
   * wildcards, borders do not carry over, so all positions are tried at once: bit i of a set
   * records that the first i + 1 symbols match the most recent characters (Shift-And, Baeza-Yates
   * and Gonnet). The sets of a very long piece would fill the memory, so it is compared at each
   * position instead.
   */
  private static final int MAX_SET_BITS = 4_096;

  /** The symbol for any character. */
  static final int ANY_CHARACTER = -2;

  private final int[] symbols;

  /** The length of the longest border of each prefix; empty if the piece contains a wildcard. */
  private final int[] borders;

  /** The positions that match each character, if the piece contains a wildcard. */
  private final Map<Integer, long[]> matching = new HashMap<>();

  private final long[] any;

  LikePiece(int[] symbols) {
    this.symbols = symbols;
    boolean known = Arrays.stream(symbols).noneMatch(symbol -> symbol == ANY_CHARACTER);
    this.borders = known ? borders(symbols) : new int[0];
    boolean usesSets = !known && symbols.length <= MAX_SET_BITS;
    this.any = new long[usesSets ? (symbols.length + Long.SIZE - 1) / Long.SIZE : 0];
    if (usesSets) {
      fillSets();
    }
  }

  private static int[] borders(int[] symbols) {
    int[] borders = new int[symbols.length];
    int border = 0;
    for (int i = 1; i < symbols.length; i++) {
      while (border > 0 && symbols[i] != symbols[border]) {
        border = borders[border - 1];
      }
      border += symbols[i] == symbols[border] ? 1 : 0;
      borders[i] = border;
    }
    return borders;
  }

  private void fillSets() {
    for (int i = 0; i < symbols.length; i++) {
      if (symbols[i] == ANY_CHARACTER) {
        set(any, i);
      }
    }
    for (int i = 0; i < symbols.length; i++) {
      if (symbols[i] != ANY_CHARACTER) {
        set(matching.computeIfAbsent(symbols[i], symbol -> any.clone()), i);
      }
    }
  }

  private static void set(long[] bits, int i) {
    bits[i / Long.SIZE] |= 1L << i;
  }

  int length() {
    return symbols.length;
  }

  /** Returns whether the text matches at a position. */
  boolean isAt(int[] text, int from) {
    for (int i = 0; i < symbols.length; i++) {
      if (symbols[i] != ANY_CHARACTER && symbols[i] != text[from + i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the end of the first match in {@code text[from, end)}, or -1 if there is none. */
  int endOfFirst(int[] text, int from, int end) {
    if (symbols.length == 0) {
      return from;
    }
    if (borders.length > 0) {
      return endOfKnown(text, from, end);
    }
    return any.length > 0 ? endOfAny(text, from, end) : endOfLong(text, from, end);
  }

  private int endOfLong(int[] text, int from, int end) {
    for (int at = from; at + symbols.length <= end; at++) {
      if (isAt(text, at)) {
        return at + symbols.length;
      }
    }
    return -1;
  }

  private int endOfKnown(int[] text, int from, int end) {
    int matched = 0;
    for (int at = from; at < end; at++) {
      while (matched > 0 && text[at] != symbols[matched]) {
        matched = borders[matched - 1];
      }
      matched += text[at] == symbols[matched] ? 1 : 0;
      if (matched == symbols.length) {
        return at + 1;
      }
    }
    return -1;
  }

  private int endOfAny(int[] text, int from, int end) {
    long[] matched = new long[any.length];
    int lastWord = any.length - 1;
    long lastBit = 1L << (symbols.length - 1);
    for (int at = from; at < end; at++) {
      long[] here = matching.getOrDefault(text[at], any);
      long carried = 1;
      for (int word = 0; word <= lastWord; word++) {
        long shifted = matched[word] << 1 | carried;
        carried = matched[word] >>> (Long.SIZE - 1);
        matched[word] = shifted & here[word];
      }
      if ((matched[lastWord] & lastBit) != 0) {
        return at + 1;
      }
    }
    return -1;
  }
}
