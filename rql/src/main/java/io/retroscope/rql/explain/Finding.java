// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import java.util.Locale;

/**
 * A sentence of an explanation, with what it is about. Immutable.
 *
 * @param node empty if it is about no single node
 * @param hlc packed, the stamp of what it is about; the cut's own if it is about none
 * @param variable the log and the variable, {@code log.variable}, or the identity of a message;
 *     empty if it is about neither
 * @param value the value of the variable, or NULL
 */
public record Finding(Part part, String node, long hlc, String variable, Value value, String text) {
  /** The parts of an explanation, in their order. */
  public enum Part {
    /** The explained statement or rule. */
    CUT,
    /** A value on which the predicate rests. */
    WITNESS,
    /** An event that led to a witness. */
    CAUSE,
    /** What the order of two witnesses rests on. */
    ORDER,
    /** A message that crosses the cut. */
    IN_FLIGHT,
    /** The nearest cut at which the predicate does not hold. */
    NEAREST,
    /** Anything unknown. */
    UNKNOWN;

    /** The word for users. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Returns the part of a word. */
    public static Part of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT).replace(' ', '_'));
    }
  }

  /**
   * Something unknown about the cut as a whole.
   *
   * @param hlc packed, the stamp of the cut
   */
  public static Finding unknown(long hlc, String text) {
    return of(Part.UNKNOWN, hlc, text);
  }

  /** A sentence about the cut as a whole. */
  static Finding of(Part part, long hlc, String text) {
    return new Finding(part, "", hlc, "", NullValue.NULL, text);
  }
}
