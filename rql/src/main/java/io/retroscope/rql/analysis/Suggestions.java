package io.retroscope.rql.analysis;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that was meant, and lists those that there are. */
final class Suggestions {
  private static final int MAX_LISTED = 8;

  private Suggestions() {}

  /**
   * Help for an unknown name.
   *
   * @param kind what the names are, in the plural with a capital: {@code Variables here}
   */
  static String help(String written, Collection<String> known, String kind) {
    if (known.isEmpty()) {
      return kind + ": none yet";
    }
    String listed = kind + ": " + list(known);
    return nearest(written, known)
        .map(name -> "did you mean \"" + name + "\"? " + listed)
        .orElse(listed);
  }

  /** The known name that is nearest to the written one, if it is near. */
  static Optional<String> nearest(String written, Collection<String> known) {
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

  private static String list(Collection<String> known) {
    List<String> first =
        known.stream().sorted(Comparator.naturalOrder()).limit(MAX_LISTED).toList();
    String listed = String.join(", ", first);
    return known.size() > MAX_LISTED
        ? listed + " and " + (known.size() - MAX_LISTED) + " more"
        : listed;
  }

  /**
   * Insertions, deletions, replacements and swaps of neighbours that lead from one to the other,
   * whatever their case.
   *
   * @return at least {@code tooFar} where it is that or more
   */
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
