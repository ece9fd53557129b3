// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.Set;

/**
 * The logs, variables and nodes that a walk uses, so that storage may omit other events. Used by
 * the walk's thread.
 */
public interface Interest {
  /** The logs that the walk reads. */
  Set<String> logs();

  /** Returns whether the walk uses the values of a variable. */
  boolean follows(String log, String variable);

  /** Returns whether the walk includes a node. */
  boolean counts(String node);

  /**
   * Returns whether the walk uses the ages of values. If it does, the stamp of the last change of
   * each value matters, not only the value.
   */
  boolean usesAges();

  /** Returns whether the result is no longer wanted; the storage may then return anything. */
  boolean isCancelled();

  /** The interest in all events of some logs, of all nodes. */
  static Interest inAll(Set<String> logs) {
    return new InterestInAll(Set.copyOf(logs));
  }
}
