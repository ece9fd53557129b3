// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The result of parsing a statement that may have syntax errors.
 *
 * @param text the text that was parsed
 * @param statement with problems, a query without its faulty clauses and items; empty if nothing
 *     useful remains
 * @param problems every independent error, by its place
 * @param obscured names that the faulty clauses may have declared
 * @param declared the declarations before the statement
 */
public record ParsedStatement(
    String text,
    Optional<Statement> statement,
    List<Diagnostic> problems,
    Set<String> obscured,
    List<Statement.Declare> declared) {
  /** Creates the result of a statement without declarations. */
  public ParsedStatement(
      String text, Optional<Statement> statement, List<Diagnostic> problems, Set<String> obscured) {
    this(text, statement, problems, obscured, List.of());
  }

  /** Copies the collections. */
  public ParsedStatement {
    declared = List.copyOf(declared);
    problems = List.copyOf(problems);
    obscured = Set.copyOf(obscured);
  }

  /** The SELECT that walks cuts, if the text contains one and no error. */
  public Optional<Statement.Query> query() {
    return problems.isEmpty()
        ? statement
            .filter(Statement.Selection.class::isInstance)
            .map(selection -> ((Statement.Selection) selection).walk())
        : Optional.empty();
  }

  /** Whether it is a statement without errors whose rows arrive as events do: a STREAM. */
  public boolean isLive() {
    return problems.isEmpty() && statement.map(Statement::isLive).orElse(false);
  }
}
