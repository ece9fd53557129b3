// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static io.retroscope.rql.oracle.NaiveValues.areSets;
import static io.retroscope.rql.oracle.NaiveValues.arithmetic;
import static io.retroscope.rql.oracle.NaiveValues.comparison;
import static io.retroscope.rql.oracle.NaiveValues.elementsOrNone;
import static io.retroscope.rql.oracle.NaiveValues.in;
import static io.retroscope.rql.oracle.NaiveValues.isNull;
import static io.retroscope.rql.oracle.NaiveValues.isNumber;
import static io.retroscope.rql.oracle.NaiveValues.isSet;
import static io.retroscope.rql.oracle.NaiveValues.isTrue;
import static io.retroscope.rql.oracle.NaiveValues.truth;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.NodeReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * A direct implementation of the reference: it evaluates the syntax tree, looks names up each time,
 * tries every binding and keeps nothing.
 */
final class NaiveEvaluator {
  private final NaiveState now;
  private final NaiveState before;
  private final Map<String, Value> declared;
  private final Map<String, String> each;
  private final Map<String, Value> bound = new HashMap<>();
  private final Map<String, String> boundNodes = new HashMap<>();
  private final Set<String> globals = new HashSet<>();
  private boolean keepsGlobals;

  /** An element, with its node if it has one. */
  record Element(String node, Value value) {}

  /**
   * Creates an evaluator over one cut.
   *
   * @param each the present variable of FOR EACH VARIABLE
   */
  NaiveEvaluator(
      NaiveState now, NaiveState before, Map<String, Value> declared, Map<String, String> each) {
    this.now = now;
    this.before = before;
    this.declared = declared;
    this.each = each;
  }

  /** Binds names for the whole evaluation. */
  NaiveEvaluator with(Map<String, Value> names) {
    bound.putAll(names);
    return this;
  }

  /** Continues in a cut that was evaluated before, so that GLOBALs keep their values. */
  NaiveEvaluator again() {
    keepsGlobals = true;
    return this;
  }

  /**
   * Evaluates COMPUTE: declarations and assignments; AND stops at the first operand that is not
   * TRUE.
   */
  Value compute(Expression e) {
    if (e instanceof Expression.Binary and && and.operator() == Expression.BinaryOperator.AND) {
      Value left = compute(and.left());
      return isTrue(left) ? compute(and.right()) : left;
    }
    if (e instanceof Expression.Declaration declaration) {
      if (declaration.kind() == DeclarationKind.GLOBAL) {
        globals.add(declaration.name().text());
      } else {
        declared.put(declaration.name().text(), NullValue.NULL);
      }
      return Value.of(true);
    }
    if (e instanceof Expression.Assignment assignment) {
      String name = assignment.name().text();
      Map<String, Value> perNode = perNode(assignment.value());
      Value assigned = perNode == null ? value(assignment.value()) : new SetValue(perNode.values());
      if (!keepsGlobals || !globals.contains(name)) {
        declared.put(name, assigned);
      }
      return Value.of(true);
    }
    if (e instanceof Expression.Quantified loop
        && loop.quantifier() == Expression.Quantifier.FOREACH) {
      List<Element> elements = elements(loop.collection());
      if (elements != null) {
        forEachBinding(names(loop), elements, () -> compute(loop.body()));
      }
      return Value.of(true);
    }
    if (e instanceof Expression.Unary not && not.operator() == Expression.UnaryOperator.NOT) {
      Value operand = truth(compute(not.operand()));
      return isNull(operand) ? operand : Value.of(!isTrue(operand));
    }
    if (e instanceof Expression.Binary or && or.operator() == Expression.BinaryOperator.OR) {
      Value left = truth(compute(or.left()));
      Value right = isTrue(left) ? left : truth(compute(or.right()));
      return isTrue(right) || isNull(right) ? right : left;
    }
    if (e instanceof Expression.Conditional conditional) {
      return isTrue(truth(compute(conditional.condition())))
          ? compute(conditional.whenTrue())
          : compute(conditional.otherwise());
    }
    return value(e);
  }

  /** Returns the value as printed. */
  Value item(Expression e) {
    Map<String, Value> perNode = perNode(e);
    return perNode == null ? value(e) : new StructValue(perNode);
  }

