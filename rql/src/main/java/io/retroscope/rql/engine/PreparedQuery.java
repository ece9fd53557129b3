// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.AnalyzedSelection;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.ast.Statement;
import java.util.Optional;

/** A statement that is parsed and checked, and can run any number of times. Immutable. */
public final class PreparedQuery {
  /** The authority that a kind of statement needs, and whether it is answered from memory. */
  private record Treatment(Authority needs, boolean quick) {}

  private static final Statement.Visitor<Treatment> TREATMENT =
      new Statement.Visitor<>() {
        @Override
        public Treatment query(Statement.Query statement) {
          return new Treatment(Authority.READ, false);
        }

        @Override
        public Treatment outerQuery(Statement.OuterQuery statement) {
          return new Treatment(Authority.READ, false);
        }

        @Override
        public Treatment verdict(Statement.Verdict statement) {
          return new Treatment(Authority.READ, false);
        }

        @Override
        public Treatment detection(Statement.Detection statement) {
          return new Treatment(Authority.READ, false);
        }

        @Override
        public Treatment declare(Statement.Declare statement) {
          return new Treatment(Authority.READ, true);
        }

        @Override
        public Treatment createRule(Statement.CreateRule statement) {
          return new Treatment(Authority.ADMIN, true);
        }

        @Override
        public Treatment alert(Statement.AlertStatement statement) {
          Authority needs =
              switch (statement.action()) {
                case DESCRIBE -> Authority.READ;
                case ACKNOWLEDGE, MUTE -> Authority.WRITE;
                case DROP -> Authority.ADMIN;
              };
          return new Treatment(needs, true);
        }

        @Override
        public Treatment explainCut(Statement.ExplainCut statement) {
          return new Treatment(Authority.READ, false);
        }

        @Override
        public Treatment explainEpisode(Statement.ExplainEpisode statement) {
          return new Treatment(Authority.READ, true);
        }

        @Override
        public Treatment show(Statement.Show statement) {
          return new Treatment(Authority.READ, true);
        }

        @Override
        public Treatment describe(Statement.Describe statement) {
          return new Treatment(Authority.READ, false);
        }

        @Override
        public Treatment forget(Statement.Forget statement) {
          return new Treatment(Authority.ADMIN, false);
        }

        @Override
        public Treatment killQuery(Statement.KillQuery statement) {
          return new Treatment(Authority.ADMIN, true);
        }

        @Override
        public Treatment evaluate(Statement.Evaluate statement) {
          return new Treatment(Authority.READ, false);
        }
      };

  private final String text;
  private final Statement statement;
  private final Optional<AnalyzedSelection> query;
  private final Optional<Resolution> expression;

  PreparedQuery(
      String text,
      Statement statement,
      Optional<AnalyzedSelection> query,
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
    return statement.isLive();
  }

  /** The authority that the sender needs. */
  public Authority needs() {
    return statement.accept(TREATMENT).needs();
  }

  /** Whether it is answered immediately from data in memory: SHOW and KILL QUERY. */
  public boolean isQuick() {
    return statement.accept(TREATMENT).quick();
  }

  /** Whether it selects rows of cuts, with or without a verdict. */
  public boolean isSelection() {
    return query.isPresent()
        && !(statement instanceof Statement.Detection)
        && !(statement instanceof Statement.ExplainCut)
        && !(statement instanceof Statement.CreateRule);
  }

  Statement statement() {
    return statement;
  }

  /** The analyzed SELECT. */
  AnalyzedSelection selection() {
    return query.orElseThrow(() -> new IllegalStateException("not a SELECT: " + text));
  }

  /** The analyzed SELECT that walks cuts. */
  AnalyzedQuery query() {
    return selection().walk();
  }

  /** The resolution of the names in a single expression. */
  Resolution expression() {
    return expression.orElseThrow(() -> new IllegalStateException("no expression: " + text));
  }
}
