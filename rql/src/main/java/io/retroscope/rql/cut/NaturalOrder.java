// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.Comparator;

/**
 * The order of names in which digits compare as numbers: {@code zk2} before {@code zk10}.
 * Consistent with equals.
 */
public final class NaturalOrder implements Comparator<String> {
  /** The only instance. */
  public static final NaturalOrder INSTANCE = new NaturalOrder();

  private NaturalOrder() {}

  @Override
  public int compare(String a, String b) {
    int i = 0;
    int j = 0;
    while (i < a.length() && j < b.length()) {
      if (isDigit(a.charAt(i)) && isDigit(b.charAt(j))) {
        int endA = endOfDigits(a, i);
        int endB = endOfDigits(b, j);
        int order = compareDigits(a, i, endA, b, j, endB);
        if (order != 0) {
          return order;
        }
        i = endA;
        j = endB;
      } else if (a.charAt(i) != b.charAt(j)) {
        return Character.compare(a.charAt(i), b.charAt(j));
      } else {
        i++;
        j++;
      }
    }
    int rest = Integer.compare(a.length() - i, b.length() - j);
    // Names that differ only in leading zeros (zk1, zk01) are still different.
    return rest != 0 ? rest : a.compareTo(b);
  }

  private static int compareDigits(String a, int fromA, int endA, String b, int fromB, int endB) {
    int i = skipZeros(a, fromA, endA);
    int j = skipZeros(b, fromB, endB);
    if (endA - i != endB - j) {
      return Integer.compare(endA - i, endB - j);
    }
    for (; i < endA; i++, j++) {
      if (a.charAt(i) != b.charAt(j)) {
        return Character.compare(a.charAt(i), b.charAt(j));
      }
    }
    return 0;
  }

  private static int skipZeros(String text, int from, int end) {
    int i = from;
    while (i < end - 1 && text.charAt(i) == '0') {
      i++;
    }
    return i;
  }

  private static int endOfDigits(String text, int from) {
    int i = from;
    while (i < text.length() && isDigit(text.charAt(i))) {
      i++;
    }
    return i;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
