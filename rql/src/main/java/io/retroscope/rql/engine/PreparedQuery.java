package io.retroscope.rql.engine;

import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.ast.Statement;
import java.util.Optional;

/** A statement that is parsed and checked, and can run any number of times. Immutable. */
public final class PreparedQuery {
  private final String text;
  private final Statement statement;
  private final Optional<AnalyzedQuery> query;
  private final Optional<Resolution> expression;

  PreparedQuery(
      String text,
      Statement statement,
      Optional<AnalyzedQuery> query,
      Optional<Resolution> expression) {
    this.text = text;
    this.statement = statement;
    this.query = query;
    this.expression = expression;
  }

  /** The text of the statement. */
  public String text() {
    return text;
  }

  /**
   * Whether the statement is a STREAM, which needs {@link QueryEngine#openLive} instead of {@code
   * run}.
   */
  public boolean isStream() {
    return statement instanceof Statement.Query asked
        && asked.stream()
        && asked.explain() == Statement.Explain.NO;
  }

  /** The authority that the sender needs. */
  public Authority needs() {
    return statement instanceof Statement.Forget || statement instanceof Statement.KillQuery
        ? Authority.ADMIN
        : Authority.READ;
  }

  /** Whether it is answered immediately from data in memory: SHOW and KILL QUERY. */
  public boolean isQuick() {
    return statement instanceof Statement.Show || statement instanceof Statement.KillQuery;
  }

  Statement statement() {
    return statement;
  }

  /** The analyzed SELECT. */
  AnalyzedQuery query() {
    return query.orElseThrow(() -> new IllegalStateException("not a SELECT: " + text));
  }

  /** The resolution of the names in a single expression. */
  Resolution expression() {
    return expression.orElseThrow(() -> new IllegalStateException("no expression: " + text));
  }
}
