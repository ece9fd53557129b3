// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlLexer;
import io.retroscope.rql.parser.generated.RqlParser.AcknowledgeContext;
import io.retroscope.rql.parser.generated.RqlParser.AlertByNameContext;
import io.retroscope.rql.parser.generated.RqlParser.ClaimContext;
import io.retroscope.rql.parser.generated.RqlParser.CreateRuleContext;
import io.retroscope.rql.parser.generated.RqlParser.DeclareContext;
import io.retroscope.rql.parser.generated.RqlParser.DescribeContext;
import io.retroscope.rql.parser.generated.RqlParser.DetectionContext;
import io.retroscope.rql.parser.generated.RqlParser.EvaluateContext;
import io.retroscope.rql.parser.generated.RqlParser.ExplainContext;
import io.retroscope.rql.parser.generated.RqlParser.ExplainCutContext;
import io.retroscope.rql.parser.generated.RqlParser.ExplainEpisodeContext;
import io.retroscope.rql.parser.generated.RqlParser.ForgetContext;
import io.retroscope.rql.parser.generated.RqlParser.ItemContext;
import io.retroscope.rql.parser.generated.RqlParser.ItemsContext;
import io.retroscope.rql.parser.generated.RqlParser.KillQueryContext;
import io.retroscope.rql.parser.generated.RqlParser.ListedItemsContext;
import io.retroscope.rql.parser.generated.RqlParser.LogSourceContext;
import io.retroscope.rql.parser.generated.RqlParser.MuteContext;
import io.retroscope.rql.parser.generated.RqlParser.NameContext;
import io.retroscope.rql.parser.generated.RqlParser.NeverAnyRowContext;
import io.retroscope.rql.parser.generated.RqlParser.QueryContext;
import io.retroscope.rql.parser.generated.RqlParser.QueryStatementContext;
import io.retroscope.rql.parser.generated.RqlParser.RowSourceContext;
import io.retroscope.rql.parser.generated.RqlParser.SettingContext;
import io.retroscope.rql.parser.generated.RqlParser.ShowContext;
import io.retroscope.rql.parser.generated.RqlParser.ShowVariablesContext;
import io.retroscope.rql.parser.generated.RqlParser.SingleStatementContext;
import io.retroscope.rql.parser.generated.RqlParser.VerdictContext;
import io.retroscope.rql.parser.generated.RqlParser.VerdictStatementContext;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.jspecify.annotations.Nullable;

/**
 * A builder of a statement from its parse tree. It collects problems and still builds a complete
 * syntax tree.
 */
final class AstBuilder extends AlternativeVisitor<Statement> {
  private final SourceTokens source;
  private final LiteralReader literals;
  private final ExpressionBuilder expressions;
  private final List<Diagnostic> problems;

  AstBuilder(SourceTokens source, List<Diagnostic> problems) {
    this.source = source;
    this.problems = problems;
    literals = new LiteralReader(source, problems);
    expressions = new ExpressionBuilder(source, literals, problems);
  }

  @Override
  public Statement visitSingleStatement(SingleStatementContext context) {
    return visit(context.statement());
  }

  @Override
  public Statement visitShow(ShowContext context) {
    Statement.Subject subject =
        switch (context.subject.getType()) {
          case RqlLexer.LOGS -> Statement.Subject.LOGS;
          case RqlLexer.NODES -> Statement.Subject.NODES;
          case RqlLexer.ALIGNMENT -> Statement.Subject.ALIGNMENT;
          case RqlLexer.QUERIES -> Statement.Subject.QUERIES;
          case RqlLexer.ALERTS -> Statement.Subject.ALERTS;
          default -> throw new AssertionError("nothing to show: " + context.subject);
        };
    return new Statement.Show(subject, Optional.empty(), Optional.empty(), source.range(context));
  }

  @Override
  public Statement visitShowVariables(ShowVariablesContext context) {
    return new Statement.Show(
        Statement.Subject.VARIABLES,
        optionalName(context.log),
        optionalString(context.pattern),
        source.range(context));
  }

  @Override
  public Statement visitDescribe(DescribeContext context) {
    return new Statement.Describe(expressions.identifier(context.log), source.range(context));
  }

