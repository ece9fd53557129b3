// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.cut.state.NodeTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The knowledge about the elements of a collection. Used by one thread. */
final class KnownElements {
  private final List<@Nullable Value> values = new ArrayList<>();
  private final List<Integer> nodes = new ArrayList<>();
  private final boolean open;
  private int known;

  /**
   * Creates a collection without elements.
   *
   * @param open whether there may be any number of others
   */
  KnownElements(boolean open) {
    this.open = open;
  }

  /** The elements of a set. */
  static KnownElements of(SetValue set, boolean open) {
    KnownElements elements = new KnownElements(open);
    set.elements().forEach(value -> elements.add(value, NodeTable.NONE));
    return elements;
  }

  /**
   * Adds an element.
   *
   * @param value null for one that is unknown, or not there
   */
  void add(@Nullable Value value, int node) {
    values.add(value);
    nodes.add(node);
    known += value == null ? 0 : 1;
  }

  int size() {
    return values.size();
  }

  /** The value of an element; null if it is unknown, or not there. */
  @Nullable Value value(int index) {
    return values.get(index);
  }

  /** The node of an element, or {@link NodeTable#NONE}. */
  int node(int index) {
    return nodes.get(index);
  }

  /** Whether there may be any number of other elements. */
  boolean isOpen() {
    return open;
  }

  /** The number of elements that may not be there. */
  int unknown() {
    return values.size() - known;
  }

  boolean isComplete() {
    return !open && unknown() == 0;
  }

  /** The known elements that are not NULL. */
  List<Value> known() {
    List<Value> found = new ArrayList<>();
    for (Value value : values) {
      if (value != null && !(value instanceof NullValue)) {
        found.add(value);
      }
    }
    return found;
  }
}
