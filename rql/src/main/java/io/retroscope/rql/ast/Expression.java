package io.retroscope.rql.ast;

import io.retroscope.event.Value;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;

/** An expression. */
public sealed interface Expression extends Node {
  /** The expressions right below this one, from left to right. */
  default List<Expression> children() {
    if (this instanceof Field e) {
      return List.of(e.target());
    } else if (this instanceof AtNode e) {
      return e.node() instanceof NodeReference.Computed computed
          ? List.of(e.variable(), computed.expression())
          : List.of(e.variable());
    } else if (this instanceof Unary e) {
      return List.of(e.operand());
    } else if (this instanceof Binary e) {
      return List.of(e.left(), e.right());
    } else if (this instanceof IsNull e) {
      return List.of(e.operand());
    } else if (this instanceof Conditional e) {
      return List.of(e.condition(), e.whenTrue(), e.otherwise());
    } else if (this instanceof Quantified e) {
      return List.of(e.collection(), e.body());
    } else if (this instanceof Call e) {
      return e.arguments();
    } else if (this instanceof SetLiteral e) {
      return e.elements();
    } else if (this instanceof Assignment e) {
      return List.of(e.value());
    }
    return List.of();
  }

  /** A constant: NULL, BOOLEAN, LONG, DOUBLE, STRING, DURATION or TIMESTAMP. */
  record Literal(Value value, SourceRange range) implements Expression {}

  /** A variable, a bound or a declared name; which of them, the analyzer says. */
  record Name(Identifier identifier, SourceRange range) implements Expression {}

  /**
   * {@code target.field}: a field of a struct, or {@code log.variable}; the analyzer says which.
   */
  record Field(Expression target, Identifier field, SourceRange range) implements Expression {}

  /** {@code variable@node} or {@code variable@(expression)}. */
  record AtNode(Expression variable, NodeReference node, SourceRange range) implements Expression {}

  /** NODES: the set of the cut's nodes. */
  record Nodes(SourceRange range) implements Expression {}

  /** {@code NOT e} or {@code -e}. */
  record Unary(UnaryOperator operator, Expression operand, SourceRange range)
      implements Expression {}

  /** An operator between two operands. */
  record Binary(BinaryOperator operator, Expression left, Expression right, SourceRange range)
      implements Expression {}

  /** {@code e IS NULL} or {@code e IS NOT NULL}. */
  record IsNull(Expression operand, boolean negated, SourceRange range) implements Expression {}

  /** {@code condition ? (whenTrue) : otherwise}. */
  record Conditional(
      Expression condition, Expression whenTrue, Expression otherwise, SourceRange range)
      implements Expression {}

  /** {@code EXISTS v, w IN collection : (body)} and its kin. */
  record Quantified(
      Quantifier quantifier,
      List<Identifier> variables,
      Expression collection,
      Expression body,
      SourceRange range)
      implements Expression {
    /** Copies the variables. */
    public Quantified {
      variables = List.copyOf(variables);
    }
  }

  /** {@code function(arguments)}, {@code function(DISTINCT argument)}. */
  record Call(Identifier function, boolean distinct, List<Expression> arguments, SourceRange range)
      implements Expression {
    /** Copies the arguments. */
    public Call {
      arguments = List.copyOf(arguments);
    }
  }

  /** {@code {e, e}}. */
  record SetLiteral(List<Expression> elements, SourceRange range) implements Expression {
    /** Copies the elements. */
    public SetLiteral {
      elements = List.copyOf(elements);
    }
  }

  /** {@code name := value}, in COMPUTE only. */
  record Assignment(Identifier name, Expression value, SourceRange range) implements Expression {}

  /** {@code VAR x}, {@code GLOBAL x}, {@code OUT x}, in COMPUTE only. */
  record Declaration(DeclarationKind kind, Identifier name, SourceRange range)
      implements Expression {}

  /** Operators with one operand. */
  enum UnaryOperator {
    NOT,
    NEGATE
  }

  /** Operators with two operands, loosest first. */
  enum BinaryOperator {
    OR("OR"),
    AND("AND"),
    EQUAL("="),
    NOT_EQUAL("!="),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    GREATER(">"),
    GREATER_OR_EQUAL(">="),
    IN("IN"),
    NOT_IN("NOT IN"),
    IS_SUBSET("ISSUBSET"),
    IS_PROPER_SUBSET("ISPROPSUBSET"),
    LIKE("LIKE"),
    CONTAINS("CONTAINS"),
    ADD("+"),
    SUBTRACT("-"),
    DIFFERENCE("\\"),
    UNION("UNION"),
    INTERSECT("INTERSECT"),
    MULTIPLY("*"),
    DIVIDE("/"),
    REMAINDER("%"),
    RANGE("..");

    private final String symbol;

    BinaryOperator(String symbol) {
      this.symbol = symbol;
    }

    /** How it is written. */
    public String symbol() {
      return symbol;
    }
  }

  /** Binds variables over a collection. */
  enum Quantifier {
    EXISTS,
    FORALL,
    COUNT,
    FOREACH
  }

  /** What a declaration in COMPUTE makes. */
  enum DeclarationKind {
    /** Fresh at every cut. */
    VAR,
    /** Keeps its value from cut to cut. */
    GLOBAL,
    /** Fresh at every cut, and a column of the result. */
    OUT
  }
}
