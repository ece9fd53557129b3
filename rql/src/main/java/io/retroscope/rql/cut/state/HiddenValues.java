// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.event.Value;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The values of nodes that are not included at present. Used by one thread. */
final class HiddenValues {
  private @Nullable Value[] values = {};

  void put(int node, Value value) {
    if (values.length <= node) {
      values = Arrays.copyOf(values, Math.max(node + 1, 2 * values.length));
    }
    values[node] = value;
  }

  boolean has(int node) {
    return node < values.length && values[node] != null;
  }

  /** Removes the value of a node; returns null if it has none. */
  @Nullable Value take(int node) {
    if (values.length <= node) {
      return null;
    }
    Value value = values[node];
    values[node] = null;
    return value;
  }
}
