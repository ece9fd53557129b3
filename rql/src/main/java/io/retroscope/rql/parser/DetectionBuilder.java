// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.event.Value;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.OnTime;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Modality;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlLexer;
import io.retroscope.rql.parser.generated.RqlParser.AtClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.ClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.DetectionContext;
import io.retroscope.rql.parser.generated.RqlParser.LiveNodesContext;
import io.retroscope.rql.parser.generated.RqlParser.OnClauseContext;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** A builder of POSSIBLY and DEFINITELY, which refuses every clause that depends on clocks. */
final class DetectionBuilder {
  private static final String TAKES = "it takes AT NODES and ON TIME from TO to";

  private final SourceTokens source;
  private final LiteralReader literals;
  private final ExpressionBuilder expressions;
  private final List<Diagnostic> problems;

  DetectionBuilder(
      SourceTokens source,
      LiteralReader literals,
      ExpressionBuilder expressions,
      List<Diagnostic> problems) {
    this.source = source;
    this.literals = literals;
    this.expressions = expressions;
    this.problems = problems;
  }

  Statement.Detection build(
      DetectionContext context, Statement.Explain explain, SourceRange range) {
    Modality modality =
        context.modality.getType() == RqlLexer.POSSIBLY ? Modality.POSSIBLY : Modality.DEFINITELY;
    Expression predicate = expressions.visit(context.expression());
    if (context.DURATION() != null) {
      String help = "interleavings have an order but no duration; NEVER p FOR 5ms uses clocks";
      refuse(source.range(context.FOR().getSymbol()), modality, "FOR", help);
    }
    ClauseBuilder clauses = new ClauseBuilder(source, literals, expressions, problems);
    for (ClauseContext clause : context.clause()) {
      check(modality, clause);
      clauses.add(clause);
    }
    clauses.build().onTime().ifPresent(time -> checkTime(modality, time));
    SourceRange written = source.range(context.expression());
    Statement.SelectItem nothing =
        new Statement.SelectItem(
            new Expression.Literal(Value.of(true), written), Optional.empty(), "TRUE", written);
    Statement.When when = new Statement.When(predicate, OptionalLong.empty(), written);
    Statement.Query walk =
        new Statement.Query(
            Statement.Explain.NO,
            false,
            List.of(nothing),
            context.logs.stream().map(expressions::identifier).toList(),
            clauses.build().toBuilder().when(Optional.of(when)).build(),
            range);
    return new Statement.Detection(explain, modality, walk, range);
  }

  private void check(Modality modality, ClauseContext clause) {
    if (clause instanceof AtClauseContext at && at.nodeScope() instanceof LiveNodesContext) {
      refuse(source.range(clause), modality, "AT LIVE NODES", TAKES);
      return;
    }
    boolean fits =
        clause instanceof AtClauseContext
            || (clause instanceof OnClauseContext on && on.timeSpan() != null);
    if (!fits) {
      String word = clause.getStart().getText().toUpperCase(Locale.ROOT);
      refuse(source.range(clause.getStart()), modality, word, TAKES);
    }
  }

  /** One point in time has one cut in the order of stamps, and no interleavings. */
  private void checkTime(Modality modality, OnTime time) {
    if (time instanceof OnTime.At) {
      refuse(time.range(), modality, "a single time", "write ON TIME from TO to");
    }
  }

  private void refuse(SourceRange range, Modality modality, String clause, String help) {
    problems.add(ErrorCode.NOT_IN_VERDICT.at(range, modality, clause).withHelp(help));
  }
}
