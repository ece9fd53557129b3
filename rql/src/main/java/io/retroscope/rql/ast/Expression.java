package io.retroscope.rql.ast;

import io.retroscope.event.Value;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** An expression. */
public sealed interface Expression extends Node {
  /** The expressions right below this one, from left to right. */
  List<Expression> children();

  /** What a visitor makes of an expression of this kind. */
  <R> R accept(Visitor<R> visitor);

  /** This expression and all below it: parents before their children, from left to right. */
  default List<Expression> thisAndAllBelow() {
    List<Expression> found = new ArrayList<>();
    Deque<Expression> open = new ArrayDeque<>();
    open.push(this);
    while (!open.isEmpty()) {
      Expression expression = open.pop();
      found.add(expression);
      List<Expression> children = expression.children();
      for (int i = children.size() - 1; i >= 0; i--) {
        open.push(children.get(i));
      }
    }
    return found;
  }

  /** Those of one kind among this expression and all below it, in the same order. */
  default <E extends Expression> List<E> all(Class<E> kind) {
    return thisAndAllBelow().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /**
   * An operation on expressions, with a method for every kind, so that a new kind compiles only
   * when each operation handles it.
   */
  interface Visitor<R> {
    R literal(Literal e);

    R name(Name e);

    R field(Field e);

    R atNode(AtNode e);

    R nodes(Nodes e);

    R unary(Unary e);

    R binary(Binary e);

    R isNull(IsNull e);

    R conditional(Conditional e);

    R quantified(Quantified e);

    R call(Call e);

    R setLiteral(SetLiteral e);

    R assignment(Assignment e);

    R declaration(Declaration e);
  }

  /** A constant: NULL, BOOLEAN, LONG, DOUBLE, STRING, DURATION or TIMESTAMP. */
  record Literal(Value value, SourceRange range) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.literal(this);
    }
  }

  /** A variable, a bound or a declared name; which of them, the analyzer says. */
  record Name(Identifier identifier, SourceRange range) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.name(this);
    }
  }

  /**
   * {@code target.field}: a field of a struct, or {@code log.variable}; the analyzer says which.
   */
  record Field(Expression target, Identifier field, SourceRange range) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(target);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.field(this);
    }
  }

  /** {@code variable@node} or {@code variable@(expression)}. */
  record AtNode(Expression variable, NodeReference node, SourceRange range) implements Expression {
    @Override
    public List<Expression> children() {
      return node instanceof NodeReference.Computed computed
          ? List.of(variable, computed.expression())
          : List.of(variable);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.atNode(this);
    }
  }

  /** NODES: the set of the cut's nodes. */
  record Nodes(SourceRange range) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.nodes(this);
    }
  }

  /** {@code NOT e} or {@code -e}. */
  record Unary(UnaryOperator operator, Expression operand, SourceRange range)
      implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(operand);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.unary(this);
    }
  }

  /** An operator between two operands. */
  record Binary(BinaryOperator operator, Expression left, Expression right, SourceRange range)
      implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(left, right);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.binary(this);
    }
  }

  /** {@code e IS NULL} or {@code e IS NOT NULL}. */
  record IsNull(Expression operand, boolean negated, SourceRange range) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(operand);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.isNull(this);
    }
  }

  /** {@code condition ? (whenTrue) : otherwise}. */
  record Conditional(
      Expression condition, Expression whenTrue, Expression otherwise, SourceRange range)
      implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(condition, whenTrue, otherwise);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.conditional(this);
    }
  }

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

    @Override
    public List<Expression> children() {
      return List.of(collection, body);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.quantified(this);
    }
  }

  /** {@code function(arguments)}, {@code function(DISTINCT argument)}. */
  record Call(Identifier function, boolean distinct, List<Expression> arguments, SourceRange range)
      implements Expression {
    /** Copies the arguments. */
    public Call {
      arguments = List.copyOf(arguments);
    }

    @Override
    public List<Expression> children() {
      return arguments;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.call(this);
    }
  }

  /** {@code {e, e}}. */
  record SetLiteral(List<Expression> elements, SourceRange range) implements Expression {
    /** Copies the elements. */
    public SetLiteral {
      elements = List.copyOf(elements);
    }

    @Override
    public List<Expression> children() {
      return elements;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.setLiteral(this);
    }
  }

  /** {@code name := value}, in COMPUTE only. */
  record Assignment(Identifier name, Expression value, SourceRange range) implements Expression {
    @Override
    public List<Expression> children() {
      return List.of(value);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.assignment(this);
    }
  }

  /** {@code VAR x}, {@code GLOBAL x}, {@code OUT x}, in COMPUTE only. */
  record Declaration(DeclarationKind kind, Identifier name, SourceRange range)
      implements Expression {
    @Override
    public List<Expression> children() {
      return List.of();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.declaration(this);
    }
  }

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