  /** Returns the values per node, or null if the expression is not a per-node collection. */
  private Map<String, Value> perNode(Expression e) {
    if (e instanceof Expression.Name name && !isLocal(name.identifier().text())) {
      return now.of(variable(name));
    }
    if (e instanceof Expression.Field field && perNode(field.target()) != null) {
      TreeMap<String, Value> fields = new TreeMap<>();
      perNode(field.target())
          .forEach((node, struct) -> fields.put(node, field(struct, field.field().text())));
      return fields;
    }
    if (e instanceof Expression.Call call) {
      String function = call.function().text().toLowerCase(Locale.ROOT);
      if (function.equals("prev")) {
        return before.of(variable(call));
      }
      switch (function) {
        case "age" -> {
          Map<String, Long> changedAt = now.changedAt.get(variable(call));
          return atNodesOf(variable(call), node -> since(changedAt.get(node)));
        }
        case "writeage" -> {
          Map<String, Long> writtenAt = now.writtenAt.get(variable(call));
          return atNodesOf(variable(call), node -> since(writtenAt.get(node)));
        }
        case "silence" -> {
          return atNodesOf(variable(call), now::silenceMicros);
        }
        default -> {}
      }
    }
    return null;
  }

  private static Value field(Value struct, String name) {
    if (isNull(struct)) {
      return struct;
    }
    if (struct instanceof StructValue fields) {
      return fields.fields().getOrDefault(name, NullValue.NULL);
    }
    throw new NoValue("no field of " + struct);
  }

  private Map<String, Value> atNodesOf(String variable, ToLongFunction<String> micros) {
    TreeMap<String, Value> ages = new TreeMap<>();
    for (String node : now.of(variable).keySet()) {
      ages.put(node, new DurationValue(micros.applyAsLong(node)));
    }
    return ages;
  }

  private long since(long hlc) {
    return HlcTimestamp.micros(now.hlc) - HlcTimestamp.micros(hlc);
  }

  private boolean isLocal(String name) {
    return bound.containsKey(name) || declared.containsKey(name);
  }

  private String variable(Expression.Call call) {
    return variable((Expression.Name) call.arguments().get(0));
  }

  private String variable(Expression.Name name) {
    String text = name.identifier().text();
    return each.getOrDefault(text, text);
  }

  /** Returns a number or NULL. */
  Value number(Expression e) {
    Value value = value(e);
    if (!isNull(value) && !isNumber(value)) {
      throw new NoValue("no number: " + value);
    }
    return value;
  }

  Value value(Expression e) {
    if (e instanceof Expression.Literal literal) {
      return literal.value();
    } else if (e instanceof Expression.Name name) {
      String text = name.identifier().text();
      return bound.containsKey(text) ? bound.get(text) : declared.get(text);
    } else if (e instanceof Expression.AtNode atNode) {
      return perNode(atNode.variable()).getOrDefault(node(atNode.node()), NullValue.NULL);
    } else if (e instanceof Expression.Field field) {
      return field(value(field.target()), field.field().text());
    } else if (e instanceof Expression.Nodes) {
      return new SetValue(now.nodes.stream().<Value>map(Value::of).toList());
    } else if (e instanceof Expression.Unary unary) {
      return unary(unary);
    } else if (e instanceof Expression.Binary binary) {
      return binary(binary);
    } else if (e instanceof Expression.IsNull isNull) {
      return Value.of(isNull(value(isNull.operand())) != isNull.negated());
    } else if (e instanceof Expression.Conditional conditional) {
      return isTrue(truth(value(conditional.condition())))
          ? value(conditional.whenTrue())
          : value(conditional.otherwise());
    } else if (e instanceof Expression.Quantified quantified) {
      return quantified(quantified);
    } else if (e instanceof Expression.SetLiteral literal) {
      return new SetValue(literal.elements().stream().map(this::value).toList());
    } else if (e instanceof Expression.Call call) {
      return call(call);
    }
    throw new AssertionError("the oracle does not know " + e);
  }

  private String node(NodeReference reference) {
    if (reference instanceof NodeReference.Computed computed) {
      Value name = value(computed.expression());
      if (!isNull(name) && !(name instanceof StringValue)) {
        throw new NoValue("no node: " + name);
      }
      return isNull(name) ? "" : ((StringValue) name).value();
    }
    String name = ((NodeReference.Named) reference).name().text();
    return bound.containsKey(name) ? ((StringValue) bound.get(name)).value() : name;
  }

  private Value unary(Expression.Unary unary) {
    Value operand = value(unary.operand());
    if (unary.operator() == Expression.UnaryOperator.NOT) {
      return isNull(truth(operand)) ? operand : Value.of(!isTrue(operand));
    }
    return NaiveValues.negated(operand);
  }

