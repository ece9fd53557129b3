// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.event.Value;
import io.retroscope.rql.analysis.AnalyzedQuery.Doubt;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.MomentaryVariables;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The search for reasons why a valid query hardly means what it says. */
final class DoubtSearch {
  /** The maximum number of logs that a warning names. */
  private static final int MAX_NAMED = 5;

  private final Catalog catalog;
  private final String text;
  private final Statement.Query query;
  private final Set<Reference.Variable> used;

  /**
   * Creates a search.
   *
   * @param used the variables that the query names
   */
  DoubtSearch(Catalog catalog, String text, Statement.Query query, Set<Reference.Variable> used) {
    this.catalog = catalog;
    this.text = text;
    this.query = query;
    this.used = used;
  }

  List<Doubt> doubts() {
    List<Doubt> doubts = new ArrayList<>();
    if (used.isEmpty() && query.forEach().isEmpty()) {
      String logs = String.join(", ", query.logs().stream().map(Identifier::text).toList());
      String sentence = "the query names no variable and no line of %s, so there is no cut";
      doubts.add(new Doubt(sentence.formatted(logs), true));
    }
    query.items().forEach(item -> quoted(item.expression(), doubts));
    for (Identifier log : query.logs()) {
      noLines(log.text(), doubts);
    }
    return doubts;
  }

  /** Adds a doubt if an item is a text that is the name of a variable. */
  private void quoted(Expression item, List<Doubt> doubts) {
    if (item instanceof Expression.Literal literal
        && literal.value() instanceof Value.StringValue name
        && query.logs().stream()
            .anyMatch(log -> catalog.variables(log.text()).contains(name.value()))) {
      String source = text.substring(item.range().start(), item.range().end());
      String sentence = "%s is a text, not a variable: did you mean %s?";
      doubts.add(new Doubt(sentence.formatted(source, NodeNames.written(name.value())), false));
    }
  }

  /** Adds a doubt if the query uses log lines of a log that has none. */
  private void noLines(String log, List<Doubt> doubts) {
    boolean uses =
        used.contains(new Reference.Variable(log, MomentaryVariables.MESSAGE))
            || used.contains(new Reference.Variable(log, MomentaryVariables.FIELDS));
    if (uses && catalog.logNames().contains(log) && !hasLines(log)) {
      List<String> others = catalog.logNames().stream().filter(this::hasLines).toList();
      String named = String.join(", ", others.stream().limit(MAX_NAMED).toList());
      if (query.stream() && others.isEmpty()) {
        return; // Any log may still get its first line.
      }
      int more = others.size() - MAX_NAMED;
      String where =
          others.isEmpty()
              ? ", nor in any other log"
              : "; they are in " + named + (more > 0 ? " and " + more + " more" : "");
      doubts.add(new Doubt("no log lines in " + log + where, false));
    }
  }

  private boolean hasLines(String log) {
    return catalog.variables(log).contains(MomentaryVariables.MESSAGE);
  }
}
