package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.NodeReference;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Resolves the names of one statement's expressions and checks what can be known of their types.
 */
final class ExpressionAnalysis {
  /** Where an expression stands. */
  enum Place {
    /** In a query, outside COMPUTE. */
    QUERY,
    /** In COMPUTE: may declare, assign and loop. */
    COMPUTE,
    /** On its own: there is no cut. */
    ALONE
  }

  private final Names names;
  private final NodeNames nodeNames;
  private final Resolution resolution;
  private final AnalysisLimits limits;
  private final Problems problems;
  private final Operands operands;
  private final Place place;

  ExpressionAnalysis(
      Names names,
      NodeNames nodeNames,
      Resolution resolution,
      AnalysisLimits limits,
      Problems problems,
      Place place) {
    this.names = names;
    this.nodeNames = nodeNames;
    this.resolution = resolution;
    this.limits = limits;
    this.problems = problems;
    this.operands = new Operands(problems);
    this.place = place;
  }

  /** The type of an expression; FAULTY, with a problem noted, where it has none. */
  Type type(Expression expression) {
    Type type = analyze(expression);
    if (type == Type.COLLECTION) {
      resolution.markCollection(expression);
    }
    return type;
  }

  private Type analyze(Expression expression) {
    if (expression instanceof Expression.Literal e) {
      return Type.of(e.value());
    } else if (expression instanceof Expression.Name e) {
      return name(e);
    } else if (expression instanceof Expression.Field e) {
      return field(e);
    } else if (expression instanceof Expression.AtNode e) {
      return atNode(e);
    } else if (expression instanceof Expression.Nodes e) {
      return needsCut("NODES", e.range(), Type.SET);
    } else if (expression instanceof Expression.Unary e) {
      return operands.unary(e, type(e.operand()));
    } else if (expression instanceof Expression.Binary e) {
      return operands.binary(e, type(e.left()), type(e.right()));
    } else if (expression instanceof Expression.IsNull e) {
      operands.oneValue(e.operand(), type(e.operand()));
      return Type.BOOLEAN;
    } else if (expression instanceof Expression.Conditional e) {
      return conditional(e);
    } else if (expression instanceof Expression.Quantified e) {
      return quantified(e);
    } else if (expression instanceof Expression.Call e) {
      return call(e);
    } else if (expression instanceof Expression.SetLiteral e) {
      e.elements().forEach(element -> operands.oneValue(element, type(element)));
      return Type.SET;
    } else if (expression instanceof Expression.Assignment e) {
      return assignment(e);
    } else if (expression instanceof Expression.Declaration e) {
      return declaration(e);
    }
    throw new AssertionError("no expression: " + expression);
  }

  private Type needsCut(String what, SourceRange range, Type type) {
    if (place == Place.ALONE) {
      problems.add(ErrorCode.NO_CUT_HERE.at(range, what).withHelp("write SELECT ... FROM a log"));
      return Type.FAULTY;
    }
    return type;
  }