  private Value binary(Expression.Binary binary) {
    return switch (binary.operator()) {
      case AND -> junction(binary, false);
      case OR -> junction(binary, true);
      case ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER ->
          arithmetic(binary.operator(), value(binary.left()), value(binary.right()));
      case EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL ->
          comparison(binary.operator(), value(binary.left()), value(binary.right()));
      case IN -> membership(binary);
      case NOT_IN -> {
        Value in = membership(binary);
        yield isNull(in) ? in : Value.of(!isTrue(in));
      }
      case LIKE -> {
        Value text = value(binary.left());
        String pattern = ((StringValue) value(binary.right())).value();
        String regex = pattern.replace("%", ".*").replace("_", ".");
        if (!isNull(text) && !(text instanceof StringValue)) {
          throw new NoValue("LIKE of " + text);
        }
        yield isNull(text) ? NullValue.NULL : Value.of(((StringValue) text).value().matches(regex));
      }
      case CONTAINS -> {
        Map<String, Value> perNode = perNode(binary.left());
        Value text = perNode == null ? value(binary.left()) : new SetValue(perNode.values());
        Value part = value(binary.right());
        if (text instanceof SetValue) {
          yield in(part, text);
        }
        if (isNull(text) || isNull(part)) {
          yield NullValue.NULL;
        }
        if (!(text instanceof StringValue whole) || !(part instanceof StringValue piece)) {
          throw new NoValue("CONTAINS of " + text + " and " + part);
        }
        yield Value.of(whole.value().contains(piece.value()));
      }
      case UNION -> NaiveSets.algebra(binary.operator(), set(binary.left()), set(binary.right()));
      case INTERSECT, DIFFERENCE -> {
        requireNoSetsOfNodes(binary);
        yield NaiveSets.algebra(binary.operator(), set(binary.left()), set(binary.right()));
      }
      case IS_SUBSET, IS_PROPER_SUBSET -> {
        requireNoSetsOfNodes(binary);
        yield NaiveSets.subset(binary.operator(), set(binary.left()), set(binary.right()));
      }
      case RANGE -> {
        List<Value> elements = new ArrayList<>();
        long to = ((LongValue) value(binary.right())).value();
        for (long i = ((LongValue) value(binary.left())).value(); i <= to; i++) {
          elements.add(Value.of(i));
        }
        yield new SetValue(elements);
      }
      default -> throw new AssertionError("the oracle does not know " + binary.operator());
    };
  }

  private Value membership(Expression.Binary binary) {
    Value element = value(binary.left());
    Map<String, Value> perNode = perNode(binary.right());
    boolean isOfVariable =
        binary.left() instanceof Expression.Name name
            && boundNodes.get(name.identifier().text()) != null;
    if (perNode != null && isOfVariable && isSet(element) && areSets(perNode.values())) {
      throw new NoValue("the set of a node in those of others");
    }
    return in(element, set(binary.right()));
  }

  private void requireNoSetsOfNodes(Expression.Binary binary) {
    Map<String, Value> left = perNode(binary.left());
    Map<String, Value> right = perNode(binary.right());
    if (left != null && right != null && (areSets(left.values()) || areSets(right.values()))) {
      throw new NoValue("the sets of nodes are compared");
    }
  }

  private Value junction(Expression.Binary binary, boolean decisive) {
    Value left = truth(value(binary.left()));
    if (!isNull(left) && isTrue(left) == decisive) {
      return left;
    }
    Value right = truth(value(binary.right()));
    if (!isNull(right) && isTrue(right) == decisive) {
      return right;
    }
    return isNull(left) || isNull(right) ? NullValue.NULL : Value.of(!decisive);
  }

  private Value set(Expression e) {
    Map<String, Value> perNode = perNode(e);
    Value value = perNode == null ? value(e) : new SetValue(perNode.values());
    if (!isNull(value) && !(value instanceof SetValue)) {
      throw new NoValue("no set: " + value);
    }
    return value;
  }

  /** Returns the elements of a quantifier or an aggregate, or null if they are not known. */
  List<Element> elements(Expression e) {
    Map<String, Value> perNode = perNode(e);
    List<Element> elements = new ArrayList<>();
    if (perNode != null) {
      perNode.forEach((node, value) -> elements.add(new Element(node, value)));
      return elements;
    }
    Value set = set(e);
    elementsOrNone(set).forEach(value -> elements.add(new Element(null, value)));
    return isNull(set) ? null : elements;
  }

