// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import java.util.List;
import java.util.stream.Collectors;

/** A formatter of expressions that adds parentheses only where the grammar needs them. */
final class ExpressionFormatter implements Expression.Visitor<ExpressionFormatter.Printed> {
  private static final ExpressionFormatter INSTANCE = new ExpressionFormatter();

  private static final NodeReference.Visitor<String> NODE =
      new NodeReference.Visitor<>() {
        @Override
        public String named(NodeReference.Named node) {
          return name(node.name());
        }

        @Override
        public String computed(NodeReference.Computed node) {
          return '(' + text(node.expression()) + ')';
        }
      };

  /** The precedence of an expression, in increasing order. */
  private enum Level {
    ASSIGNMENT,
    CONDITIONAL,
    OR,
    AND,
    NOT,
    COMPARISON,
    ADDITIVE,
    MULTIPLICATIVE,
    RANGE,
    SIGN,
    POSTFIX,
    PRIMARY
  }

  /** The text of an expression, without parentheses of its own. */
  record Printed(String text, Level level) {
    /** Returns the text, in parentheses if its precedence is less than required. */
    private String atLeast(Level least) {
      return level.compareTo(least) < 0 ? '(' + text + ')' : text;
    }

    /** Returns the text, in parentheses unless its precedence is greater. */
    private String tighterThan(Level other) {
      return level.compareTo(other) <= 0 ? '(' + text + ')' : text;
    }
  }

  private ExpressionFormatter() {}

  static String text(Expression expression) {
    return print(expression).text();
  }

  /** The text of an expression whose elements a name is bound to. */
  static String collection(Expression expression) {
    return print(expression).atLeast(Level.ADDITIVE);
  }

  static String name(Identifier identifier) {
    return identifier.quoted()
        ? '`' + identifier.text().replace("`", "``") + '`'
        : identifier.text();
  }

  private static Printed print(Expression expression) {
    return expression.accept(INSTANCE);
  }

  private static Printed primary(String text) {
    return new Printed(text, Level.PRIMARY);
  }

  @Override
  public Printed literal(Expression.Literal e) {
    String text = Literals.text(e.value());
    return new Printed(text, text.startsWith("-") ? Level.SIGN : Level.PRIMARY);
  }

  @Override
  public Printed name(Expression.Name e) {
    return primary(name(e.identifier()));
  }

  /** Encloses a literal in parentheses, because a dot after a number would be part of a DOUBLE. */
  @Override
  public Printed field(Expression.Field e) {
    Printed target = print(e.target());
    String before =
        e.target() instanceof Expression.Literal
            ? '(' + target.text() + ')'
            : target.atLeast(Level.POSTFIX);
    return new Printed(before + '.' + name(e.field()), Level.POSTFIX);
  }

  @Override
  public Printed atNode(Expression.AtNode e) {
    String variable = print(e.variable()).atLeast(Level.POSTFIX);
    return new Printed(variable + '@' + e.node().accept(NODE), Level.POSTFIX);
  }

  @Override
  public Printed nodes(Expression.Nodes e) {
    return primary("NODES");
  }

  /** Encloses a number in parentheses, because a minus before it would be part of it. */
  @Override
  public Printed unary(Expression.Unary e) {
    Printed operand = print(e.operand());
    if (e.operator() == UnaryOperator.NOT) {
      return new Printed("NOT " + operand.atLeast(Level.NOT), Level.NOT);
    }
    boolean literal = e.operand() instanceof Expression.Literal;
    String negated = literal ? '(' + operand.text() + ')' : operand.atLeast(Level.POSTFIX);
    return new Printed('-' + negated, Level.SIGN);
  }

  @Override
  public Printed binary(Expression.Binary e) {
    Level level = level(e.operator());
    boolean chains = level != Level.COMPARISON && level != Level.RANGE;
    Printed first = print(e.left());
    String left = chains ? first.atLeast(level) : first.tighterThan(level);
    String right = print(e.right()).tighterThan(level);
    String symbol = level == Level.RANGE ? ".." : ' ' + e.operator().symbol() + ' ';
    return new Printed(left + symbol + right, level);
  }

  private static Level level(BinaryOperator operator) {
    return switch (operator.kind()) {
      case JUNCTION -> operator == BinaryOperator.OR ? Level.OR : Level.AND;
      case EQUALITY, ORDER, MEMBERSHIP, INCLUSION, LIKENESS, CONTAINMENT -> Level.COMPARISON;
      case SUM, SETS -> Level.ADDITIVE;
      case PRODUCT -> Level.MULTIPLICATIVE;
      case RANGE -> Level.RANGE;
    };
  }

  @Override
  public Printed isNull(Expression.IsNull e) {
    String test = e.negated() ? " IS NOT NULL" : " IS NULL";
    return new Printed(print(e.operand()).atLeast(Level.ADDITIVE) + test, Level.COMPARISON);
  }

  @Override
  public Printed conditional(Expression.Conditional e) {
    String condition = print(e.condition()).atLeast(Level.OR);
    return new Printed(
        "%s ? (%s) : (%s)".formatted(condition, text(e.whenTrue()), text(e.otherwise())),
        Level.CONDITIONAL);
  }

  @Override
  public Printed quantified(Expression.Quantified e) {
    String variables =
        e.variables().stream().map(ExpressionFormatter::name).collect(Collectors.joining(", "));
    String collection = collection(e.collection());
    return primary(
        "%s %s IN %s : (%s)".formatted(e.quantifier(), variables, collection, text(e.body())));
  }

  @Override
  public Printed call(Expression.Call e) {
    if (e.isOfAllRows()) {
      return primary(name(e.function()) + "(*)");
    }
    String distinct = e.distinct() ? "DISTINCT " : "";
    return primary(name(e.function()) + '(' + distinct + list(e.arguments()) + ')');
  }

  @Override
  public Printed setLiteral(Expression.SetLiteral e) {
    return primary('{' + list(e.elements()) + '}');
  }

  private static String list(List<Expression> expressions) {
    return expressions.stream().map(ExpressionFormatter::text).collect(Collectors.joining(", "));
  }

  @Override
  public Printed assignment(Expression.Assignment e) {
    return new Printed(name(e.name()) + " := " + assigned(e.value()), Level.ASSIGNMENT);
  }

  private static String assigned(Expression value) {
    boolean bare =
        value instanceof Expression.Conditional conditional
            && print(conditional.condition()).level().compareTo(Level.NOT) >= 0;
    return bare ? text(value) : print(value).atLeast(Level.NOT);
  }

  @Override
  public Printed declaration(Expression.Declaration e) {
    return primary(e.kind() + " " + name(e.name()));
  }
}
