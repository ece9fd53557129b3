// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The clauses {@code THEN q WITHIN d UNLESS u} and {@code AFTER q WITHIN d}.
 *
 * @param negated whether rows show where the expected did not come
 * @param withinMicros the longest time between the trigger and the expected, in microseconds;
 *     without it any time, which only AFTER may have
 */
public record Response(
    Order order,
    boolean negated,
    Expression expected,
    OptionalLong withinMicros,
    Optional<Expression> excuse,
    SourceRange range)
    implements Node {
  /** The words that begin the clause. */
  public String words() {
    return negated ? "NOT " + order : order.toString();
  }

  /** Whether the expected comes after the trigger or before it. */
  public enum Order {
    /** The expected comes after the trigger. */
    THEN,
    /** The expected comes before the trigger. */
    AFTER
  }
}