  private Value quantified(Expression.Quantified quantified) {
    List<Element> elements = elements(quantified.collection());
    if (elements == null) {
      return NullValue.NULL;
    }
    List<Value> truths = new ArrayList<>();
    List<Value> kept = new ArrayList<>();
    String first = names(quantified).get(0);
    forEachBinding(
        names(quantified),
        elements,
        () -> {
          Value truth = truth(value(quantified.body()));
          truths.add(truth);
          if (isTrue(truth)) {
            kept.add(bound.get(first));
          }
        });
    long held = truths.stream().filter(NaiveValues::isTrue).count();
    boolean unknown = truths.stream().anyMatch(NaiveValues::isNull);
    return switch (quantified.quantifier()) {
      case COUNT -> Value.of(held);
      case FILTER -> new SetValue(kept);
      case EXISTS -> held > 0 ? Value.of(true) : unknown ? NullValue.NULL : Value.of(false);
      default -> {
        boolean failed = truths.stream().anyMatch(t -> !isNull(t) && !isTrue(t));
        yield failed ? Value.of(false) : unknown ? NullValue.NULL : Value.of(true);
      }
    };
  }

  static List<String> names(Expression.Quantified quantified) {
    return quantified.variables().stream().map(v -> v.text()).toList();
  }

  void forEachBinding(List<String> names, List<Element> elements, Runnable action) {
    if (names.isEmpty()) {
      action.run();
      return;
    }
    String name = names.get(0);
    for (Element element : elements) {
      bound.put(name, element.value());
      boundNodes.put(name, element.node());
      forEachBinding(names.subList(1, names.size()), elements, action);
    }
    bound.remove(name);
    boundNodes.remove(name);
  }

  private Value call(Expression.Call call) {
    String function = call.function().text().toLowerCase(Locale.ROOT);
    if (function.equals("time")) {
      return new Value.TimestampValue(now.hlc);
    }
    if (function.equals("walltime")) {
      return new Value.TimestampValue(HlcTimestamp.pack(HlcTimestamp.micros(now.hlc)));
    }
    Expression first = call.arguments().get(0);
    List<Expression> rest = call.arguments().subList(1, call.arguments().size());
    return switch (function) {
      case "coalesce" -> {
        for (Expression argument : call.arguments()) {
          Value value = value(argument);
          if (!isNull(value)) {
            yield value;
          }
        }
        yield NullValue.NULL;
      }
      case "if" -> isTrue(truth(value(first))) ? value(rest.get(0)) : value(rest.get(1));
      case "node" -> {
        String node = boundNodes.get(((Expression.Name) first).identifier().text());
        yield node == null ? NullValue.NULL : Value.of(node);
      }
      case "name" -> Value.of(variable(call));
      case "nodes" -> new SetValue(perNode(first).keySet().stream().<Value>map(Value::of).toList());
      case "changed" -> Value.of(!same(now.of(variable(call)), before.of(variable(call))));
      case "flatten", "cardinality", "subset" ->
          NaiveSets.call(function, call.arguments().stream().map(this::setOrValue).toList());
      case "abs",
          "bucket",
          "ceil",
          "concat",
          "cos",
          "double",
          "floor",
          "length",
          "log",
          "long",
          "lower",
          "pow",
          "replace",
          "round",
          "sin",
          "sqrt",
          "string",
          "substring",
          "tan",
          "upper" ->
          NaiveFunctions.scalar(function, call.arguments().stream().map(this::value).toList());
      default -> aggregate(function, call);
    };
  }

  private static boolean same(Map<String, Value> a, Map<String, Value> b) {
    return a.keySet().equals(b.keySet())
        && a.keySet().stream().allMatch(node -> a.get(node).compareTo(b.get(node)) == 0);
  }

  private Value setOrValue(Expression e) {
    Map<String, Value> perNode = perNode(e);
    return perNode == null ? value(e) : new SetValue(perNode.values());
  }

  private Value aggregate(String function, Expression.Call call) {
    List<Value> values = new ArrayList<>();
    for (Expression argument : call.arguments()) {
      boolean several = call.arguments().size() > 1;
      Value one = several && perNode(argument) == null ? value(argument) : NullValue.NULL;
      if (several && perNode(argument) == null && !isSet(one)) {
        values.add(one);
      } else {
        List<Element> elements = elements(argument);
        if (elements == null) {
          return NullValue.NULL;
        }
        elements.forEach(element -> values.add(element.value()));
      }
    }
    return NaiveFunctions.aggregate(
        function, call.distinct() ? List.copyOf(new SetValue(values).elements()) : values);
  }
}
