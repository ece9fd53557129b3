package io.retroscope.rql.oracle;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.NodeReference;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Evaluates an expression over a state by the reference's own words: straight over the syntax tree,
 * names looked up anew, every binding tried, nothing kept.
 */
final class NaiveEvaluator {
  /** There is no value. */
  static final class NoValue extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoValue(String message) {
      super(message);
    }
  }

  private final NaiveState now;
  private final NaiveState before;
  private final Map<String, Value> declared;
  private final Map<String, Value> bound = new HashMap<>();

  NaiveEvaluator(NaiveState now, NaiveState before, Map<String, Value> declared) {
    this.now = now;
    this.before = before;
    this.declared = declared;
  }

  /** COMPUTE: declarations and assignments; AND stops at the first that is not TRUE. */
  Value compute(Expression e) {
    if (e instanceof Expression.Binary and && and.operator() == Expression.BinaryOperator.AND) {
      Value left = compute(and.left());
      return isTrue(left) ? compute(and.right()) : left;
    }
    if (e instanceof Expression.Declaration declaration) {
      if (declaration.kind() != DeclarationKind.GLOBAL) {
        declared.put(declaration.name().text(), NullValue.NULL);
      }
      return Value.of(true);
    }
    if (e instanceof Expression.Assignment assignment) {
      declared.put(assignment.name().text(), value(assignment.value()));
      return Value.of(true);
    }
    return value(e);
  }

  /** As it prints. */
  Value item(Expression e) {
    Map<String, Value> perNode = perNode(e);
    return perNode == null ? value(e) : new StructValue(perNode);
  }

  /** Null for what is no per-node collection. */
  private Map<String, Value> perNode(Expression e) {
    if (e instanceof Expression.Name name && !isLocal(name.identifier().text())) {
      return now.of(name.identifier().text());
    }
    if (e instanceof Expression.Call call) {
      String function = call.function().text().toLowerCase(Locale.ROOT);
      if (function.equals("prev")) {
        return before.of(variable(call));
      }
      if (function.equals("age")) {
        TreeMap<String, Value> ages = new TreeMap<>();
        now.of(variable(call)).keySet().forEach(node -> ages.put(node, age(variable(call), node)));
        return ages;
      }
    }
    return null;
  }

  private Value age(String variable, String node) {
    long changed = now.changedAt.get(variable).get(node);
    return new DurationValue(HlcTimestamp.micros(now.hlc) - HlcTimestamp.micros(changed));
  }

  private boolean isLocal(String name) {
    return bound.containsKey(name) || declared.containsKey(name);
  }

  private static String variable(Expression.Call call) {
    return ((Expression.Name) call.arguments().get(0)).identifier().text();
  }

  Value value(Expression e) {
    if (e instanceof Expression.Literal literal) {
      return literal.value();
    } else if (e instanceof Expression.Name name) {
      String text = name.identifier().text();
      return bound.containsKey(text) ? bound.get(text) : declared.get(text);
    } else if (e instanceof Expression.AtNode atNode) {
      String node = ((NodeReference.Named) atNode.node()).name().text();
      Value named = bound.containsKey(node) ? bound.get(node) : Value.of(node);
      return perNode(atNode.variable()).getOrDefault(((StringValue) named).value(), NullValue.NULL);
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

  private Value unary(Expression.Unary unary) {
    Value operand = value(unary.operand());
    if (unary.operator() == Expression.UnaryOperator.NOT) {
      return isNull(truth(operand)) ? operand : Value.of(!isTrue(operand));
    }
    return arithmetic(Expression.BinaryOperator.SUBTRACT, Value.of(0), operand);
  }

  private Value binary(Expression.Binary binary) {
    return switch (binary.operator()) {
      case AND -> junction(binary, false);
      case OR -> junction(binary, true);
      case ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER ->
          arithmetic(binary.operator(), value(binary.left()), value(binary.right()));
      case EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL ->
          comparison(binary.operator(), value(binary.left()), value(binary.right()));
      case IN -> in(value(binary.left()), set(binary.right()));
      case NOT_IN -> {
        Value in = in(value(binary.left()), set(binary.right()));
        yield isNull(in) ? in : Value.of(!isTrue(in));
      }
      case CONTAINS -> {
        Value text = value(binary.left());
        Value part = value(binary.right());
        yield isNull(text) || isNull(part)
            ? NullValue.NULL
            : Value.of(((StringValue) text).value().contains(((StringValue) part).value()));
      }
      case UNION, INTERSECT, DIFFERENCE -> algebra(binary);
      case IS_SUBSET, IS_PROPER_SUBSET -> subset(binary);
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

  private static Value arithmetic(Expression.BinaryOperator operator, Value a, Value b) {
    if (isNull(a) || isNull(b)) {
      return NullValue.NULL;
    }
    if (!isNumber(a) || !isNumber(b)) {
      throw new NoValue("arithmetic on " + a + ", " + b);
    }
    boolean division =
        operator == Expression.BinaryOperator.DIVIDE
            || operator == Expression.BinaryOperator.REMAINDER;
    if (division && number(b) == 0) {
      throw new NoValue("division by zero");
    }
    if (a instanceof DoubleValue || b instanceof DoubleValue) {
      double x = number(a);
      double y = number(b);
      return Value.of(
          switch (operator) {
            case ADD -> x + y;
            case SUBTRACT -> x - y;
            case MULTIPLY -> x * y;
            case DIVIDE -> x / y;
            default -> x % y;
          });
    }
    BigInteger x = BigInteger.valueOf(((LongValue) a).value());
    BigInteger y = BigInteger.valueOf(((LongValue) b).value());
    BigInteger exact =
        switch (operator) {
          case ADD -> x.add(y);
          case SUBTRACT -> x.subtract(y);
          case MULTIPLY -> x.multiply(y);
          case DIVIDE -> x.divide(y);
          default -> x.remainder(y);
        };
    if (exact.bitLength() > 63) {
      throw new NoValue("overflow");
    }
    return Value.of(exact.longValueExact());
  }

  private static Value comparison(Expression.BinaryOperator operator, Value a, Value b) {
    if (isNull(a) || isNull(b)) {
      return NullValue.NULL;
    }
    boolean equality =
        operator == Expression.BinaryOperator.EQUAL
            || operator == Expression.BinaryOperator.NOT_EQUAL;
    if (a.family() != b.family()
        || (!equality && (a instanceof BooleanValue || a instanceof SetValue))) {
      throw new NoValue("comparison of " + a + ", " + b);
    }
    int order = a.compareTo(b);
    return Value.of(
        switch (operator) {
          case EQUAL -> order == 0;
          case NOT_EQUAL -> order != 0;
          case LESS -> order < 0;
          case LESS_OR_EQUAL -> order <= 0;
          case GREATER -> order > 0;
          default -> order >= 0;
        });
  }

  private Value set(Expression e) {
    Map<String, Value> perNode = perNode(e);
    Value value = perNode == null ? value(e) : new SetValue(perNode.values());
    if (!isNull(value) && !(value instanceof SetValue)) {
      throw new NoValue("no set: " + value);
    }
    return value;
  }

  private static Value in(Value element, Value set) {
    if (isNull(set)) {
      return NullValue.NULL;
    }
    boolean maybe = false;
    for (Value member : ((SetValue) set).elements()) {
      if (isNull(member) || isNull(element)) {
        maybe = true;
      } else if (member.compareTo(element) == 0) {
        return Value.of(true);
      }
    }
    return maybe ? NullValue.NULL : Value.of(false);
  }

  private Value algebra(Expression.Binary binary) {
    List<Value> left = elementsOrNone(set(binary.left()));
    List<Value> right = elementsOrNone(set(binary.right()));
    List<Value> result = new ArrayList<>(left);
    switch (binary.operator()) {
      case UNION -> result.addAll(right);
      case INTERSECT -> result.removeIf(e -> !holds(right, e));
      default -> result.removeIf(e -> holds(right, e));
    }
    return new SetValue(result);
  }

  private Value subset(Expression.Binary binary) {
    Value a = set(binary.left());
    Value b = set(binary.right());
    if (isNull(a) || isNull(b)) {
      return NullValue.NULL;
    }
    List<Value> left = elementsOrNone(a);
    List<Value> right = elementsOrNone(b);
    boolean subset = left.stream().allMatch(e -> holds(right, e));
    boolean proper = binary.operator() == Expression.BinaryOperator.IS_PROPER_SUBSET;
    return Value.of(subset && !(proper && right.stream().allMatch(e -> holds(left, e))));
  }

  private static List<Value> elementsOrNone(Value set) {
    return isNull(set) ? List.of() : List.copyOf(((SetValue) set).elements());
  }

  private static boolean holds(List<Value> set, Value element) {
    return set.stream().anyMatch(e -> e.compareTo(element) == 0);
  }

  /** The elements that a quantifier or an aggregate ranges over; null where they are not known. */
  private List<Value> elements(Expression e) {
    Map<String, Value> perNode = perNode(e);
    if (perNode != null) {
      return List.copyOf(perNode.values());
    }
    Value set = set(e);
    return isNull(set) ? null : elementsOrNone(set);
  }

  private Value quantified(Expression.Quantified quantified) {
    List<Value> elements = elements(quantified.collection());
    if (elements == null) {
      return NullValue.NULL;
    }
    List<Value> truths = new ArrayList<>();
    List<String> names = quantified.variables().stream().map(v -> v.text()).toList();
    bind(names, elements, quantified.body(), truths);
    names.forEach(bound::remove);
    long held = truths.stream().filter(NaiveEvaluator::isTrue).count();
    boolean unknown = truths.stream().anyMatch(NaiveEvaluator::isNull);
    return switch (quantified.quantifier()) {
      case COUNT -> Value.of(held);
      case EXISTS -> held > 0 ? Value.of(true) : unknown ? NullValue.NULL : Value.of(false);
      default -> {
        boolean failed = truths.stream().anyMatch(t -> !isNull(t) && !isTrue(t));
        yield failed ? Value.of(false) : unknown ? NullValue.NULL : Value.of(true);
      }
    };
  }

  private void bind(List<String> names, List<Value> elements, Expression body, List<Value> truths) {
    if (names.isEmpty()) {
      truths.add(truth(value(body)));
      return;
    }
    for (Value element : elements) {
      bound.put(names.get(0), element);
      bind(names.subList(1, names.size()), elements, body, truths);
    }
  }

  private Value call(Expression.Call call) {
    String function = call.function().text().toLowerCase(Locale.ROOT);
    Expression first = call.arguments().get(0);
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
      case "nodes" -> new SetValue(perNode(first).keySet().stream().<Value>map(Value::of).toList());
      case "changed" -> Value.of(!now.of(variable(call)).equals(before.of(variable(call))));
      case "flatten" -> {
        List<Value> flat = new ArrayList<>();
        for (Value element : elementsOrNone(set(first))) {
          flat.addAll(element instanceof SetValue inner ? inner.elements() : List.of(element));
        }
        yield new SetValue(flat);
      }
      default -> aggregate(function, elements(first));
    };
  }

  private static Value aggregate(String function, List<Value> elements) {
    if (elements == null) {
      return NullValue.NULL;
    }
    List<Value> known = elements.stream().filter(v -> !isNull(v)).toList();
    if (function.equals("count")) {
      return Value.of(known.size());
    }
    boolean orders = function.equals("min") || function.equals("max");
    for (Value value : known) {
      if (!isNumber(value) && !(orders && value instanceof StringValue)) {
        throw new NoValue(function + " of " + value);
      }
      if (value.family() != known.get(0).family()) {
        throw new NoValue(function + " of mixed types");
      }
    }
    if (known.isEmpty()) {
      return NullValue.NULL;
    }
    Value least = known.stream().min(Value::compareTo).orElseThrow();
    Value greatest = known.stream().reduce((a, b) -> b.compareTo(a) > 0 ? b : a).orElseThrow();
    return switch (function) {
      case "min" -> least;
      case "max" -> greatest;
      case "spread" -> arithmetic(Expression.BinaryOperator.SUBTRACT, greatest, least);
      case "sum" ->
          known.stream()
              .reduce((a, b) -> arithmetic(Expression.BinaryOperator.ADD, a, b))
              .orElseThrow();
      default -> throw new AssertionError("the oracle does not know " + function);
    };
  }

  static Value truth(Value value) {
    if (value instanceof BooleanValue || isNull(value)) {
      return value;
    }
    throw new NoValue("no truth: " + value);
  }

  static boolean isTrue(Value value) {
    return value instanceof BooleanValue truth && truth.value();
  }

  static boolean isNull(Value value) {
    return value instanceof NullValue;
  }

  private static boolean isNumber(Value value) {
    return value instanceof LongValue || value instanceof DoubleValue;
  }

  private static double number(Value value) {
    return value instanceof LongValue x ? x.value() : ((DoubleValue) value).value();
  }
}
