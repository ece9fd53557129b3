// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.event.Value;
import io.retroscope.rql.ast.Clauses;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Claim;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlLexer;
import io.retroscope.rql.parser.generated.RqlParser.AtClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.ClaimContext;
import io.retroscope.rql.parser.generated.RqlParser.ClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.ForClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.OnClauseContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.antlr.v4.runtime.Token;

/**
 * A builder of a claim and of the query that gathers its evidence: the runs of cuts that break the
 * claim or, for EVENTUALLY and SOMETIMES, that fulfil it, with the values of the names in the
 * predicate.
 */
final class VerdictBuilder {
  private final SourceTokens source;
  private final LiteralReader literals;
  private final ExpressionBuilder expressions;
  private final List<Diagnostic> problems;

  VerdictBuilder(
      SourceTokens source,
      LiteralReader literals,
      ExpressionBuilder expressions,
      List<Diagnostic> problems) {
    this.source = source;
    this.literals = literals;
    this.expressions = expressions;
    this.problems = problems;
  }

  Statement.Verdict build(ClaimContext context, Statement.Explain explain, SourceRange range) {
    Claim kind = kind(context.kind);
    Expression predicate = expressions.visit(context.expression());
    Optional<Response> response = response(kind, context);
    OptionalLong lasts = OptionalLong.empty();
    if (context.DURATION() != null) {
      lasts = OptionalLong.of(literals.durationMicros(context.DURATION().getSymbol(), false));
      boolean lastsAlone = kind == Claim.NEVER || kind == Claim.SOMETIMES;
      if (!lastsAlone && response.isEmpty()) {
        refuse(source.range(context.FOR().getSymbol()), kind, "FOR", "write NEVER p FOR 5ms");
      }
    }
    ClauseBuilder clauses = new ClauseBuilder(source, literals, expressions, problems);
    for (ClauseContext clause : context.clause()) {
      check(kind, clause);
      clauses.add(clause);
    }
    SourceRange written = source.range(context.expression());
    Statement.When claimed = new Statement.When(predicate, lasts, response, written);
    Clauses given = clauses.build();
    Statement.Query evidence =
        new Statement.Query(
            Statement.Explain.NO,
            false,
            items(claimed.expressions(), given),
            context.logs.stream().map(expressions::identifier).toList(),
            given.toBuilder()
                .when(Optional.of(evidence(kind, claimed)))
                .emit(Optional.of(form(kind, claimed)))
                .build(),
            range);
    return new Statement.Verdict(explain, kind, Optional.of(claimed), evidence, range);
  }

  private Optional<Response> response(Claim kind, ClaimContext context) {
    if (context.response().isEmpty()) {
      return Optional.empty();
    }
    ResponseBuilder builder = new ResponseBuilder(source, literals, expressions, problems);
    Response response = builder.build(context.response(0));
    context.response().stream()
        .skip(1)
        .forEach(
            further ->
                problems.add(
                    ErrorCode.REPEATED_CLAUSE
                        .at(source.range(further), "THEN or AFTER")
                        .withHelp(ResponseBuilder.ONE_STEP)));
    boolean fits = kind == Claim.SOMETIMES || (kind == Claim.ALWAYS && !response.negated());
    if (!fits) {
      String help = "write ALWAYS p %s q WITHIN 5s, or NEVER (SELECT ...)";
      refuse(response.range(), kind, response.words(), help.formatted(response.order()));
    }
    return Optional.of(response);
  }

  /** The form of rows that comes first of those that decide the claim. */
  private static Emit form(Claim kind, Statement.When claimed) {
    boolean atOneCut = claimed.forMicros().isEmpty() && claimed.response().isEmpty();
    return kind.isFulfilledByOne() && atOneCut ? Emit.EDGES : Emit.INTERVALS;
  }

  /** The clause whose rows break the claim or, for EVENTUALLY and SOMETIMES, fulfil it. */
  private static Statement.When evidence(Claim kind, Statement.When claimed) {
    if (kind == Claim.SOMETIMES) {
      return claimed;
    }
    return new Statement.When(
        claimed.response().isPresent() ? claimed.predicate() : condition(kind, claimed.predicate()),
        claimed.forMicros(),
        claimed.response().map(VerdictBuilder::opposite),
        claimed.range());
  }

