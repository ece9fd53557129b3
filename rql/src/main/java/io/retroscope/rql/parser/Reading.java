package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What could be read of a statement.
 *
 * @param statement where there are problems, a query without its clauses and items at fault; empty
 *     where nothing of use is left
 * @param problems every independent error, by its place
 * @param obscured names that the clauses at fault may have declared
 */
public record Reading(
    Optional<Statement> statement, List<Diagnostic> problems, Set<String> obscured) {
  /** Copies the collections. */
  public Reading {
    problems = List.copyOf(problems);
    obscured = Set.copyOf(obscured);
  }
}