  @Override
  public Statement visitForget(ForgetContext context) {
    return new Statement.Forget(expressions.identifier(context.node), source.range(context));
  }

  @Override
  public Statement visitKillQuery(KillQueryContext context) {
    return new Statement.KillQuery(literals.integer(context.id, false), source.range(context));
  }

  @Override
  public Statement visitEvaluate(EvaluateContext context) {
    return new Statement.Evaluate(expressions.visit(context.expression()), source.range(context));
  }

  @Override
  public Statement visitQueryStatement(QueryStatementContext context) {
    return selection(context.query(), explain(context.explain()), source.range(context));
  }

  @Override
  public Statement visitVerdictStatement(VerdictStatementContext context) {
    return verdict(context.verdict(), explain(context.explain()), source.range(context));
  }

  @Override
  public Statement visitDeclare(DeclareContext context) {
    return new Statement.Declare(
        expressions.identifier(context.variable),
        Optional.ofNullable(context.type).map(this::type),
        expressions.identifier(context.log),
        source.range(context));
  }

  private String type(NameContext written) {
    String type = written.getText().toUpperCase(Locale.ROOT);
    if (!Statement.Declare.TYPES.contains(type)) {
      problems.add(
          ErrorCode.BAD_NAME
              .at(source.range(written), '"' + written.getText() + "\" is not a type")
              .withHelp("the types are " + String.join(", ", Statement.Declare.TYPES)));
    }
    return type;
  }

  @Override
  public Statement visitCreateRule(CreateRuleContext context) {
    if (context.query() == null) {
      VerdictContext claim = context.verdict();
      return rule(context, verdict(claim, Statement.Explain.NO, source.range(claim)));
    }
    QueryContext query = context.query();
    refuseStream(query, context.kind.getType() == RqlLexer.ALERT ? "an alert" : "a rule");
    return rule(context, selection(query, Statement.Explain.NO, source.range(query)));
  }

  @Override
  public Statement visitExplainCut(ExplainCutContext context) {
    Statement.Selection rule;
    if (context.query() == null) {
      rule = verdict(context.verdict(), Statement.Explain.NO, source.range(context.verdict()));
    } else {
      refuseStream(context.query(), "EXPLAIN CUT");
      rule = selection(context.query(), Statement.Explain.NO, source.range(context.query()));
    }
    return new Statement.ExplainCut(
        new TimePointBuilder(source, literals).visit(context.timePoint()),
        optionalString(context.element),
        rule,
        depth(context.DEPTH(), context.INTEGER()),
        source.range(context));
  }

  @Override
  public Statement visitExplainEpisode(ExplainEpisodeContext context) {
    return new Statement.ExplainEpisode(
        literals.string(context.episode),
        depth(context.DEPTH(), context.INTEGER()),
        source.range(context));
  }

  private OptionalLong depth(@Nullable TerminalNode word, @Nullable TerminalNode number) {
    return word == null || number == null
        ? OptionalLong.empty()
        : OptionalLong.of(literals.integer(number.getSymbol(), false));
  }

  /** A claim has one row, when the range is complete. */
  private void refuseStream(QueryContext query, String where) {
    if (query.STREAM() != null) {
      problems.add(
          ErrorCode.NOT_IN_VERDICT
              .at(source.range(query.STREAM().getSymbol()), where, "STREAM")
              .withHelp("leave it out"));
    }
  }

  private Statement rule(CreateRuleContext context, Statement.Selection rule) {
    boolean isAlert = context.kind.getType() == RqlLexer.ALERT;
    if (!isAlert && context.settings() != null) {
      problems.add(
          ErrorCode.NOT_IN_VERDICT
              .at(source.range(context.settings()), "CREATE RULE", "WITH")
              .withHelp("write CREATE ALERT for a rule that a server evaluates and reports"));
    }
    return new Statement.CreateRule(
        isAlert,
        context.REPLACE() != null,
        expressions.identifier(context.ruleName),
        context.settings() == null
            ? List.of()
            : context.settings().setting().stream().map(this::setting).toList(),
        rule,
        source.range(context));
  }

  private Statement.Setting setting(SettingContext context) {
    String key =
        context.key.stream()
            .map(part -> expressions.identifier(part).text())
            .collect(Collectors.joining("."));
    Value value =
        context.value.getType() == RqlLexer.STRING
            ? Value.of(literals.string(context.value))
            : new DurationValue(literals.durationMicros(context.value, false));
    return new Statement.Setting(key, value, source.range(context));
  }

