// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.event.Value;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** An expression. */
public sealed interface Expression extends Node {
  /** The direct subexpressions, from left to right. */
  List<Expression> children();

  /** Calls the visitor's method for this kind of expression. */
  <R> R accept(Visitor<R> visitor);

  /**
   * Returns this expression and all its descendants: parents before their children, from left to
   * right.
   */
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

  /** Returns the expressions of one kind among this one and its descendants, in the same order. */
  default <E extends Expression> List<E> all(Class<E> kind) {
    return thisAndAllBelow().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /**
   * An operation on expressions, with a method for every kind, so that a new kind compiles only
   * after each operation handles it.
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

  /** A variable, a bound or a declared name; the analyzer decides which. */
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
   * The form {@code target.field}: a field of a struct, or {@code log.variable}; the analyzer
   * decides which.
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

  /** The form {@code variable@node} or {@code variable@(expression)}. */
  record AtNode(Expression variable, NodeReference node, SourceRange range) implements Expression {
    @Override
    public List<Expression> children() {
      List<Expression> children = new ArrayList<>(List.of(variable));
      children.addAll(node.children());
      return children;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.atNode(this);
    }
  }

  /** The expression NODES: the set of the cut's nodes. */
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

  /** The operators {@code NOT e} and {@code -e}. */
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

  /** The operators {@code e IS NULL} and {@code e IS NOT NULL}. */
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

  /** The operator {@code condition ? (whenTrue) : otherwise}. */
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

  /** A quantifier such as {@code EXISTS v, w IN collection : (body)}. */
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

  /**
   * The call {@code function(arguments)}, {@code function(DISTINCT argument)} or, without
   * arguments, {@code COUNT(*)}.
   */
  record Call(Identifier function, boolean distinct, List<Expression> arguments, SourceRange range)
      implements Expression {
    /** Copies the arguments. */
    public Call {
      arguments = List.copyOf(arguments);
    }

    /** Whether it is {@code COUNT(*)}. */
    public boolean isOfAllRows() {
      return arguments.isEmpty() && function.text().equalsIgnoreCase("COUNT");
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

  /** The set {@code {e, e}}. */
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

  /** The assignment {@code name := value}, in COMPUTE only. */
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

  /** The declarations {@code VAR x}, {@code GLOBAL x} and {@code OUT x}, in COMPUTE only. */
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

  /**
   * The kinds of operators with two operands. Those of a kind have operands and results of the same
   * types, and one precedence, except that OR binds less than AND.
   */
  enum OperatorKind {
    /** Two conditions, of which the right one may not be evaluated. */
    JUNCTION,
    /** Two values that are equal or not. */
    EQUALITY,
    /** Two values in an order. */
    ORDER,
    /** A value, and a collection in which it may be. */
    MEMBERSHIP,
    /** Two collections, of which one may be part of the other. */
    INCLUSION,
    /** A text and a pattern. */
    LIKENESS,
    /** A text or a collection, and a part of it. */
    CONTAINMENT,
    /** Two quantities, with the precedence of a sum. */
    SUM,
    /** Two quantities, with the precedence of a product. */
    PRODUCT,
    /** Two collections that make another one. */
    SETS,
    /** Two whole numbers, and those between them. */
    RANGE
  }

  /** Operators with two operands. */
  enum BinaryOperator {
    OR("OR", OperatorKind.JUNCTION),
    AND("AND", OperatorKind.JUNCTION),
    EQUAL("=", OperatorKind.EQUALITY, 0),
    NOT_EQUAL("!=", OperatorKind.EQUALITY, -1, 1),
    LESS("<", OperatorKind.ORDER, -1),
    LESS_OR_EQUAL("<=", OperatorKind.ORDER, -1, 0),
    GREATER(">", OperatorKind.ORDER, 1),
    GREATER_OR_EQUAL(">=", OperatorKind.ORDER, 0, 1),
    IN("IN", OperatorKind.MEMBERSHIP),
    NOT_IN("NOT IN", OperatorKind.MEMBERSHIP),
    IS_SUBSET("ISSUBSET", OperatorKind.INCLUSION),
    IS_PROPER_SUBSET("ISPROPSUBSET", OperatorKind.INCLUSION),
    LIKE("LIKE", OperatorKind.LIKENESS),
    CONTAINS("CONTAINS", OperatorKind.CONTAINMENT),
    ADD("+", OperatorKind.SUM),
    SUBTRACT("-", OperatorKind.SUM),
    DIFFERENCE("\\", OperatorKind.SETS),
    UNION("UNION", OperatorKind.SETS),
    INTERSECT("INTERSECT", OperatorKind.SETS),
    MULTIPLY("*", OperatorKind.PRODUCT),
    DIVIDE("/", OperatorKind.PRODUCT),
    REMAINDER("%", OperatorKind.PRODUCT),
    RANGE("..", OperatorKind.RANGE);

    private final String symbol;
    private final OperatorKind kind;

    /** The bits of the orders of its operands at which it is TRUE. */
    private final int orders;

    BinaryOperator(String symbol, OperatorKind kind, int... orders) {
      this.symbol = symbol;
      this.kind = kind;
      this.orders = Arrays.stream(orders).reduce(0, (all, order) -> all | bit(order));
    }

    private static int bit(int order) {
      return 1 << (Integer.signum(order) + 1);
    }

    /** The text of the operator. */
    public String symbol() {
      return symbol;
    }

    public OperatorKind kind() {
      return kind;
    }

    /** Whether its value depends on the order of its operands only. */
    public boolean isComparison() {
      return orders != 0;
    }

    /**
     * Returns whether a comparison is TRUE for two operands.
     *
     * @param order negative if the left operand is less, 0 if they are equal, positive if it is
     *     greater
     */
    public boolean holds(int order) {
      return (orders & bit(order)) != 0;
    }

    /** The operator with which exchanged operands have the same order; itself for other kinds. */
    public BinaryOperator mirrored() {
      if (kind != OperatorKind.ORDER) {
        return this;
      }
      if (holds(-1)) {
        return holds(0) ? GREATER_OR_EQUAL : GREATER;
      }
      return holds(0) ? LESS_OR_EQUAL : LESS;
    }
  }

  /** The quantifiers, which bind names to the elements of a collection. */
  enum Quantifier {
    EXISTS,
    FORALL,
    COUNT,
    FILTER,
    FOREACH
  }

  /** The kinds of declarations in COMPUTE. */
  enum DeclarationKind {
    /** A name that is reset at every cut. */
    VAR,
    /** A name that keeps its value from cut to cut. */
    GLOBAL,
    /** A name that is reset at every cut and is a column of the result. */
    OUT
  }
}
