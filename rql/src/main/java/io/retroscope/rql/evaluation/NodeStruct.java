// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.FieldNames;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.PerNode;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A struct with a field for each node that has a value, in the natural order of their names. The
 * structs share the names while the same nodes have values. Used by one thread.
 */
final class NodeStruct implements Evaluator {
  private final PerNodeEvaluator source;
  private FieldNames names = new FieldNames(List.of());

  /** The ids of the nodes that {@link #names} are of. */
  private int[] named = {};

  private int[] present = {};
  private Value[] values = {};

  /** The names of all nodes in their order, and a LONG of each. */
  private String[] all = {};

  private long[] longs = {};

  NodeStruct(PerNodeEvaluator source) {
    this.source = source;
  }

  @Override
  public Value value(Frame frame) {
    PerNode perNode = source.values(frame);
    NodeTable nodes = frame.state().nodes();
    if (values.length < nodes.size()) {
      present = new int[2 * nodes.size()];
      values = new Value[2 * nodes.size()];
    }
    int count = 0;
    for (int rank = 0; rank < nodes.size(); rank++) {
      int node = nodes.atRank(rank);
      Value value = perNode.at(node);
      if (value != null) {
        present[count] = node;
        values[count++] = value;
      }
    }
    if (!Arrays.equals(named, 0, named.length, present, 0, count)) {
      nameFields(nodes, count);
    }
    return names.struct(values);
  }

  @Override
  public void fill(Frame frame, RowCells cells) {
    PerNode perNode = source.values(frame);
    NodeTable nodes = frame.state().nodes();
    VariableColumn column =
        perNode instanceof VariableColumn variable && variable.packedType() == ValueType.LONG
            ? variable
            : null;
    cells.addNodes();
    if (column != null && column.isAllLong() && column.present() == nodes.size()) {
      fill(column, nodes, cells);
      return;
    }
    for (int rank = 0; rank < nodes.size(); rank++) {
      int node = nodes.atRank(rank);
      if (column != null && column.isPacked(node)) {
        cells.addNode(nodes.name(node), column.number(node));
      } else {
        Value value = perNode.at(node);
        if (value != null) {
          cells.addNode(nodes.name(node), value);
        }
      }
    }
  }

  private void fill(VariableColumn column, NodeTable nodes, RowCells cells) {
    if (all.length != nodes.size()) {
      all = new String[nodes.size()];
      longs = new long[all.length];
      Arrays.setAll(all, rank -> nodes.name(nodes.atRank(rank)));
    }
    for (int rank = 0; rank < longs.length; rank++) {
      longs[rank] = column.number(nodes.atRank(rank));
    }
    cells.addNodes(all, longs);
  }

  private void nameFields(NodeTable nodes, int count) {
    named = Arrays.copyOf(present, count);
    List<String> fields = new ArrayList<>(count);
    for (int node : named) {
      fields.add(nodes.name(node));
    }
    names = new FieldNames(fields);
  }
}
