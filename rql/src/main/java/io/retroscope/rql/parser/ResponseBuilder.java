// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.Response.Order;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlParser.ResponseContext;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A builder of THEN, AFTER and their parts. */
final class ResponseBuilder {
  /** The advice for a chain of steps. */
  static final String ONE_STEP =
      "a claim has one step; write one for each: WHEN p THEN q WITHIN 5s, and WHEN q THEN r WITHIN 5s";

  private final SourceTokens source;
  private final LiteralReader literals;
  private final ExpressionBuilder expressions;
  private final List<Diagnostic> problems;

  ResponseBuilder(
      SourceTokens source,
      LiteralReader literals,
      ExpressionBuilder expressions,
      List<Diagnostic> problems) {
    this.source = source;
    this.literals = literals;
    this.expressions = expressions;
    this.problems = problems;
  }

  Response build(ResponseContext context) {
    Response response =
        new Response(
            context.THEN() == null ? Order.AFTER : Order.THEN,
            context.NOT() != null,
            expressions.visit(context.expected),
            context.DURATION() == null
                ? OptionalLong.empty()
                : OptionalLong.of(literals.durationMicros(context.DURATION().getSymbol(), false)),
            Optional.ofNullable(context.excuse).map(expressions::visit),
            source.range(context));
    check(context, response);
    return response;
  }

  private void check(ResponseContext context, Response response) {
    String words = response.words();
    if (response.order() == Order.THEN && response.withinMicros().isEmpty()) {
      SourceRange word = source.range(context.THEN().getSymbol());
      problems.add(
          ErrorCode.NEEDS_WITHIN
              .at(word, words)
              .withHelp(
                  "write %s q WITHIN 5s: without an end nothing is ever late".formatted(words)));
    }
    if (response.order() == Order.AFTER && response.excuse().isPresent()) {
      problems.add(
          ErrorCode.NOT_IN_RESPONSE
              .at(source.range(context.UNLESS().getSymbol()), words, "UNLESS")
              .withHelp("it is decided at once: write WHEN p AND NOT (u) " + words + " q"));
    }
  }
}
