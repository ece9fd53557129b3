// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.diagnostic;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** A search for similar words. */
public final class Spelling {
  private Spelling() {}

  /**
   * Returns the known word with the smallest case-insensitive edit distance, which counts
   * insertions, deletions, replacements and swaps of neighbours. Of several such words it returns
   * the first in order.
   *
   * @return empty if no word is similar
   */
  public static Optional<String> nearest(String written, Collection<String> known) {
    int limit = Math.max(1, written.length() / 3);
    String best = null;
    int bestDistance = limit + 1;
    for (String name : known.stream().sorted().toList()) {
      int distance = distance(written, name, bestDistance);
      if (distance < bestDistance) {
        best = name;
        bestDistance = distance;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Returns the edit distance, or at least {@code tooFar} if it is not less. */
  private static int distance(String a, String b, int tooFar) {
    if (Math.abs(a.length() - b.length()) >= tooFar) {
      return tooFar;
    }
    String x = a.toLowerCase(Locale.ROOT);
    String y = b.toLowerCase(Locale.ROOT);
    int[] beforePrevious = new int[y.length() + 1];
    int[] previous = new int[y.length() + 1];
    for (int j = 0; j <= y.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= x.length(); i++) {
      int[] current = new int[y.length() + 1];
      current[0] = i;
      for (int j = 1; j <= y.length(); j++) {
        int replaced = previous[j - 1] + (x.charAt(i - 1) == y.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
        if (i > 1 && j > 1 && swapped(x, y, i, j)) {
          current[j] = Math.min(current[j], beforePrevious[j - 2] + 1);
        }
      }
      beforePrevious = previous;
      previous = current;
    }
    return previous[y.length()];
  }

  private static boolean swapped(String x, String y, int i, int j) {
    return x.charAt(i - 1) == y.charAt(j - 2) && x.charAt(i - 2) == y.charAt(j - 1);
  }
}
