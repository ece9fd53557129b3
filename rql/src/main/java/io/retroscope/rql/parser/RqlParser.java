package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.SourceTokens.Part;
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

/** Reads RQL. Immutable and thread-safe. */
public final class RqlParser {
  private final ParseLimits limits;

  /** A parser with the usual limits. */
  public RqlParser() {
    this(ParseLimits.DEFAULT);
  }

  /** A parser with limits of one's own. */
  public RqlParser(ParseLimits limits) {
    this.limits = limits;
  }

  /**
   * Reads exactly one statement; its last semicolon may be left out.
   *
   * @throws RqlException with every independent error
   */
  public Statement parseStatement(String text) {
    List<Statement> statements = parseScript(text);
    if (statements.size() == 1) {
      return statements.get(0);
    }
    Diagnostic problem =
        statements.isEmpty()
            ? ErrorCode.STATEMENT_COUNT.at(
                new SourceRange(text.length(), text.length()), "there is no statement here")
            : ErrorCode.STATEMENT_COUNT
                .at(statements.get(1).range(), "only one statement is taken at a time")
                .withHelp("send the statements one after the other");
    throw new RqlException(text, List.of(problem));
  }

  /**
   * Reads statements that semicolons part; there may be none.
   *
   * @throws RqlException with every independent error of every statement
   */
  public List<Statement> parseScript(String text) {
    if (text.length() > limits.maxCharacters()) {
      SourceRange beyond = new SourceRange(limits.maxCharacters(), limits.maxCharacters() + 1);
      throw new RqlException(
          text,
          List.of(ErrorCode.QUERY_TOO_LONG.at(beyond, text.length(), limits.maxCharacters())));
    }
    SourceTokens source = SourceTokens.of(text);
    List<Diagnostic> problems = source.problems();
    List<Statement> statements = problems.isEmpty() ? statements(source, problems) : List.of();
    if (!problems.isEmpty()) {
      problems.sort(Comparator.comparingInt(problem -> problem.range().start()));
      throw new RqlException(text, problems);
    }
    return statements;
  }

  private List<Statement> statements(SourceTokens source, List<Diagnostic> problems) {
    List<Statement> statements = new ArrayList<>();
    List<Part> parts = source.statements();
    for (int i = 0; i < parts.size(); i++) {
      Part part = parts.get(i);
      if (!part.isEmpty()) {
        statement(source, part, problems).ifPresent(statements::add);
      } else if (i < parts.size() - 1) {
        problems.add(
            ErrorCode.STATEMENT_COUNT
                .at(part.end(), "no statement stands before this semicolon")
                .withHelp("a statement ends with one semicolon; take this one away"));
      }
    }
    return statements;
  }

  private Optional<Statement> statement(SourceTokens source, Part part, List<Diagnostic> problems) {
    List<Token> tokens = part.tokens();
    if (tokens.size() == 2 && SyntaxErrors.takesMore(tokens.get(0).getType())) {
      problems.add(new SyntaxErrors(source, tokens).incomplete());
      return Optional.empty();
    }
    try {
      SingleStatementContext tree = parse(part);
      Statement statement = new AstBuilder(source, problems).visit(tree);
      Optional<Expression> tooDeep = DepthCheck.firstBelow(statement, limits.maxDepth());
      tooDeep.ifPresent(
          expression ->
              problems.add(
                  ErrorCode.EXPRESSION_TOO_DEEP
                      .at(expression.range(), limits.maxDepth())
                      .withHelp("ask whether a value is IN a set instead of listing cases")));
      return Optional.of(statement);
    } catch (ParseCancellationException e) {
      if (!(e.getCause() instanceof RecognitionException cause)) {
        throw e;
      }
      problems.add(new SyntaxErrors(source, tokens).translate(cause));
    } catch (NestingLimitException e) {
      problems.add(ErrorCode.NESTED_TOO_DEEP.at(source.range(e.token()), limits.maxNesting()));
    }
    return Optional.empty();
  }

  /** The fast prediction first; where it fails, the full one decides and words the error. */
  private SingleStatementContext parse(Part part) {
    CommonTokenStream tokens = new CommonTokenStream(new ListTokenSource(part.tokens()));
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
