// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import java.util.List;
import java.util.Optional;

/**
 * How often a part of a rule allowed that the rule is broken.
 *
 * @param unit of the count
 * @param part the part in RQL
 * @param count at least 0
 */
public record Chance(Unit unit, String part, long count) {
  /** The units of chances. */
  public enum Unit {
    /** Cuts at which an operand of the condition was TRUE, or all its names had values. */
    CUTS("cut"),
    /** Triggers of THEN or AFTER. */
    TRIGGERS("trigger"),
    /** Elements of FOR EACH. */
    ELEMENTS("element");

    private final String word;

    Unit(String word) {
      this.word = word;
    }
  }

  /** The unit of a count. */
  public String units() {
    return count == 1 ? unit.word : unit.word + "s";
  }

  /** The first part that never allowed it; empty if each did at least once. */
  public static Optional<Chance> missing(List<Chance> chances) {
    return chances.stream().filter(chance -> chance.count() == 0).findFirst();
  }

  /** The same part, with the count of another run added. */
  public Chance plus(Chance other) {
    return new Chance(unit, part, count + other.count);
  }

  /** The count and the part, such as {@code 12 cuts: COUNT(v) > 0}. */
  public String text() {
    return "%,d %s: %s".formatted(count, units(), part);
  }

  /** The sentence about a part that never allowed it. */
  public String neverSentence() {
    return switch (unit) {
      case CUTS -> "it could not be broken: TRUE at no cut: " + part;
      case TRIGGERS -> "nothing triggered it: TRUE at no cut: " + part;
      case ELEMENTS -> "it was not evaluated: no element of " + part;
    };
  }
}
