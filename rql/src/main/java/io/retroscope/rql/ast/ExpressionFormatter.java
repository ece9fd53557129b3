package io.retroscope.rql.ast;

import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import java.util.List;
import java.util.stream.Collectors;

/** Prints expressions, with parentheses only where the grammar needs them. */
final class ExpressionFormatter {
  /** How tightly an expression binds, loosest first. */
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

  private ExpressionFormatter() {}

  static String text(Expression expression) {
    return print(expression);
  }

  static String name(Identifier identifier) {
    return identifier.quoted()
        ? '`' + identifier.text().replace("`", "``") + '`'
        : identifier.text();
  }

  /** The operand, in parentheses where it binds less tightly than its place asks for. */
  private static String operand(Expression expression, Level least) {
    String text = print(expression);
    return level(expression).compareTo(least) < 0 ? '(' + text + ')' : text;
  }

  /** The operand, in parentheses unless it binds more tightly. */
  private static String tighterOperand(Expression expression, Level level) {
    String text = print(expression);
    return level(expression).compareTo(level) <= 0 ? '(' + text + ')' : text;
  }

  private static Level level(Expression expression) {
    if (expression instanceof Expression.Assignment) {
      return Level.ASSIGNMENT;
    } else if (expression instanceof Expression.Conditional) {
      return Level.CONDITIONAL;
    } else if (expression instanceof Expression.Unary e) {
      return e.operator() == UnaryOperator.NOT ? Level.NOT : Level.SIGN;
    } else if (expression instanceof Expression.Binary e) {
      return level(e.operator());
    } else if (expression instanceof Expression.IsNull) {
      return Level.COMPARISON;
    } else if (expression instanceof Expression.Literal e) {
      return Literals.text(e.value()).startsWith("-") ? Level.SIGN : Level.PRIMARY;
    } else if (expression instanceof Expression.Field || expression instanceof Expression.AtNode) {
      return Level.POSTFIX;
    }
    return Level.PRIMARY;
  }

  private static Level level(BinaryOperator operator) {
    return switch (operator) {
      case OR -> Level.OR;
      case AND -> Level.AND;
      case EQUAL,
          NOT_EQUAL,
          LESS,
          LESS_OR_EQUAL,
          GREATER,
          GREATER_OR_EQUAL,
          IN,
          NOT_IN,
          IS_SUBSET,
          IS_PROPER_SUBSET,
          LIKE,
          CONTAINS ->
          Level.COMPARISON;
      case ADD, SUBTRACT, DIFFERENCE, UNION, INTERSECT -> Level.ADDITIVE;
      case MULTIPLY, DIVIDE, REMAINDER -> Level.MULTIPLICATIVE;
      case RANGE -> Level.RANGE;
    };
  }

  private static String print(Expression expression) {
    if (expression instanceof Expression.Literal e) {
      return Literals.text(e.value());
    } else if (expression instanceof Expression.Name e) {
      return name(e.identifier());
    } else if (expression instanceof Expression.Field e) {
      return fieldTarget(e.target()) + '.' + name(e.field());
    } else if (expression instanceof Expression.AtNode e) {
      return operand(e.variable(), Level.POSTFIX) + '@' + node(e.node());
    } else if (expression instanceof Expression.Nodes) {
      return "NODES";
    } else if (expression instanceof Expression.Unary e) {
      return unary(e);
    } else if (expression instanceof Expression.Binary e) {
      return binary(e);
    } else if (expression instanceof Expression.IsNull e) {
      String test = e.negated() ? " IS NOT NULL" : " IS NULL";
      return operand(e.operand(), Level.ADDITIVE) + test;
    } else if (expression instanceof Expression.Conditional e) {
      return "%s ? (%s) : (%s)"
          .formatted(operand(e.condition(), Level.OR), print(e.whenTrue()), print(e.otherwise()));
    } else if (expression instanceof Expression.Quantified e) {
      return quantified(e);
    } else if (expression instanceof Expression.Call e) {
      String distinct = e.distinct() ? "DISTINCT " : "";
      return name(e.function()) + '(' + distinct + list(e.arguments()) + ')';
    } else if (expression instanceof Expression.SetLiteral e) {
      return '{' + list(e.elements()) + '}';
    } else if (expression instanceof Expression.Assignment e) {
      return name(e.name()) + " := " + assigned(e.value());
    } else if (expression instanceof Expression.Declaration e) {
      return e.kind() + " " + name(e.name());
    }
    throw new AssertionError("no expression: " + expression);
  }

  private static String list(List<Expression> expressions) {
    return expressions.stream().map(ExpressionFormatter::print).collect(Collectors.joining(", "));
  }

  /** A point right behind a number would read as half a DOUBLE. */
  private static String fieldTarget(Expression target) {
    return target instanceof Expression.Literal
        ? '(' + print(target) + ')'
        : operand(target, Level.POSTFIX);
  }

  private static String node(NodeReference node) {
    return node instanceof NodeReference.Computed computed
        ? '(' + print(computed.expression()) + ')'
        : name(((NodeReference.Named) node).name());
  }

  /** A minus before a number would become part of it, so the number gets parentheses. */
  private static String unary(Expression.Unary e) {
    if (e.operator() == UnaryOperator.NOT) {
      return "NOT " + operand(e.operand(), Level.NOT);
    }
    boolean literal = e.operand() instanceof Expression.Literal;
    return '-' + (literal ? '(' + print(e.operand()) + ')' : operand(e.operand(), Level.POSTFIX));
  }

  private static String binary(Expression.Binary e) {
    Level level = level(e.operator());
    boolean chains = level != Level.COMPARISON && level != Level.RANGE;
    String left = chains ? operand(e.left(), level) : tighterOperand(e.left(), level);
    String right = tighterOperand(e.right(), level);
    return level == Level.RANGE
        ? left + ".." + right
        : left + ' ' + e.operator().symbol() + ' ' + right;
  }

  private static String assigned(Expression value) {
    return value instanceof Expression.Conditional conditional
            && level(conditional.condition()).compareTo(Level.NOT) >= 0
        ? print(value)
        : operand(value, Level.NOT);
  }

  private static String quantified(Expression.Quantified e) {
    String variables =
        e.variables().stream().map(ExpressionFormatter::name).collect(Collectors.joining(", "));
    return "%s %s IN %s : (%s)"
        .formatted(
            e.quantifier(), variables, operand(e.collection(), Level.ADDITIVE), print(e.body()));
  }
}
