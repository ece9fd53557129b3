// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.Set;

/** The interest in all events of some logs. Immutable. */
record InterestInAll(Set<String> logs) implements Interest {
  @Override
  public boolean follows(String log, String variable) {
    return true;
  }

  @Override
  public boolean counts(String node) {
    return true;
  }

  @Override
  public boolean usesAges() {
    return false;
  }

  @Override
  public boolean isCancelled() {
    return false;
  }
}
