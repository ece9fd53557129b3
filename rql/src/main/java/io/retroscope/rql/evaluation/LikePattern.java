// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A pattern of LIKE: {@code %} is any text, {@code _} is any character, and a backslash escapes
 * them.
 */
public final class LikePattern {
  /*
   * The pieces between the % are found one after the other, each at its first match, in one pass
   * over the text. The time is therefore linear in the length of the text for every pattern.
   * Backtracking would take time proportional to the product of both lengths.
   */
  private static final int ANY_TEXT = -1;

  private final List<LikePiece> pieces;

  private LikePattern(List<LikePiece> pieces) {
    this.pieces = List.copyOf(pieces);
  }

  public static LikePattern of(String pattern) {
    int[] points = pattern.codePoints().toArray();
    int[] symbols = new int[points.length];
    List<LikePiece> pieces = new ArrayList<>();
    int count = 0;
    for (int i = 0; i < points.length; i++) {
      boolean escaped =
          points[i] == '\\'
              && i + 1 < points.length
              && (points[i + 1] == '%' || points[i + 1] == '_' || points[i + 1] == '\\');
      int symbol = escaped ? points[++i] : symbol(points[i]);
      if (symbol == ANY_TEXT) {
        pieces.add(new LikePiece(Arrays.copyOf(symbols, count)));
        count = 0;
      } else {
        symbols[count++] = symbol;
      }
    }
    pieces.add(new LikePiece(Arrays.copyOf(symbols, count)));
    return new LikePattern(pieces);
  }

  private static int symbol(int point) {
    return point == '%' ? ANY_TEXT : point == '_' ? LikePiece.ANY_CHARACTER : point;
  }

  public boolean matches(String text) {
    int[] points = text.codePoints().toArray();
    LikePiece first = pieces.get(0);
    LikePiece last = pieces.get(pieces.size() - 1);
    if (pieces.size() == 1) {
      return points.length == first.length() && first.isAt(points, 0);
    }
    int end = points.length - last.length();
    if (first.length() > end || !first.isAt(points, 0) || !last.isAt(points, end)) {
      return false;
    }
    int at = first.length();
    for (LikePiece piece : pieces.subList(1, pieces.size() - 1)) {
      at = piece.endOfFirst(points, at, end);
      if (at < 0) {
        return false;
      }
    }
    return true;
  }
}
