// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.completion;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** The words of the parts of PLAY, for completion. */
final class SoundParts {
  /** Those that begin a part, and those that continue one. */
  static final List<String> WORDS =
      List.of(
          "AS",
          "EACH",
          "LEVEL",
          "STEPS",
          "NOTE",
          "SCALE",
          "VELOCITY",
          "LENGTH",
          "PAN",
          "PLACE",
          "FOLLOW",
          "RANGE",
          "EVERY");

  /** After these comes a word, a number or a duration rather than an expression. */
  static final Set<String> WITH_OTHER_VALUES =
      Set.of("AS", "SCALE", "STEPS", "RANGE", "TO", "LENGTH", "EVERY");

  private static final Map<String, List<String>> VALUES =
      Map.of(
          "AS", List.of("BACKGROUND", "MARK", "ALARM"),
          "SCALE", List.of("pentatonic", "major", "minor", "chromatic"));

  private SoundParts() {}

  /** The words that may follow. */
  static List<String> after(String word) {
    return VALUES.getOrDefault(word, List.of());
  }

  /** Whether the last word is the value of a part. */
  static boolean isWord(StatementContext before) {
    return VALUES.getOrDefault(before.previous(2), List.of()).stream()
        .anyMatch(before.previous()::equalsIgnoreCase);
  }
}
