package io.retroscope.rql.engine;

import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.ast.Statement;
import java.util.Optional;

/** A statement that was parsed and checked, ready to run as often as wanted. Immutable. */
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

  /** As written. */
  public String text() {
    return text;
  }

  /** Whether it says STREAM: to be opened by {@link QueryEngine#openLive}, not to be run. */
  public boolean isStream() {
    return statement instanceof Statement.Query asked
        && asked.stream()
        && asked.explain() == Statement.Explain.NO;
  }

  /** Whether it is answered at once from what is known: SHOW and KILL QUERY. */
  public boolean isQuick() {
    return statement instanceof Statement.Show || statement instanceof Statement.KillQuery;
  }

  /** What whoever sends it must be allowed to do. */
  public Authority needs() {
    return statement instanceof Statement.Forget || statement instanceof Statement.KillQuery
        ? Authority.ADMIN
        : Authority.READ;
  }

  Statement statement() {
    return statement;
  }

  /** The analyzed SELECT. */
  AnalyzedQuery query() {
    return query.orElseThrow(() -> new IllegalStateException("not a SELECT: " + text));
  }

  /** What the names in an expression on its own stand for. */
  Resolution expression() {
    return expression.orElseThrow(() -> new IllegalStateException("no expression: " + text));
  }
}
