// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Clauses;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.NodeScope;
import io.retroscope.rql.ast.OnTime;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.ast.TimePoint;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlLexer;
import io.retroscope.rql.parser.generated.RqlParser.AllNodesContext;
import io.retroscope.rql.parser.generated.RqlParser.AtClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.ClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.ComputeClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.EachNodeContext;
import io.retroscope.rql.parser.generated.RqlParser.EachValueContext;
import io.retroscope.rql.parser.generated.RqlParser.EachVariableContext;
import io.retroscope.rql.parser.generated.RqlParser.EmitClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.ForClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.LastSpanContext;
import io.retroscope.rql.parser.generated.RqlParser.LimitClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.ListedNodesContext;
import io.retroscope.rql.parser.generated.RqlParser.LiveNodesContext;
import io.retroscope.rql.parser.generated.RqlParser.OnClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.PlayClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.PointSpanContext;
import io.retroscope.rql.parser.generated.RqlParser.ResponseClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.WhenClauseContext;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.TerminalNode;

/** A builder of the clauses of one query, which may come in any order. */
final class ClauseBuilder extends AlternativeVisitor<Boolean> {
  private final SourceTokens source;
  private final LiteralReader literals;
  private final ExpressionBuilder expressions;
  private final TimePointBuilder points;
  private final List<Diagnostic> problems;
  private final Set<String> seen = new HashSet<>();

  private final Clauses.Builder clauses = Clauses.NONE.toBuilder();
  private Optional<Statement.When> when = Optional.empty();
  private boolean previousWasWhen;
  private boolean previousWasLasting;

  ClauseBuilder(
      SourceTokens source,
      LiteralReader literals,
      ExpressionBuilder expressions,
      List<Diagnostic> problems) {
    this.source = source;
    this.literals = literals;
    this.expressions = expressions;
    this.points = new TimePointBuilder(source, literals);
    this.problems = problems;
  }

  void add(ClauseContext clause) {
    visit(clause);
    boolean lasts = clause instanceof ForClauseContext context && context.forEach() == null;
    previousWasLasting = previousWasWhen && lasts;
    previousWasWhen = clause instanceof WhenClauseContext;
  }

  /** Records a clause by name; a second clause of the same kind is a problem. */
  private void once(String name, SourceRange words) {
    once(name, words, "each clause may appear once");
  }

  private void once(String name, SourceRange words, String help) {
    if (!seen.add(name)) {
      problems.add(ErrorCode.REPEATED_CLAUSE.at(words, name).withHelp(help));
    }
  }

  private SourceRange words(TerminalNode first, TerminalNode last) {
    return source.range(first.getSymbol(), last.getSymbol());
  }

  @Override
  public Boolean visitForClause(ForClauseContext context) {
    if (context.forEach() == null) {
      return lasting(context);
    }
    once("FOR EACH", source.range(context.FOR().getSymbol(), context.forEach().getStart()));
    return visit(context.forEach().eachOf());
  }

  @Override
  public Boolean visitEachVariable(EachVariableContext each) {
    Token pattern = each.pattern;
    clauses.forEach(
        new ForEach.OfVariable(
            expressions.identifier(each.variable),
            pattern == null ? Optional.empty() : Optional.of(literals.string(pattern)),
            source.range(each.getParent().getParent())));
    return true;
  }

  @Override
  public Boolean visitEachNode(EachNodeContext each) {
    SourceRange range = source.range(each.getParent().getParent());
    Identifier name = expressions.identifier(each.element);
    clauses.forEach(new ForEach.OfNode(name, new Expression.Nodes(range), range));
    return true;
  }

  @Override
  public Boolean visitEachValue(EachValueContext each) {
    clauses.forEach(
        new ForEach.OfValue(
            expressions.identifier(each.element),
            expressions.visit(each.collection),
            source.range(each.getParent().getParent())));
    return true;
  }

  private boolean lasting(ForClauseContext context) {
    once("FOR", words(context.FOR(), context.FOR()));
    long micros = literals.durationMicros(context.DURATION().getSymbol(), false);
    if (previousWasWhen) {
      when = when.map(w -> lasting(w, micros, source.range(context)));
    } else {
      problems.add(
          ErrorCode.MISPLACED_CLAUSE
              .at(source.range(context), "FOR with a duration", "directly after WHEN")
              .withHelp("write WHEN predicate FOR 5ms"));
    }
    return true;
  }

