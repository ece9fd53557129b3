// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.event.Value;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Evaluator;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.evaluation.Types;
import io.retroscope.rql.evaluation.WorkMeter;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An expression over cuts of some nodes of a computation, evaluated as WHEN is. Used by one thread.
 */
final class CutPredicate {
  private final Computation computation;
  private final int[] nodes;
  private final CutState state;
  private final List<VariableColumn> columns;
  private final Evaluator evaluator;
  private final Frame frame;
  private final WorkMeter work;
  private final String operation;
  private final int[] shown;

  /**
   * Creates an expression over cuts that have no other nodes than these.
   *
   * @param nodes their indexes in the computation
   * @param operation takes the value, for errors
   */
  CutPredicate(
      Computation computation,
      int[] nodes,
      Expression expression,
      AnalyzedQuery query,
      QueryLimits limits,
      WorkMeter work,
      String operation) {
    this.computation = computation;
    this.nodes = nodes;
    this.work = work;
    this.operation = operation;
    Set<String> names = new LinkedHashSet<>();
    for (int node : nodes) {
      names.add(computation.nodes().get(node));
    }
    this.state = new CutState(names);
    this.columns = query.variables().stream().map(v -> state.follow(v.log(), v.name())).toList();
    this.evaluator = Translator.over(new CutBatch(state), query, limits).one(expression);
    int slots = query.declarations().size() + query.boundSlots();
    this.frame = new Frame(state, null, null, slots, work);
    this.shown = new int[nodes.length];
    Arrays.fill(shown, -1);
  }

  /**
   * Returns the value at a cut: a BOOLEAN or NULL.
   *
   * @param cut the states of all nodes of the computation
   * @throws EvaluationException if there is none
   */
  Value at(int[] cut) {
    work.add(1);
    for (int i = 0; i < nodes.length; i++) {
      if (shown[i] != cut[nodes[i]]) {
        show(i, cut[nodes[i]]);
      }
    }
    frame.beginCut();
    return Types.truth(evaluator.value(frame), operation);
  }

  /** The cut at which it was evaluated last, with the first states of all other nodes. */
  int[] cut() {
    int[] cut = computation.start();
    for (int i = 0; i < nodes.length; i++) {
      cut[nodes[i]] = Math.max(0, shown[i]);
    }
    return cut;
  }

  private void show(int index, int number) {
    shown[index] = number;
    int id = state.nodes().find(computation.nodes().get(nodes[index]));
    @Nullable Value[] values = computation.state(nodes[index], number).values();
    for (int i = 0; i < values.length; i++) {
      state.show(columns.get(i), id, values[i]);
    }
  }
}
