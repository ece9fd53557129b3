// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.ast.Expression.Quantifier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The knowledge about the truth of a quantifier's body for all bindings. Used by one thread. */
final class KnownTally {
  private final boolean open;
  private final List<Value> kept = new ArrayList<>();
  private long surelyTrue;
  private long possiblyTrue;
  private boolean surelyFalse;
  private boolean surelyNotTrue;
  private boolean surelyNull;
  private boolean possiblyFalse;
  private boolean possiblyNull;

  /**
   * Creates a tally without bindings.
   *
   * @param open whether there may be bindings that are not known
   */
  KnownTally(boolean open) {
    this.open = open;
  }

  /**
   * Adds a binding.
   *
   * @param truths what the body can be
   * @param sure whether there is certainly such a binding
   * @param element the first bound value
   */
  void add(int truths, boolean sure, Value element) {
    possiblyTrue += (truths & Known.TRUE) != 0 ? 1 : 0;
    possiblyFalse |= (truths & Known.FALSE) != 0;
    possiblyNull |= (truths & Known.NULL) != 0;
    if (!sure) {
      return;
    }
    if (truths == Known.TRUE) {
      surelyTrue++;
      kept.add(element);
    }
    surelyFalse |= truths == Known.FALSE;
    surelyNull |= truths == Known.NULL;
    surelyNotTrue |= (truths & Known.TRUE) == 0;
  }

  Known result(Quantifier quantifier) {
    return switch (quantifier) {
      case EXISTS -> Known.truths(exists());
      case FORALL -> Known.truths(forall());
      case COUNT -> Known.between(Value.of(surelyTrue), most());
      case FILTER -> new Known.Containing(new SetValue(kept));
      case FOREACH -> new Known.Exact(BooleanValue.TRUE);
    };
  }

  private @Nullable Value most() {
    return open ? null : Value.of(possiblyTrue);
  }

  private int exists() {
    if (surelyTrue > 0) {
      return Known.TRUE;
    }
    int truths = surelyNull ? 0 : Known.FALSE;
    truths |= possiblyTrue > 0 || open ? Known.TRUE : 0;
    return possiblyNull || open ? truths | Known.NULL : truths;
  }

  private int forall() {
    if (surelyFalse) {
      return Known.FALSE;
    }
    int truths = surelyNotTrue ? 0 : Known.TRUE;
    truths |= possiblyFalse || open ? Known.FALSE : 0;
    return possiblyNull || open ? truths | Known.NULL : truths;
  }
}
