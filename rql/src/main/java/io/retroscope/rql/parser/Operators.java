// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.parser.generated.RqlLexer;
import io.retroscope.rql.parser.generated.RqlParser.ComparatorContext;
import java.util.Map;
import org.antlr.v4.runtime.Token;

/** The operators of tokens. */
final class Operators {
  private static final Map<Integer, BinaryOperator> BINARY =
      Map.ofEntries(
          Map.entry(RqlLexer.EQUAL, BinaryOperator.EQUAL),
          Map.entry(RqlLexer.EQUAL_EQUAL, BinaryOperator.EQUAL),
          Map.entry(RqlLexer.NOT_EQUAL, BinaryOperator.NOT_EQUAL),
          Map.entry(RqlLexer.LESS_GREATER, BinaryOperator.NOT_EQUAL),
          Map.entry(RqlLexer.LESS, BinaryOperator.LESS),
          Map.entry(RqlLexer.LESS_OR_EQUAL, BinaryOperator.LESS_OR_EQUAL),
          Map.entry(RqlLexer.GREATER, BinaryOperator.GREATER),
          Map.entry(RqlLexer.GREATER_OR_EQUAL, BinaryOperator.GREATER_OR_EQUAL),
          Map.entry(RqlLexer.IN, BinaryOperator.IN),
          Map.entry(RqlLexer.NOT, BinaryOperator.NOT_IN),
          Map.entry(RqlLexer.NOTIN, BinaryOperator.NOT_IN),
          Map.entry(RqlLexer.ISSUBSET, BinaryOperator.IS_SUBSET),
          Map.entry(RqlLexer.ISPROPSUBSET, BinaryOperator.IS_PROPER_SUBSET),
          Map.entry(RqlLexer.LIKE, BinaryOperator.LIKE),
          Map.entry(RqlLexer.CONTAINS, BinaryOperator.CONTAINS),
          Map.entry(RqlLexer.PLUS, BinaryOperator.ADD),
          Map.entry(RqlLexer.MINUS, BinaryOperator.SUBTRACT),
          Map.entry(RqlLexer.BACKSLASH, BinaryOperator.DIFFERENCE),
          Map.entry(RqlLexer.UNION, BinaryOperator.UNION),
          Map.entry(RqlLexer.INTERSECT, BinaryOperator.INTERSECT),
          Map.entry(RqlLexer.STAR, BinaryOperator.MULTIPLY),
          Map.entry(RqlLexer.SLASH, BinaryOperator.DIVIDE),
          Map.entry(RqlLexer.PERCENT, BinaryOperator.REMAINDER));

  private Operators() {}

  /** Returns the operator whose first token this is. */
  static BinaryOperator binary(Token token) {
    BinaryOperator operator = BINARY.get(token.getType());
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
