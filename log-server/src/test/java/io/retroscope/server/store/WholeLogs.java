// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.rql.cut.Interest;
import java.util.Set;

/** An interest in everything in the logs of another one, so that no block can be skipped. */
record WholeLogs(Interest interest) implements Interest {
  @Override
  public Set<String> logs() {
    return interest.logs();
  }

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
    return true;
  }

  @Override
  public boolean isCancelled() {
    return interest.isCancelled();
  }
}
