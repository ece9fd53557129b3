package io.retroscope.rql.analysis;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The functions of RQL. Their names may be written in any case. */
public enum Function {
  ABS("Abs(x)", "the number without its sign", Type.ANY, Parameter.QUANTITY),
  CEIL("Ceil(x)", "the least LONG that is not below x", Type.LONG, Parameter.NUMBER),
  FLOOR("Floor(x)", "the greatest LONG that is not above x", Type.LONG, Parameter.NUMBER),
  SIN("Sin(x)", "the sine of x in radians", Type.DOUBLE, Parameter.NUMBER),
  COS("Cos(x)", "the cosine of x in radians", Type.DOUBLE, Parameter.NUMBER),
  TAN("Tan(x)", "the tangent of x in radians", Type.DOUBLE, Parameter.NUMBER),
  ROUND("Round(x)", "the LONG nearest to x", Type.LONG, Parameter.NUMBER),
  SQRT("Sqrt(x)", "the square root of x", Type.DOUBLE, Parameter.NUMBER),
  POW("Pow(x, y)", "x to the power of y", Type.DOUBLE, Parameter.NUMBER, Parameter.NUMBER),
  LOG("Log(x)", "the natural logarithm of x", Type.DOUBLE, Parameter.NUMBER),

  MIN("Min(r, ...)", "the least value", Type.ANY, Parameter.ELEMENTS_OR_VALUE),
  MAX("Max(r, ...)", "the greatest value", Type.ANY, Parameter.ELEMENTS_OR_VALUE),
  SUM("Sum(r, ...)", "the sum over the nodes", Type.ANY, Parameter.ELEMENTS_OR_VALUE),
  NODE_SUM("NodeSum(r)", "the sum over the nodes", Type.ANY, Parameter.ELEMENTS),
  AVG("Avg(r)", "the mean over the nodes", Type.ANY, Parameter.ELEMENTS),
  COUNT("Count(r)", "the number of nodes that hold a value", Type.LONG, Parameter.ELEMENTS),
  SPREAD("Spread(r)", "the greatest value minus the least", Type.ANY, Parameter.ELEMENTS),
  MEDIAN("Median(r)", "the value in the middle", Type.ANY, Parameter.ELEMENTS),

  CARDINALITY("Cardinality(s)", "the number of distinct elements", Type.LONG, Parameter.SET),
  FLATTEN("Flatten(s, ...)", "the union of the sets in s", Type.SET, Parameter.SET),
  SUBSET(
      "Subset(s, n)", "the n least elements of s", Type.SET, Parameter.SET, Parameter.WHOLE_NUMBER),

  LONG("Long(x)", "x as a LONG", Type.LONG, Parameter.VALUE),
  DOUBLE("Double(x)", "x as a DOUBLE", Type.DOUBLE, Parameter.VALUE),
  STRING("String(x)", "x as a STRING", Type.STRING, Parameter.VALUE),
  REPLACE(
      "Replace(text, old, new)",
      "the text with every old replaced by new",
      Type.STRING,
      Parameter.TEXT,
      Parameter.TEXT,
      Parameter.TEXT),

  NODE("Node(v)", "the node of a bound element", Type.STRING, Parameter.BOUND_NAME),
  NODES("Nodes(r)", "the nodes that hold a value", Type.SET, Parameter.COLLECTION),
  NAME("Name(v)", "the name of a variable", Type.STRING, Parameter.VARIABLE),

  PREV("Prev(r)", "the collection before this cut", Type.COLLECTION, Parameter.VARIABLE),
  CHANGED("Changed(r)", "whether this cut changed it", Type.BOOLEAN, Parameter.VARIABLE),
  AGE("Age(r)", "per node, the time since it last changed", Type.COLLECTION, Parameter.VARIABLE),
  TIME("Time()", "the cut's HLC timestamp", Type.TIMESTAMP),
  WALL_TIME("WallTime()", "the cut's aligned physical time, as a TIMESTAMP", Type.TIMESTAMP),

  COALESCE("Coalesce(a, b, ...)", "the first that is not NULL", Type.ANY, Parameter.VALUE),
  IF(
      "If(condition, a, b)",
      "a where the condition holds, otherwise b",
      Type.ANY,
      Parameter.CONDITION,
      Parameter.VALUE,
      Parameter.VALUE),
  LENGTH("Length(text)", "the number of characters", Type.LONG, Parameter.TEXT),
  LOWER("Lower(text)", "the text in small letters", Type.STRING, Parameter.TEXT),
  UPPER("Upper(text)", "the text in capitals", Type.STRING, Parameter.TEXT),
  SUBSTRING(
      "Substring(text, start, length)",
      "length characters from start, which counts from 1; to the end without a length",
      Type.STRING,
      Parameter.TEXT,
      Parameter.WHOLE_NUMBER,
      Parameter.WHOLE_NUMBER),
  CONCAT("Concat(a, b, ...)", "the texts one after the other", Type.STRING, Parameter.VALUE);

  private static final Map<String, Function> BY_NAME =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(f -> key(f.displayName()), f -> f));

  private final String signature;
  private final String description;
  private final Type result;

  // List.of is immutable, which the checker cannot know.
  @SuppressWarnings("ImmutableEnumChecker")
  private final List<Parameter> parameters;

  Function(String signature, String description, Type result, Parameter... parameters) {
    this.signature = signature;
    this.description = description;
    this.result = result;
    this.parameters = List.of(parameters);
  }

  /** The function with this name, in any case. */
  public static Optional<Function> named(String name) {
    return Optional.ofNullable(BY_NAME.get(key(name)));
  }

  /** The names of all functions, as documentation writes them. */
  public static List<String> displayNames() {
    return Arrays.stream(values()).map(Function::displayName).toList();
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** The name as documentation writes it. */
  public String displayName() {
    return signature.substring(0, signature.indexOf('('));
  }

  /** The name with its parameters, for help and completion. */
  public String signature() {
    return signature;
  }

  /** What it gives, in a few words. */
  public String description() {
    return description;
  }

  /** Whether {@code DISTINCT} may stand before its argument. */
  public boolean takesDistinct() {
    return this == COUNT || this == SUM;
  }

  /** How many arguments it takes at least. */
  public int minArguments() {
    return this == SUBSTRING ? 2 : parameters.size();
  }

  /** How many arguments it takes at most. */
  public int maxArguments() {
    return signature.endsWith("...)") ? Integer.MAX_VALUE : parameters.size();
  }

  /** The number of arguments that it takes, in words. */
  String argumentCountWords() {
    int least = minArguments();
    if (maxArguments() == Integer.MAX_VALUE) {
      return least + " or more arguments";
    }
    String count = maxArguments() == least ? "" + least : least + " or " + maxArguments();
    return count.equals("0")
        ? "no arguments"
        : count + (count.equals("1") ? " argument" : " arguments");
  }

  Type result() {
    return result;
  }

  /** What it takes at a place; the last parameter of a list without end repeats. */
  Parameter parameter(int index) {
    return parameters.get(Math.min(index, parameters.size() - 1));
  }
}
