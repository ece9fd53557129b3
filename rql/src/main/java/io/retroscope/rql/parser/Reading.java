package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The result of parsing a statement that may have syntax errors.
 *
 * @param statement with problems, a query without its faulty clauses and items; empty if nothing
 *     useful remains
 * @param problems every independent error, by its place
 * @param obscured names that the faulty clauses may have declared
 */
public record Reading(
    Optional<Statement> statement, List<Diagnostic> problems, Set<String> obscured) {
  /** Copies the collections. */
  public Reading {
    problems = List.copyOf(problems);
    obscured = Set.copyOf(obscured);
  }
}
