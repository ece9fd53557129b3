package io.retroscope.rql.engine;

import io.retroscope.rql.cut.VariableColumn;
import org.jspecify.annotations.Nullable;

/**
 * A query as it is asked of the cuts: once, or with FOR EACH VARIABLE once for each of them.
 *
 * @param variable what FOR EACH VARIABLE stands for, null in other queries
 */
record Question(@Nullable VariableColumn variable, Frame frame, Run run) {
  /** What its rows are ordered by within one cut. */
  String name() {
    return variable == null ? "" : variable.name();
  }
}
