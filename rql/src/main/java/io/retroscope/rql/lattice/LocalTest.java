// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.event.Value;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.evaluation.Types;

/**
 * A test of the states of one node: the value of an expression over a cut that has no other node.
 * Immutable.
 *
 * @param node its index in the computation
 */
record LocalTest(int node, Expression expression, Wanted wanted) {
  /** The values with which a test succeeds. */
  enum Wanted {
    TRUE,
    FALSE,
    NOT_TRUE,
    NOT_FALSE
  }

  /** Returns whether the test succeeds with a value, which is a BOOLEAN or NULL. */
  boolean accepts(Value value) {
    return switch (wanted) {
      case TRUE -> Types.isTrue(value);
      case FALSE -> isFalse(value);
      case NOT_TRUE -> !Types.isTrue(value);
      case NOT_FALSE -> !isFalse(value);
    };
  }

  private static boolean isFalse(Value value) {
    return !Types.isNull(value) && !Types.isTrue(value);
  }
}
