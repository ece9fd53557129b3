package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.ValueType;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.cut.NodeTable;
import io.retroscope.rql.cut.PerNode;
import io.retroscope.rql.cut.VariableColumn;
import java.util.LinkedHashMap;
import java.util.Map;

/** A struct with one field per node that has a value, in the natural order of the nodes. */
record NodeStruct(PerNodeEvaluator evaluator) implements Evaluator {
  @Override
  public Value value(Frame frame) {
    PerNode values = evaluator.values(frame);
    NodeTable nodes = frame.state().nodes();
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int rank = 0; rank < nodes.size(); rank++) {
      Value value = values.at(nodes.atRank(rank));
      if (value != null) {
        fields.put(nodes.name(nodes.atRank(rank)), value);
      }
    }
    return new StructValue(fields);
  }

  @Override
  public void fill(Frame frame, RowCells cells) {
    PerNode values = evaluator.values(frame);
    NodeTable nodes = frame.state().nodes();
    VariableColumn longs =
        values instanceof VariableColumn column && column.packedType() == ValueType.LONG
            ? column
            : null;
    cells.addNodes();
    for (int rank = 0; rank < nodes.size(); rank++) {
      int node = nodes.atRank(rank);
      if (longs != null && longs.isPacked(node)) {
        cells.addNode(nodes.name(node), longs.number(node));
      } else {
        Value value = values.at(node);
        if (value != null) {
          cells.addNode(nodes.name(node), value);
        }
      }
    }
  }
}
