// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.NodeReference;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The analysis of one statement's expressions, which resolves names and checks types as far as they
 * are known.
 */
final class ExpressionAnalysis implements Expression.Visitor<Type> {
  /** The context of an expression. */
  enum Place {
    /** A query, outside COMPUTE. */
    QUERY,
    /** COMPUTE, which may declare, assign and loop. */
    COMPUTE,
    /** A single expression without a cut. */
    ALONE,
    /** An outer query, whose names are columns of the inner one. */
    ROWS
  }

  /** A meaning that an expression has as a whole, before its parts are analyzed. */
  interface Whole {
    /** Returns the type, or empty if the expression has no meaning of its own as a whole. */
    Optional<Type> type(Expression expression);
  }

  private final Names names;
  private final NodeNames nodeNames;
  private final Resolution resolution;
  private final AnalysisLimits limits;
  private final Problems problems;
  private final Operands operands;
  private final CallAnalysis calls;
  private final Place place;
  private final Whole whole;

  ExpressionAnalysis(
      Names names,
      NodeNames nodeNames,
      Resolution resolution,
      AnalysisLimits limits,
      Problems problems,
      Place place) {
    this(names, nodeNames, resolution, limits, problems, place, e -> Optional.empty());
  }

  ExpressionAnalysis(
      Names names,
      NodeNames nodeNames,
      Resolution resolution,
      AnalysisLimits limits,
      Problems problems,
      Place place,
      Whole whole) {
    this.whole = whole;
    this.names = names;
    this.nodeNames = nodeNames;
    this.resolution = resolution;
    this.limits = limits;
    this.problems = problems;
    this.operands = new Operands(problems);
    this.calls = new CallAnalysis(this, names, resolution, operands, problems);
    this.place = place;
  }

  /** Returns the type of an expression, or FAULTY after reporting a problem. */
  Type type(Expression expression) {
    // No lambda: this is recursive, and each call takes room on the stack.
    Optional<Type> known = whole.type(expression);
    Type type = known.isPresent() ? known.get() : expression.accept(this);
    if (type == Type.COLLECTION) {
      resolution.markCollection(expression);
    }
    return type;
  }

  @Override
  public Type literal(Expression.Literal e) {
    return Type.of(e.value());
  }

  @Override
  public Type nodes(Expression.Nodes e) {
    return needsCut("NODES", e.range(), Type.SET);
  }

  @Override
  public Type unary(Expression.Unary e) {
    return operands.unary(e, type(e.operand()));
  }

  @Override
  public Type binary(Expression.Binary e) {
    return operands.binary(e, type(e.left()), type(e.right()));
  }

  @Override
  public Type isNull(Expression.IsNull e) {
    operands.oneValue(e.operand(), type(e.operand()));
    return Type.BOOLEAN;
  }

  @Override
  public Type setLiteral(Expression.SetLiteral e) {
    e.elements().forEach(element -> operands.oneValue(element, type(element)));
    return Type.SET;
  }

  @Override
  public Type call(Expression.Call e) {
    return calls.type(e);
  }

  /**
   * Returns the type of an expression that needs a cut, or FAULTY after reporting that there is
   * none.
   */
  Type needsCut(String what, SourceRange range, Type type) {
    switch (place) {
      case QUERY, COMPUTE -> {
        return type;
      }
      case ALONE ->
          problems.add(
              ErrorCode.NO_CUT_HERE
                  .at(range, what, "an expression outside a query")
                  .withHelp("write SELECT ... FROM a log"));
      case ROWS ->
          problems.add(
              ErrorCode.NO_CUT_HERE
                  .at(range, what, "an outer query")
                  .withHelp(
                      "select it in the inner query; hlc and time are columns of it already"));
    }
    return Type.FAULTY;
  }

  @Override
  public Type name(Expression.Name name) {
    String text = name.identifier().text();
    if (place == Place.ALONE && names.boundAs(text).isEmpty()) {
      return needsCut(text, name.range(), Type.ANY);
    }
    Optional<Reference> meaning = names.find(name);
    if (meaning.isEmpty()) {
      return Type.FAULTY;
    }
    resolution.put(name, meaning.get());
    boolean perNode =
        meaning.get() instanceof Reference.Variable
            || meaning.get() instanceof Reference.EachVariable;
    return perNode ? Type.COLLECTION : Type.ANY;
  }

  @Override
  public Type field(Expression.Field field) {
    if (field.target() instanceof Expression.Name target
        && names.logs().contains(target.identifier().text())) {
      Optional<Reference.Variable> variable =
          names.variable(target.identifier().text(), field.field());
      variable.ifPresent(v -> resolution.put(field, v));
      return variable.isPresent() ? Type.COLLECTION : Type.FAULTY;
    }
    Type target = type(field.target());
    if (target == Type.COLLECTION) {
      return Type.COLLECTION;
    }
    if (!target.isOpen()) {
      problems.mismatch(field.range(), "a dot", "a STRUCT to its left", target);
      return Type.FAULTY;
    }
    return target == Type.FAULTY ? target : Type.ANY;
  }

