// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.rql.analysis.UsedNodes;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.plan.BoundPlan;
import java.util.HashSet;
import java.util.Set;

/**
 * The nodes of which a query uses values in the present state, as sets that remain valid. Used by
 * one thread.
 */
public final class ValuedNodes {
  private final CutState state;
  private final UsedNodes used;
  private Set<String> last = Set.of();
  private long appearances = -1;

  /** Follows the state of a plan, from its present cut on. */
  public ValuedNodes(BoundPlan plan) {
    this.state = plan.state();
    this.used = UsedNodes.of(plan.query());
  }

  /** An upper estimate of the heap that such a set takes, in bytes, without the names. */
  public static long bytes(Set<String> nodes) {
    return 64 + 16L * nodes.size();
  }

  /** Whether the query uses a value of a node. */
  boolean has(String node) {
    return state.holdsAny(node, column -> used.uses(column.log(), column.name(), node));
  }

  /** All such nodes: the same set until a value appears or disappears. */
  public Set<String> now() {
    long before = appearances;
    appearances = state.appearances();
    if (before != appearances) {
      Set<String> nodes = new HashSet<>();
      NodeTable all = state.nodes();
      for (int id = 0; id < all.size(); id++) {
        if (has(all.name(id))) {
          nodes.add(all.name(id));
        }
      }
      last = Set.copyOf(nodes);
    }
    return last;
  }
}
