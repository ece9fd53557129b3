// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.event.Value;
import org.jspecify.annotations.Nullable;

/** The values of a variable, at most one per node. */
public interface PerNode {
  /**
   * Returns the value at a node.
   *
   * @param node an id of the walk's {@link NodeTable}
   * @return null if the variable is unset there
   */
  @Nullable Value at(int node);
}