  private static Statement.When lasting(Statement.When when, long micros, SourceRange range) {
    return new Statement.When(when.predicate(), OptionalLong.of(micros), when.range().to(range));
  }

  @Override
  public Boolean visitResponseClause(ResponseClauseContext context) {
    Response response =
        new ResponseBuilder(source, literals, expressions, problems).build(context.response());
    once("THEN or AFTER", source.range(context.response()), ResponseBuilder.ONE_STEP);
    if (previousWasWhen || previousWasLasting) {
      when = when.map(w -> answered(w, response));
    } else if (when.flatMap(Statement.When::response).isEmpty()) {
      problems.add(
          ErrorCode.MISPLACED_CLAUSE
              .at(response.range(), response.words(), "directly after WHEN")
              .withHelp("write WHEN p %s q WITHIN 5s".formatted(response.words())));
    }
    return true;
  }

  private static Statement.When answered(Statement.When when, Response response) {
    return new Statement.When(
        when.predicate(),
        when.forMicros(),
        Optional.of(response),
        when.range().to(response.range()));
  }

  @Override
  public Boolean visitComputeClause(ComputeClauseContext context) {
    once("COMPUTE", words(context.COMPUTE(), context.COMPUTE()));
    clauses.compute(Optional.of(expressions.visit(context.expression())));
    return true;
  }

  @Override
  public Boolean visitWhenClause(WhenClauseContext context) {
    once("WHEN", words(context.WHEN(), context.WHEN()));
    Expression predicate = expressions.visit(context.expression());
    when = Optional.of(new Statement.When(predicate, OptionalLong.empty(), source.range(context)));
    return true;
  }

  @Override
  public Boolean visitAtClause(AtClauseContext context) {
    once("AT", words(context.AT(), context.AT()));
    return visit(context.nodeScope());
  }

  @Override
  public Boolean visitListedNodes(ListedNodesContext context) {
    List<Identifier> names = context.nodes.stream().map(expressions::identifier).toList();
    clauses.nodes(new NodeScope.Listed(names, source.range(context.getParent())));
    return true;
  }

  @Override
  public Boolean visitAllNodes(AllNodesContext context) {
    clauses.nodes(new NodeScope.All());
    return true;
  }

  @Override
  public Boolean visitLiveNodes(LiveNodesContext context) {
    clauses.nodes(new NodeScope.Live(source.range(context.getParent())));
    return true;
  }

  @Override
  public Boolean visitOnClause(OnClauseContext context) {
    if (context.timeSpan() == null) {
      once("ON ERROR SKIP", source.range(context));
      clauses.onErrorSkip(true);
      return true;
    }
    once("ON TIME", words(context.ON(), context.TIME()));
    return visit(context.timeSpan());
  }

  @Override
  public Boolean visitLastSpan(LastSpanContext context) {
    long micros = literals.durationMicros(context.DURATION().getSymbol(), false);
    clauses.onTime(new OnTime.Last(micros, source.range(context.getParent())));
    return true;
  }

  @Override
  public Boolean visitPointSpan(PointSpanContext context) {
    SourceRange range = source.range(context.getParent());
    TimePoint start = points.visit(context.start);
    clauses.onTime(
        context.TO() == null
            ? new OnTime.At(start, range)
            : new OnTime.Between(start, points.visit(context.stop), range));
    return true;
  }

  @Override
  public Boolean visitEmitClause(EmitClauseContext context) {
    once("EMIT", words(context.EMIT(), context.EMIT()));
    clauses.emit(
        Optional.of(
            switch (context.what.getType()) {
              case RqlLexer.CUTS -> Emit.CUTS;
              case RqlLexer.INTERVALS -> Emit.INTERVALS;
              case RqlLexer.EDGES -> Emit.EDGES;
              default -> throw new AssertionError("nothing to emit: " + context.what);
            }));
    return true;
  }

  @Override
  public Boolean visitLimitClause(LimitClauseContext context) {
    once("LIMIT", words(context.LIMIT(), context.LIMIT()));
    clauses.limit(OptionalLong.of(literals.integer(context.INTEGER().getSymbol(), false)));
    return true;
  }

  @Override
  public Boolean visitPlayClause(PlayClauseContext context) {
    once("PLAY", words(context.PLAY(), context.PLAY()));
    clauses.play(
        Optional.of(new PlayBuilder(source, literals, expressions, this::once).build(context)));
    return true;
  }

  /** The clauses that were added. */
  Clauses build() {
    return clauses.when(when).build();
  }
}
