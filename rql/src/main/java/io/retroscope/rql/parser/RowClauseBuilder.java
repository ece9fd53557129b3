// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlParser.CutClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.GroupClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.LimitClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.OrderClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.QueryContext;
import io.retroscope.rql.parser.generated.RqlParser.SortKeyContext;
import io.retroscope.rql.parser.generated.RqlParser.WhenClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.WhereClauseContext;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.TerminalNode;

/** A builder of the clauses of one outer query, which may come in any order. */
final class RowClauseBuilder extends AlternativeVisitor<Boolean> {
  private final SourceTokens source;
  private final LiteralReader literals;
  private final ExpressionBuilder expressions;
  private final List<Diagnostic> problems;
  private final Set<String> seen = new HashSet<>();

  private Optional<Expression> where = Optional.empty();
  private List<Expression> groupBy = List.of();
  private List<Statement.SortKey> orderBy = List.of();
  private OptionalLong limit = OptionalLong.empty();

  RowClauseBuilder(
      SourceTokens source,
      LiteralReader literals,
      ExpressionBuilder expressions,
      List<Diagnostic> problems) {
    this.source = source;
    this.literals = literals;
    this.expressions = expressions;
    this.problems = problems;
  }

  /** Refuses a STREAM, whose rows have no end, on both sides, and a sound of the inner rows. */
  void checkInner(QueryContext outer, QueryContext inner, Statement.Selection built) {
    for (QueryContext query : List.of(outer, inner)) {
      if (query.STREAM() != null) {
        problems.add(
            ErrorCode.NOT_IN_STREAM
                .at(source.range(query.STREAM().getSymbol()), "an outer query")
                .withHelp("rows that still arrive cannot be sorted or grouped; omit STREAM"));
      }
    }
    if (built instanceof Statement.Query query) {
      query
          .play()
          .ifPresent(
              play ->
                  refuse(
                      play.range(),
                      "inner",
                      "PLAY",
                      "the rows of the outer query have no sound; run the inner query alone"));
    }
  }

  private void refuse(SourceRange range, String which, String clause, String help) {
    problems.add(ErrorCode.NOT_IN_PARENTHESES.at(range, which, clause).withHelp(help));
  }

  private void once(String name, TerminalNode first, TerminalNode last) {
    if (!seen.add(name)) {
      problems.add(
          ErrorCode.REPEATED_CLAUSE
              .at(source.range(first.getSymbol(), last.getSymbol()), name)
              .withHelp("each clause may appear once"));
    }
  }

  @Override
  public Boolean visitWhereClause(WhereClauseContext context) {
    once("WHERE", context.WHERE(), context.WHERE());
    where = Optional.of(expressions.visit(context.expression()));
    return true;
  }

  @Override
  public Boolean visitGroupClause(GroupClauseContext context) {
    once("GROUP BY", context.GROUP(), context.BY());
    groupBy = context.expression().stream().map(expressions::visit).toList();
    return true;
  }

  @Override
  public Boolean visitOrderClause(OrderClauseContext context) {
    once("ORDER BY", context.ORDER(), context.BY());
    orderBy = context.sortKey().stream().map(this::key).toList();
    return true;
  }

  private Statement.SortKey key(SortKeyContext context) {
    return new Statement.SortKey(
        expressions.visit(context.expression()),
        context.DESC() != null,
        context.FIRST() != null,
        source.range(context));
  }

  @Override
  public Boolean visitCutClause(CutClauseContext context) {
    if (context.clause() instanceof LimitClauseContext clause) {
      once("LIMIT", clause.LIMIT(), clause.LIMIT());
      limit = OptionalLong.of(literals.integer(clause.INTEGER().getSymbol(), false));
      return true;
    }
    Token word = context.getStart();
    refuse(
        source.range(word),
        "outer",
        word.getText().toUpperCase(Locale.ROOT),
        context.clause() instanceof WhenClauseContext
            ? "conditions on rows are written WHERE; conditions on cuts belong inside the parentheses"
            : "write it inside the parentheses");
    return true;
  }

  Optional<Expression> where() {
    return where;
  }

  List<Expression> groupBy() {
    return groupBy;
  }

  List<Statement.SortKey> orderBy() {
    return orderBy;
  }

  OptionalLong limit() {
    return limit;
  }
}
