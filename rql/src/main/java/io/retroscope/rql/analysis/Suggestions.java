// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.diagnostic.Spelling;
import java.util.Collection;
import java.util.List;

/** Suggestions for an unknown name: the most similar name, and a list of the known ones. */
final class Suggestions {
  private static final int MAX_LISTED = 8;

  private Suggestions() {}

  /**
   * Returns help for an unknown name.
   *
   * @param kind the kind of the names, in the plural with a capital: {@code Variables here}
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