  private static Response opposite(Response claimed) {
    return new Response(
        claimed.order(),
        !claimed.negated(),
        claimed.expected(),
        claimed.withinMicros(),
        claimed.excuse(),
        claimed.range());
  }

  private static Claim kind(Token word) {
    return switch (word.getType()) {
      case RqlLexer.NEVER -> Claim.NEVER;
      case RqlLexer.ALWAYS -> Claim.ALWAYS;
      case RqlLexer.EVENTUALLY -> Claim.EVENTUALLY;
      case RqlLexer.SOMETIMES -> Claim.SOMETIMES;
      default -> throw new AssertionError("no claim: " + word);
    };
  }

  private static Expression condition(Claim kind, Expression predicate) {
    return kind == Claim.ALWAYS
        ? new Expression.Unary(Expression.UnaryOperator.NOT, predicate, predicate.range())
        : predicate;
  }

  private void check(Claim kind, ClauseContext clause) {
    boolean fits =
        clause instanceof AtClauseContext
            || (clause instanceof ForClauseContext each && each.forEach() != null)
            || (clause instanceof OnClauseContext on && on.timeSpan() != null);
    if (!fits) {
      Token word = clause.getStart();
      refuse(
          source.range(word),
          kind,
          word.getText().toUpperCase(Locale.ROOT),
          "it takes FOR EACH, AT and ON TIME; NEVER (SELECT ...) takes any query");
    }
  }

  private void refuse(SourceRange range, Claim kind, String clause, String help) {
    problems.add(ErrorCode.NOT_IN_VERDICT.at(range, kind, clause).withHelp(help));
  }

  /** The values that show why the claim is broken: of each name that the predicates do not bind. */
  private static List<Statement.SelectItem> items(List<Expression> predicates, Clauses clauses) {
    Map<String, Expression> named = new LinkedHashMap<>();
    Set<String> elements = new HashSet<>();
    clauses
        .forEach()
        .filter(each -> each.collection().isPresent())
        .ifPresent(each -> elements.add(each.name().text()));
    predicates.forEach(predicate -> addNames(predicate, elements, named));
    List<Statement.SelectItem> items = new ArrayList<>();
    clauses.forEach().ifPresent(each -> items.add(each(each)));
    named.forEach((text, expression) -> items.add(item(text, expression)));
    if (items.isEmpty()) {
      SourceRange range = predicates.get(0).range();
      items.add(item("TRUE", new Expression.Literal(Value.of(true), range)));
    }
    return items;
  }

  /** What the present one of FOR EACH is. */
  private static Statement.SelectItem each(ForEach each) {
    SourceRange range = each.name().range();
    Expression name = new Expression.Name(each.name(), range);
    if (!(each instanceof ForEach.OfVariable)) {
      return item(each.name().text(), name);
    }
    Identifier function = new Identifier("NAME", false, range);
    return item(
        "NAME(" + each.name().text() + ")",
        new Expression.Call(function, false, List.of(name), range));
  }

  private static Statement.SelectItem item(String text, Expression expression) {
    // A variable may have the name of a column that every result has.
    Identifier alias = new Identifier(Statement.Verdict.VALUE_OF + text, true, expression.range());
    return new Statement.SelectItem(expression, Optional.of(alias), text, expression.range());
  }

  private static void addNames(
      Expression expression, Set<String> bound, Map<String, Expression> named) {
    if (expression instanceof Expression.Quantified quantified) {
      addNames(quantified.collection(), bound, named);
      Set<String> within = new HashSet<>(bound);
      quantified.variables().forEach(variable -> within.add(variable.text()));
      addNames(quantified.body(), within, named);
    } else if (expression instanceof Expression.Name name) {
      add(name.identifier().text(), name, bound, named);
    } else if (expression instanceof Expression.Field field
        && field.target() instanceof Expression.Name target) {
      add(target.identifier().text(), field, bound, named);
    } else {
      expression.children().forEach(child -> addNames(child, bound, named));
    }
  }

  private static void add(
      String name, Expression whole, Set<String> bound, Map<String, Expression> named) {
    if (!bound.contains(name)) {
      named.putIfAbsent(RqlFormatter.format(whole), whole);
    }
  }
}
