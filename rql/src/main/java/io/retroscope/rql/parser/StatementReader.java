// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.parser.generated.RqlParser.SingleStatementContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.antlr.v4.runtime.BailErrorStrategy;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ListTokenSource;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.atn.PredictionMode;
import org.antlr.v4.runtime.misc.ParseCancellationException;

/**
 * A reader of one statement, which continues after an error if the statement is a query. Used by
 * one thread.
 */
final class StatementReader {
  /**
   * The maximum number of tokens for which parsing continues after an error, because each error
   * means parsing the statement again.
   */
  private static final int MAX_REPAIRED_TOKENS = 5_000;

  private final SourceTokens source;
  private final ParseLimits limits;
  private final QueryRepair query;
  private final List<Diagnostic> problems = new ArrayList<>();

  /** Creates a reader of a statement's tokens, closed by an end token. */
  StatementReader(SourceTokens source, ParseLimits limits, List<Token> tokens) {
    this.source = source;
    this.limits = limits;
    this.query = new QueryRepair(tokens);
  }

  ParsedStatement read() {
    Optional<Statement> statement = Optional.empty();
    boolean swallows = source.isUnterminated(query.tokens());
    boolean continues = removeAll(source.problems(query.tokens()));
    while (continues && problems.size() < RqlException.MAX_DIAGNOSTICS) {
      List<Diagnostic> found = new ArrayList<>();
      try {
        statement = Optional.of(build(found));
        continues = !found.isEmpty() && removeAll(found);
      } catch (ParseCancellationException e) {
        // An unclosed string hides later tokens, whose absence would be reported as an error.
        continues = !swallows && removeUnexpected(cause(e));
      } catch (NestingLimitException e) {
        problems.add(ErrorCode.NESTED_TOO_DEEP.at(source.range(e.token()), limits.maxNesting()));
        continues = query.remove(e.token(), false);
      }
    }
    problems.sort(Comparator.comparingInt(problem -> problem.range().start()));
    return new ParsedStatement(source.text(), statement, problems, query.obscured());
  }

  private static RecognitionException cause(ParseCancellationException e) {
    if (e.getCause() instanceof RecognitionException cause) {
      return cause;
    }
    throw e;
  }

  /**
   * Records problems and removes the parts that contain them; returns false if nothing remains to
   * be parsed.
   */
  private boolean removeAll(List<Diagnostic> found) {
    boolean removed = isRepairable() || found.isEmpty();
    for (Diagnostic problem : found) {
      problems.add(problem);
      removed = removed && query.remove(problem.range());
    }
    return removed;
  }

  private boolean removeUnexpected(RecognitionException error) {
    SyntaxErrors errors = new SyntaxErrors(source, query.tokens());
    Token fault = error.getOffendingToken();
    if (problems.stream().noneMatch(known -> known.range().equals(source.range(fault)))) {
      problems.add(errors.translate(error));
    }
    boolean ownPiece =
        error.getExpectedTokens().contains(Token.EOF) && SyntaxAdvice.isMeantAsClause(fault);
    return isRepairable() && query.remove(fault, ownPiece);
  }

  private boolean isRepairable() {
    return query.tokens().size() <= MAX_REPAIRED_TOKENS && !query.isNested();
  }

  private Statement build(List<Diagnostic> found) {
    Statement statement = new AstBuilder(source, found).visit(parse());
    DepthCheck.firstBelow(statement, limits.maxDepth())
        .ifPresent(
            expression ->
                found.add(
                    ErrorCode.EXPRESSION_TOO_DEEP
                        .at(expression.range(), limits.maxDepth())
                        .withHelp("test whether a value is IN a set instead of listing cases")));
    return statement;
  }

  /**
   * Parses with the fast prediction first. If it fails, full prediction decides and provides the
   * error.
   */
  private SingleStatementContext parse() {
    CommonTokenStream tokens = new CommonTokenStream(new ListTokenSource(query.tokens()));
    NestingGuard parser = new NestingGuard(tokens, limits.maxNesting());
    parser.removeErrorListeners();
    parser.setErrorHandler(new BailErrorStrategy());
    parser.getInterpreter().setPredictionMode(PredictionMode.SLL);
    try {
      return parser.singleStatement();
    } catch (ParseCancellationException e) {
      parser.reset();
      parser.getInterpreter().setPredictionMode(PredictionMode.LL);
      return parser.singleStatement();
    }
  }
}