  @Override
  public Statement visitAlertByName(AlertByNameContext context) {
    return new Statement.AlertStatement(
        context.action.getType() == RqlLexer.DROP
            ? Statement.AlertAction.DROP
            : Statement.AlertAction.DESCRIBE,
        expressions.identifier(context.alert),
        Optional.empty(),
        0,
        source.range(context));
  }

  @Override
  public Statement visitAcknowledge(AcknowledgeContext context) {
    return new Statement.AlertStatement(
        Statement.AlertAction.ACKNOWLEDGE,
        expressions.identifier(context.alert),
        optionalString(context.element),
        0,
        source.range(context));
  }

  @Override
  public Statement visitMute(MuteContext context) {
    return new Statement.AlertStatement(
        Statement.AlertAction.MUTE,
        expressions.identifier(context.alert),
        Optional.empty(),
        literals.durationMicros(context.DURATION().getSymbol(), false),
        source.range(context));
  }

  private Statement.Selection verdict(
      VerdictContext context, Statement.Explain explain, SourceRange range) {
    if (context instanceof DetectionContext detection) {
      return new DetectionBuilder(source, literals, expressions, problems)
          .build(detection, explain, range);
    }
    if (context instanceof NeverAnyRowContext rows) {
      refuseStream(rows.query(), "NEVER");
      return new Statement.Verdict(
          explain,
          Statement.Claim.NEVER,
          Optional.empty(),
          selection(rows.query(), Statement.Explain.NO, source.range(rows.query())),
          range);
    }
    return new VerdictBuilder(source, literals, expressions, problems)
        .build((ClaimContext) context, explain, range);
  }

  private Statement.Selection selection(
      QueryContext query, Statement.Explain explain, SourceRange range) {
    return query.source() instanceof RowSourceContext rows
        ? outerQuery(query, rows, explain, range)
        : query(query, (LogSourceContext) query.source(), explain, range);
  }

  private Statement.Selection query(
      QueryContext query, LogSourceContext logs, Statement.Explain explain, SourceRange range) {
    ClauseBuilder clauses = new ClauseBuilder(source, literals, expressions, problems);
    logs.clause().forEach(clauses::add);
    return new Statement.Query(
        explain,
        query.STREAM() != null,
        items(query.items()),
        logs.logs.stream().map(expressions::identifier).toList(),
        clauses.build(),
        range);
  }

  private Statement.Selection outerQuery(
      QueryContext query, RowSourceContext rows, Statement.Explain explain, SourceRange range) {
    QueryContext within = rows.query();
    Statement.Selection inner = selection(within, Statement.Explain.NO, source.range(within));
    RowClauseBuilder clauses = new RowClauseBuilder(source, literals, expressions, problems);
    clauses.checkInner(query, within, inner);
    rows.rowClause().forEach(clauses::visit);
    return new Statement.OuterQuery(
        explain,
        items(query.items()),
        inner,
        optionalName(rows.alias),
        clauses.where(),
        clauses.groupBy(),
        clauses.orderBy(),
        clauses.limit(),
        range);
  }

  private static Statement.Explain explain(@Nullable ExplainContext context) {
    if (context == null) {
      return Statement.Explain.NO;
    }
    return context.ANALYZE() == null ? Statement.Explain.PLAN : Statement.Explain.ANALYZE;
  }

  private List<Statement.SelectItem> items(ItemsContext context) {
    return context instanceof ListedItemsContext listed
        ? listed.item().stream().map(this::item).toList()
        : List.of();
  }

  private Statement.SelectItem item(ItemContext context) {
    Expression expression = expressions.visit(context.expression());
    return new Statement.SelectItem(
        expression,
        optionalName(context.alias),
        source.heading(context.expression()),
        source.range(context));
  }

  private Optional<Identifier> optionalName(@Nullable ParserRuleContext context) {
    return context == null ? Optional.empty() : Optional.of(expressions.identifier(context));
  }

  private Optional<String> optionalString(@Nullable Token token) {
    return token == null ? Optional.empty() : Optional.of(literals.string(token));
  }
}
