// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.diagnostic.Spelling;
import io.retroscope.rql.plan.QueryPlan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The logs and variables of a STREAM that no event has named so far. They may appear later, so they
 * are no error; but they may be misspelt.
 */
public record UnknownNames(QueryPlan.Input input) {
  /** A sentence for each that a catalog does not have. */
  public List<String> in(Catalog catalog) {
    List<String> sentences = new ArrayList<>();
    for (String log : input.logs()) {
      if (!catalog.logNames().contains(log)) {
        sentences.add("no log " + log + " so far" + advice(log, catalog.logNames()));
      }
    }
    for (Reference.Variable variable : input.variables()) {
      List<String> known = catalog.variables(variable.log());
      if (catalog.logNames().contains(variable.log()) && !known.contains(variable.name())) {
        sentences.add(
            "no variable %s in %s so far%s"
                .formatted(variable.name(), variable.log(), advice(variable.name(), known)));
      }
    }
    return sentences;
  }

  private static String advice(String written, Collection<String> known) {
    return Spelling.nearest(written, known).map(name -> "; did you mean " + name + "?").orElse("");
  }
}