  @Override
  public Type atNode(Expression.AtNode atNode) {
    Type target = type(atNode.variable());
    if (target != Type.COLLECTION && target != Type.FAULTY) {
      SourceRange range = atNode.variable().range();
      problems.add(ErrorCode.NOT_PER_NODE.at(range, '"' + problems.text(range) + '"'));
    }
    return atNode.node().accept(new NodeAnalysis(atNode));
  }

  /** The analysis of the node in {@code variable@node}. */
  private final class NodeAnalysis implements NodeReference.Visitor<Type> {
    private final Expression.AtNode atNode;

    NodeAnalysis(Expression.AtNode atNode) {
      this.atNode = atNode;
    }

    @Override
    public Type named(NodeReference.Named node) {
      Identifier name = node.name();
      Optional<Reference.Bound> bound =
          name.quoted() ? Optional.empty() : names.boundAs(name.text());
      bound.ifPresentOrElse(b -> resolution.put(atNode, b), () -> nodeNames.check(node));
      return Type.ANY;
    }

    @Override
    public Type computed(NodeReference.Computed node) {
      operands.oneValue(node.expression(), type(node.expression()));
      return Type.ANY;
    }
  }

  @Override
  public Type conditional(Expression.Conditional e) {
    operands.condition(e.condition(), type(e.condition()), "?:");
    return either(e.whenTrue(), e.otherwise());
  }

  private Type either(Expression a, Expression b) {
    Type left = type(a);
    Type right = type(b);
    operands.oneValue(a, left);
    operands.oneValue(b, right);
    return left == right && left != Type.COLLECTION ? left : Type.ANY;
  }

  @Override
  public Type quantified(Expression.Quantified e) {
    if (e.quantifier() == Quantifier.FOREACH && place != Place.COMPUTE) {
      SourceRange word = new SourceRange(e.range().start(), e.range().start() + 7);
      problems.add(ErrorCode.MISPLACED_EXPRESSION.at(word, "FOREACH"));
    }
    operands.elements(e.collection(), type(e.collection()), e.quantifier().toString());
    if (e.quantifier() == Quantifier.FILTER && e.variables().size() > 1) {
      problems.add(
          ErrorCode.ARGUMENT_COUNT
              .at(e.variables().get(1).range(), "FILTER", "one bound name", e.variables().size())
              .withHelp("bind the others in its body: FILTER a IN e : (EXISTS b IN e : (...))"));
    }
    resolution.putFirstSlot(e, names.boundCount());
    Set<String> seen = new HashSet<>();
    for (Identifier variable : e.variables()) {
      if (!seen.add(variable.text())) {
        problems.add(ErrorCode.REPEATED_NAME.at(variable.range(), "bound name", variable.text()));
      }
      if (names.boundCount() == limits.maxBoundNames()) {
        problems.add(
            ErrorCode.TOO_MANY_BOUND_NAMES
                .at(variable.range(), limits.maxBoundNames())
                .withHelp("each bound name multiplies the work of every cut; use an aggregate"));
      }
      names.bind(variable.text());
    }
    Type body = type(e.body());
    if (e.quantifier() != Quantifier.FOREACH) {
      operands.condition(e.body(), body, "the body of " + e.quantifier());
    }
    e.variables().forEach(variable -> names.unbind(variable.text()));
    return switch (e.quantifier()) {
      case COUNT -> Type.LONG;
      case FILTER -> Type.SET;
      case EXISTS, FORALL, FOREACH -> Type.BOOLEAN;
    };
  }

  @Override
  public Type assignment(Expression.Assignment e) {
    type(e.value());
    if (place != Place.COMPUTE) {
      problems.add(
          ErrorCode.MISPLACED_EXPRESSION
              .at(e.range(), "an assignment")
              .withHelp("to compare, write ="));
      return Type.BOOLEAN;
    }
    Optional<Reference> target = names.declaredAs(e.name().text());
    if (target.isPresent() && target.get() instanceof Reference.Declared) {
      resolution.put(e, target.get());
    } else {
      problems.add(
          ErrorCode.NOT_DECLARED
              .at(e.name().range(), e.name().text())
              .withHelp(
                  "declare it first: COMPUTE VAR %s AND ...; GLOBAL keeps its value from cut to cut"
                      .formatted(e.name().text())));
    }
    return Type.BOOLEAN;
  }

  @Override
  public Type declaration(Expression.Declaration e) {
    if (place != Place.COMPUTE) {
      problems.add(ErrorCode.MISPLACED_EXPRESSION.at(e.range(), "a declaration"));
    } else {
      names.declaredAs(e.name().text()).ifPresent(reference -> resolution.put(e, reference));
    }
    return Type.BOOLEAN;
  }
}
