// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The check that variables have the types with which they are declared. Used by one thread. */
public final class DeclaredTypes {
  private final List<Declared> all = new ArrayList<>();

  private record Declared(String name, String type, VariableColumn column) {}

  /**
   * Creates the check of some variables.
   *
   * @param types the names of their types
   */
  public DeclaredTypes(Map<Reference.Variable, String> types, Translator translator) {
    types.forEach(
        (variable, type) ->
            all.add(new Declared(variable.name(), type, translator.column(variable))));
  }

  /**
   * Checks the values in the frame's cut. NULL is a value of each type.
   *
   * @throws EvaluationException for a value of another type
   */
  public void check(Frame frame) {
    for (Declared declared : all) {
      NodeTable nodes = frame.state().nodes();
      for (int rank = 0; rank < nodes.size(); rank++) {
        int node = nodes.atRank(rank);
        Value value = declared.column.at(node);
        if (value != null && !Types.isNull(value) && !value.typeName().equals(declared.type)) {
          throw Types.wrong(
                  "\"%s\" is declared as %s, but is %s"
                      .formatted(declared.name, declared.type, Types.described(value)))
              .of(List.of(nodes.name(node)));
        }
      }
    }
  }
}