  private Type name(Expression.Name name) {
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

  private Type field(Expression.Field field) {
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

  private Type atNode(Expression.AtNode atNode) {
    Type target = type(atNode.variable());
    if (target != Type.COLLECTION && target != Type.FAULTY) {
      SourceRange range = atNode.variable().range();
      problems.add(ErrorCode.NOT_PER_NODE.at(range, '"' + problems.text(range) + '"'));
    }
    if (atNode.node() instanceof NodeReference.Computed computed) {
      operands.oneValue(computed.expression(), type(computed.expression()));
    } else if (atNode.node() instanceof NodeReference.Named named) {
      Identifier name = named.name();
      Optional<Reference.Bound> bound =
          name.quoted() ? Optional.empty() : names.boundAs(name.text());
      bound.ifPresentOrElse(b -> resolution.putNode(named, b), () -> nodeNames.check(named));
    }
    return Type.ANY;
  }

  private Type conditional(Expression.Conditional e) {
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

  private Type quantified(Expression.Quantified e) {
    if (e.quantifier() == Quantifier.FOREACH && place != Place.COMPUTE) {
      SourceRange word = new SourceRange(e.range().start(), e.range().start() + 7);
      problems.add(ErrorCode.MISPLACED_EXPRESSION.at(word, "FOREACH"));
    }
    operands.elements(e.collection(), type(e.collection()), e.quantifier().toString());
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
    return e.quantifier() == Quantifier.COUNT ? Type.LONG : Type.BOOLEAN;
  }

  private Type assignment(Expression.Assignment e) {
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

  private Type declaration(Expression.Declaration e) {
    if (place != Place.COMPUTE) {
      problems.add(ErrorCode.MISPLACED_EXPRESSION.at(e.range(), "a declaration"));
    } else {
      names.declaredAs(e.name().text()).ifPresent(reference -> resolution.put(e, reference));
    }
    return Type.BOOLEAN;
  }

  private Type call(Expression.Call call) {
    Optional<Function> known = Function.named(call.function().text());
    if (known.isEmpty()) {
      List<String> all = Function.displayNames();
      problems.add(
          ErrorCode.UNKNOWN_FUNCTION.at(call.function().range(), call.function().text()),
          () ->
              call.function().text().equalsIgnoreCase("NOW")
                  ? "NOW stands in ON TIME only: ON TIME NOW - 5m TO NOW"
                  : Suggestions.help(call.function().text(), all, "Functions"));
      call.arguments().forEach(this::type);
      return Type.FAULTY;
    }
    Function function = known.get();
    checkShape(call, function);
    for (int i = 0; i < call.arguments().size(); i++) {
      argument(function, i, call.arguments());
    }
    return result(function, call);
  }

  private void checkShape(Expression.Call call, Function function) {
    int count = call.arguments().size();
    if (count < function.minArguments() || count > function.maxArguments()) {
      problems.add(
          ErrorCode.ARGUMENT_COUNT
              .at(call.range(), function.displayName(), function.argumentCountWords(), count)
              .withHelp("it is written " + function.signature()));
    }
    boolean severalTaken = count > 1 && count <= function.maxArguments();
    if (call.distinct() && (!function.takesDistinct() || severalTaken)) {
      problems.add(
          ErrorCode.NO_DISTINCT
              .at(call.range(), function.displayName())
              .withHelp("COUNT and SUM take DISTINCT before their one argument"));
    }
  }

  private Type result(Function function, Expression.Call call) {
    return switch (function) {
      case TIME, WALL_TIME -> needsCut(function.displayName(), call.range(), function.result());
      default -> function.result();
    };
  }

  private void argument(Function function, int index, List<Expression> arguments) {
    Expression argument = arguments.get(index);
    if (index >= function.maxArguments()) {
      type(argument);
      return;
    }
    Parameter parameter = function.parameter(index);
    Type type = type(argument);
    String taker = function.displayName();
    switch (parameter) {
      case VALUE -> operands.oneValue(argument, type);
      case NUMBER -> operands.number(argument, type, taker);
      case WHOLE_NUMBER -> operands.wholeNumber(argument, type, taker);
      case QUANTITY -> operands.quantity(argument, type, taker);
      case TEXT -> operands.text(argument, type, taker);
      case CONDITION -> operands.condition(argument, type, taker);
      case SET, ELEMENTS -> operands.elements(argument, type, taker);
      case ELEMENTS_OR_VALUE -> {
        if (arguments.size() == 1) {
          operands.elements(argument, type, taker);
        }
      }
      case COLLECTION -> collection(argument, type, taker);
      case BOUND_NAME -> boundName(argument, taker);
      case VARIABLE -> variable(argument, type, taker);
    }
  }

  private void collection(Expression argument, Type type, String taker) {
    if (type != Type.COLLECTION && type != Type.FAULTY) {
      problems.mismatch(argument.range(), taker, Parameter.COLLECTION.words(), type);
    }
  }

  private void boundName(Expression argument, String taker) {
    boolean bound =
        argument instanceof Expression.Name name
            && names.boundAs(name.identifier().text()).isPresent();
    if (!bound) {
      problems.add(
          ErrorCode.MISMATCH
              .at(argument.range(), taker, Parameter.BOUND_NAME.words(), "this")
              .withHelp("EXISTS v IN r1 : (Node(v) = 'zk1'); the nodes of r1 are Nodes(r1)"));
    }
  }

  private void variable(Expression argument, Type type, String taker) {
    boolean field = argument instanceof Expression.Field f && resolution.variable(f).isEmpty();
    boolean named = type == Type.COLLECTION && !(argument instanceof Expression.Call) && !field;
    if (!named && type != Type.FAULTY) {
      problems.add(
          ErrorCode.MISMATCH.at(argument.range(), taker, Parameter.VARIABLE.words(), "this"));
    }
  }
}
