// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.walk;

import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.state.CutState;
import java.util.Set;

/**
 * The interest of a walk in the variables that its state follows.
 *
 * @param listener says whether the walk is cancelled
 */
record StateInterest(CutState state, Set<String> logs, boolean usesAges, CutListener listener)
    implements Interest {
  @Override
  public boolean follows(String log, String variable) {
    return state.follows(log, variable);
  }

  @Override
  public boolean counts(String node) {
    return state.counts(node);
  }

  @Override
  public boolean isCancelled() {
    return listener.isCancelled();
  }
}
