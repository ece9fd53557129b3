package io.retroscope.rql.cut;

import io.retroscope.event.Value;
import org.jspecify.annotations.Nullable;

/** A value at every node where there is one: what a bare variable stands for. */
public interface PerNode {
  /**
   * The value at a node.
   *
   * @param node an id of the walk's {@link NodeTable}
   * @return null where the variable is unset
   */
  @Nullable Value at(int node);
}
