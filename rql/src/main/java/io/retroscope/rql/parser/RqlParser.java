// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.SourceTokens.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.antlr.v4.runtime.Token;

/** A parser of RQL. Immutable and thread-safe. */
public final class RqlParser {
  private final ParseLimits limits;

  /** Creates a parser with the default limits. */
  public RqlParser() {
    this(ParseLimits.DEFAULT);
  }

  /** Creates a parser with the given limits. */
  public RqlParser(ParseLimits limits) {
    this.limits = limits;
  }

  /**
   * Parses exactly one statement, which DECLAREs may precede, as far as possible. Never throws, so
   * that the correct parts of a query can be checked even if others have errors.
   */
  public ParsedStatement read(String text) {
    List<ParsedStatement> readings = readAll(text);
    int last = readings.size() - 1;
    List<Statement.Declare> declared = declarations(readings);
    if (last >= 0 && declared.size() == last) {
      ParsedStatement only = readings.get(last);
      return new ParsedStatement(
          text, only.statement(), only.problems(), only.obscured(), declared);
    }
    List<Diagnostic> problems = new ArrayList<>();
    readings.forEach(reading -> problems.addAll(reading.problems()));
    if (problems.isEmpty()) {
      problems.add(notOne(text, readings));
    }
    return new ParsedStatement(text, Optional.empty(), problems, Set.of());
  }

  /** The declarations with which a text begins; not the last statement. */
  private static List<Statement.Declare> declarations(List<ParsedStatement> readings) {
    List<Statement.Declare> declared = new ArrayList<>();
    for (int i = 0; i + 1 < readings.size(); i++) {
      ParsedStatement reading = readings.get(i);
      if (!reading.problems().isEmpty()
          || !(reading.statement().orElse(null) instanceof Statement.Declare declaration)) {
        return declared;
      }
      declared.add(declaration);
    }
    return declared;
  }

  private static Diagnostic notOne(String text, List<ParsedStatement> readings) {
    return readings.isEmpty()
        ? ErrorCode.STATEMENT_COUNT.at(
            new SourceRange(text.length(), text.length()), "there is no statement here")
        : ErrorCode.STATEMENT_COUNT
            .at(
                readings.get(1).statement().orElseThrow().range(),
                "only one statement is accepted at a time")
            .withHelp("send the statements one after the other");
  }

  /**
   * Parses any number of statements separated by semicolons.
   *
   * @throws RqlException with every independent error of every statement
   */
  public List<Statement> parseScript(String text) {
    List<ParsedStatement> readings = readAll(text);
    List<Diagnostic> problems = new ArrayList<>();
    readings.forEach(reading -> problems.addAll(reading.problems()));
    if (!problems.isEmpty()) {
      throw new RqlException(text, problems);
    }
    return readings.stream().map(reading -> reading.statement().orElseThrow()).toList();
  }

  /**
   * Parses any number of statements separated by semicolons, each as far as possible. Never throws.
   */
  public List<ParsedStatement> readAll(String text) {
    if (text.length() > limits.maxCharacters()) {
      SourceRange beyond = new SourceRange(limits.maxCharacters(), limits.maxCharacters() + 1);
      return List.of(
          unreadable(
              text, ErrorCode.QUERY_TOO_LONG.at(beyond, text.length(), limits.maxCharacters())));
    }
    SourceTokens source = SourceTokens.of(text);
    List<ParsedStatement> readings = new ArrayList<>();
    List<Part> parts = source.statements();
    for (int i = 0; i < parts.size(); i++) {
      Part part = parts.get(i);
      if (!part.isEmpty()) {
        readings.add(statement(source, part));
      } else if (i < parts.size() - 1) {
        readings.add(
            unreadable(
                text,
                ErrorCode.STATEMENT_COUNT
                    .at(part.end(), "there is no statement before this semicolon")
                    .withHelp("a statement ends with one semicolon; remove this one")));
      }
    }
    return readings;
  }

  private static ParsedStatement unreadable(String text, Diagnostic problem) {
    return new ParsedStatement(text, Optional.empty(), List.of(problem), Set.of());
  }

  private ParsedStatement statement(SourceTokens source, Part part) {
    List<Token> tokens = part.tokens();
    if (tokens.size() == 2 && SyntaxErrors.takesMore(tokens.get(0).getType())) {
      return unreadable(source.text(), new SyntaxErrors(source, tokens).incomplete());
    }
    return new StatementReader(source, limits, tokens).read();
  }
}
