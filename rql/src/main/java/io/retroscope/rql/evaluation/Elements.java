// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.PerNode;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The elements of a quantifier or an aggregate: values, each with the node that it comes from. */
final class Elements {
  private Value[] values = new Value[8];
  private int[] nodes = new int[8];
  private int count;

  int count() {
    return count;
  }

  Value value(int index) {
    return values[index];
  }

  /** The node of an element, or {@link NodeTable#NONE} for an element of a set. */
  int node(int index) {
    return nodes[index];
  }

  /** Returns the names of the nodes of some elements in natural order, without elements of sets. */
  Set<String> nodeNames(Frame frame, int... indexes) {
    Set<String> names = new TreeSet<>(NaturalOrder.INSTANCE);
    for (int index : indexes) {
      names.addAll(ElementSource.nodeName(nodes[index], frame));
    }
    return names;
  }

  /** Adds the value at every node, nodes in natural order. */
  void addAll(PerNode perNode, NodeTable table) {
    for (int rank = 0; rank < table.size(); rank++) {
      int node = table.atRank(rank);
      Value value = perNode.at(node);
      if (value != null) {
        add(value, node);
      }
    }
  }

  void addAll(SetValue set) {
    for (Value value : set.elements()) {
      add(value, NodeTable.NONE);
    }
  }

  void add(Value value, int node) {
    if (count == values.length) {
      values = Arrays.copyOf(values, 2 * count);
      nodes = Arrays.copyOf(nodes, 2 * count);
    }
    values[count] = value;
    nodes[count++] = node;
  }

  /** The values as a view, in the order in which they were added. */
  List<Value> values() {
    return Arrays.asList(values).subList(0, count);
  }

  SetValue toSet() {
    return new SetValue(values());
  }
}
