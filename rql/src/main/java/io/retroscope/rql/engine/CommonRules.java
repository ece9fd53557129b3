// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.cut.batch.QuietRule;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The rules of many queries for the next cut: if all of them are quiet, it changes nothing for any
 * of them. There may be some that no query has any more, until they are gathered anew. Used by one
 * thread.
 */
final class CommonRules {
  /** The number of cuts that were not quiet after which the rules are gathered anew. */
  private static final int MISSES = 32;

  private final JointRule rule = new JointRule();
  private final Set<QuietRule> joined = Collections.newSetFromMap(new IdentityHashMap<>());
  private int misses;

  /** Adds those rules that are not among them. */
  void addAll(List<QuietRule> rules) {
    for (QuietRule one : rules) {
      if (joined.add(one)) {
        rule.add(one, one.limit());
      }
    }
  }

  /** Whether all are quiet in the present state. */
  boolean areQuiet() {
    return rule.isQuiet();
  }

  /** Notes a cut at which not all were quiet; returns whether it is time to gather them anew. */
  boolean missed() {
    return ++misses >= MISSES;
  }

  /** The number of rules, including those that no query has any more. */
  int size() {
    return joined.size();
  }

  void clear() {
    misses = 0;
    joined.clear();
    rule.clear();
  }
}
