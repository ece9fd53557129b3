// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.parser.generated.RqlLexer;
import io.retroscope.rql.parser.generated.RqlParser.ComparatorContext;
import java.util.HashMap;
import java.util.Map;
import org.antlr.v4.runtime.Token;

/** The operators of tokens. */
final class Operators {
  /** The operators by their words or signs in the grammar. */
  private static final Map<String, BinaryOperator> BINARY = bySymbol();

  private Operators() {}

  private static Map<String, BinaryOperator> bySymbol() {
    Map<String, BinaryOperator> operators = new HashMap<>();
    for (BinaryOperator operator : BinaryOperator.values()) {
      operators.put(operator.symbol(), operator);
    }
    operators.put("==", BinaryOperator.EQUAL);
    operators.put("<>", BinaryOperator.NOT_EQUAL);
    operators.put("NOT", BinaryOperator.NOT_IN);
    operators.put("NOTIN", BinaryOperator.NOT_IN);
    return operators;
  }

  /** Returns the operator whose first token this is. */
  static BinaryOperator binary(Token token) {
    BinaryOperator operator = BINARY.get(RqlToken.word(token.getType()));
    if (operator == null) {
      throw new AssertionError("no operator: " + token);
    }
    return operator;
  }

  static BinaryOperator comparison(ComparatorContext context) {
    return binary(context.getStart());
  }

  static Quantifier quantifier(Token token) {
    return switch (token.getType()) {
      case RqlLexer.EXISTS -> Quantifier.EXISTS;
      case RqlLexer.FORALL -> Quantifier.FORALL;
      case RqlLexer.FOREACH -> Quantifier.FOREACH;
      default -> throw new AssertionError("no quantifier: " + token);
    };
  }

  static DeclarationKind declaration(Token token) {
    return switch (token.getType()) {
      case RqlLexer.VAR -> DeclarationKind.VAR;
      case RqlLexer.GLOBAL -> DeclarationKind.GLOBAL;
      case RqlLexer.OUT -> DeclarationKind.OUT;
      default -> throw new AssertionError("no declaration: " + token);
    };
  }

  /** Returns whether a minus before the token may belong to the literal. */
  static boolean isNumber(Token token) {
    return switch (token.getType()) {
      case RqlLexer.INTEGER, RqlLexer.DOUBLE, RqlLexer.DURATION -> true;
      default -> false;
    };
  }
}
