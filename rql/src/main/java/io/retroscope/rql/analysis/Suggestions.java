package io.retroscope.rql.analysis;

import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.diagnostic.Spelling;
import java.util.Collection;
import java.util.List;

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
    return Spelling.nearest(written, known)
        .map(name -> "did you mean \"" + name + "\"? " + listed)
        .orElse(listed);
  }

  private static String list(Collection<String> known) {
    List<String> first = known.stream().sorted(NaturalOrder.INSTANCE).limit(MAX_LISTED).toList();
    String listed = String.join(", ", first);
    return known.size() > MAX_LISTED
        ? listed + " and " + (known.size() - MAX_LISTED) + " more"
        : listed;
  }
}
