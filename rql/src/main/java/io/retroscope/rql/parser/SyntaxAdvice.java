package io.retroscope.rql.parser;

import java.util.List;
import java.util.Optional;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.misc.IntervalSet;

/** What the writer of an unexpected token probably meant. */
final class SyntaxAdvice {
  SyntaxAdvice(SourceTokens source, List<Token> tokens, Token offending, IntervalSet expected) {}

  Optional<String> help() {
    return Optional.empty();
  }
}
