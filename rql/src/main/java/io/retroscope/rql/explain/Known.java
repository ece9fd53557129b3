// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge about the value of an expression while some of the values that it reads are
 * unknown. Each form contains every value that the expression can have. Immutable.
 */
sealed interface Known {
  /** The bit for TRUE in a set of truth values. */
  int TRUE = 1;

  /** The bit for FALSE. */
  int FALSE = 2;

  /** The bit for NULL. */
  int NULL = 4;

  /** All truth values. */
  int ANY_TRUTH = TRUE | FALSE | NULL;

  /** One value. */
  record Exact(Value value) implements Known {}

  /** One of some truth values. */
  record OneOf(int truths) implements Known {}

  /**
   * A value of an ordered type that is not NULL.
   *
   * @param least its lower bound, inclusive; null without one
   * @param most its upper bound, inclusive; null without one
   */
  record Between(@Nullable Value least, @Nullable Value most) implements Known {}

  /** A set with at least these elements. */
  record Containing(SetValue elements) implements Known {}

  /** Any value, also NULL. */
  record Nothing() implements Known {
    static final Known KNOWN = new Nothing();
  }

  /** The knowledge that a value is one of some truth values. */
  static Known truths(int truths) {
    return switch (truths) {
      case TRUE -> new Exact(BooleanValue.TRUE);
      case FALSE -> new Exact(BooleanValue.FALSE);
      case NULL -> new Exact(NullValue.NULL);
      default -> new OneOf(truths);
    };
  }

  /** The knowledge about a value with bounds; equal bounds leave one value. */
  static Known between(@Nullable Value least, @Nullable Value most) {
    if (least == null && most == null) {
      return Nothing.KNOWN;
    }
    return least != null && least.equals(most) ? new Exact(least) : new Between(least, most);
  }

  /** The truth values that it can be. */
  default int truths() {
    if (this instanceof OneOf some) {
      return some.truths();
    }
    if (this instanceof Exact exact && exact.value() instanceof BooleanValue truth) {
      return truth.value() ? TRUE : FALSE;
    }
    return this instanceof Exact exact && exact.value() instanceof NullValue ? NULL : ANY_TRUTH;
  }

  /** Whether it is certainly TRUE. */
  default boolean isTrue() {
    return truths() == TRUE;
  }

  /** Whether it is certainly not NULL. */
  default boolean isSet() {
    if (this instanceof Exact exact) {
      return !(exact.value() instanceof NullValue);
    }
    return this instanceof Between
        || this instanceof Containing
        || (this instanceof OneOf some && (some.truths() & NULL) == 0);
  }

  /** A lower bound; null if there is none. */
  default @Nullable Value least() {
    if (this instanceof Between between) {
      return between.least();
    }
    return this instanceof Exact exact && isSet() ? exact.value() : null;
  }

  /** An upper bound; null if there is none. */
  default @Nullable Value most() {
    if (this instanceof Between between) {
      return between.most();
    }
    return this instanceof Exact exact && isSet() ? exact.value() : null;
  }
}
