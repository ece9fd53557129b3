// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import static io.retroscope.rql.analysis.Parameter.BOUND_NAME;
import static io.retroscope.rql.analysis.Parameter.COLLECTION;
import static io.retroscope.rql.analysis.Parameter.CONDITION;
import static io.retroscope.rql.analysis.Parameter.DURATION;
import static io.retroscope.rql.analysis.Parameter.ELEMENTS;
import static io.retroscope.rql.analysis.Parameter.ELEMENTS_OR_VALUE;
import static io.retroscope.rql.analysis.Parameter.NUMBER;
import static io.retroscope.rql.analysis.Parameter.PERCENT;
import static io.retroscope.rql.analysis.Parameter.QUANTITY;
import static io.retroscope.rql.analysis.Parameter.SET;
import static io.retroscope.rql.analysis.Parameter.TEXT;
import static io.retroscope.rql.analysis.Parameter.TIME;
import static io.retroscope.rql.analysis.Parameter.VALUE;
import static io.retroscope.rql.analysis.Parameter.VARIABLE;
import static io.retroscope.rql.analysis.Parameter.WHOLE_NUMBER;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A function of RQL. Its type is its shape, which is the way from its arguments to its value. Names
 * are case-insensitive.
 */
public sealed interface RqlFunction {
  /*
   * Code that depends on the shape of a function is a visitor of the shapes. Code that depends on
   * the single function is a switch without a default over the functions of its shape. A new
   * function or a new shape therefore compiles only after each of these places handles it.
   */

  /** The written form, the parameters and the type of the value. */
  Signature signature();

  /** Calls the visitor's method for this shape. */
  <R> R accept(Visitor<R> visitor);

  /** Whether {@code DISTINCT} may come before its argument. */
  default boolean takesDistinct() {
    return false;
  }

  /** The name as in the documentation. */
  default String displayName() {
    return signature().name();
  }

  /** All functions of all shapes. */
  static List<RqlFunction> all() {
    return Stream.<RqlFunction[]>of(
            Scalar.values(),
            Aggregate.values(),
            Choice.values(),
            PerNode.values(),
            OfVariable.values(),
            OfElement.values(),
            OfCut.values(),
            OfRows.values())
        .flatMap(Arrays::stream)
        .toList();
  }

  /** Returns the function with this name, in any case. */
  static Optional<RqlFunction> named(String name) {
    return FunctionNames.find(name);
  }

  /** The names of all functions, as in the documentation. */
  static List<String> displayNames() {
    return all().stream().map(RqlFunction::displayName).toList();
  }

  /** An operation on functions that depends on their shape. */
  interface Visitor<R> {
    R scalar(Scalar function);

    R aggregate(Aggregate function);

    R choice(Choice function);

    R perNode(PerNode function);

    R ofVariable(OfVariable function);

    R ofElement(OfElement function);

    R ofCut(OfCut function);

    R ofRows(OfRows function);
  }

  /**
   * Functions that compute one value from the values of the arguments. A NULL argument yields NULL.
   */
  enum Scalar implements RqlFunction {
    ABS("Abs(x)", "the number without its sign", Type.ANY, QUANTITY),
    CEIL("Ceil(x)", "the least LONG that is not below x", Type.LONG, NUMBER),
    FLOOR("Floor(x)", "the greatest LONG that is not above x", Type.LONG, NUMBER),
    SIN("Sin(x)", "the sine of x in radians", Type.DOUBLE, NUMBER),
    COS("Cos(x)", "the cosine of x in radians", Type.DOUBLE, NUMBER),
    TAN("Tan(x)", "the tangent of x in radians", Type.DOUBLE, NUMBER),
    ROUND("Round(x)", "the LONG nearest to x", Type.LONG, NUMBER),
    SQRT("Sqrt(x)", "the square root of x", Type.DOUBLE, NUMBER),
    POW("Pow(x, y)", "x to the power of y", Type.DOUBLE, NUMBER, NUMBER),
    LOG("Log(x)", "the natural logarithm of x", Type.DOUBLE, NUMBER),

    CARDINALITY("Cardinality(s)", "the number of distinct elements", Type.LONG, SET),
    FLATTEN("Flatten(s, ...)", "the union of the sets in s", Type.SET, SET),
    SUBSET("Subset(s, n)", "the n least elements of s", Type.SET, SET, WHOLE_NUMBER),

    LONG("Long(x)", "x as a LONG", Type.LONG, VALUE),
    DOUBLE("Double(x)", "x as a DOUBLE", Type.DOUBLE, VALUE),
    STRING("String(x)", "x as a STRING", Type.STRING, VALUE),

    REPLACE(
        "Replace(text, old, new)",
        "the text with every old replaced by new",
        Type.STRING,
        TEXT,
        TEXT,
        TEXT),
    LENGTH("Length(text)", "the number of characters", Type.LONG, TEXT),
    LOWER("Lower(text)", "the text in small letters", Type.STRING, TEXT),
    UPPER("Upper(text)", "the text in capitals", Type.STRING, TEXT),
    SUBSTRING(
        Signature.of(
                "Substring(text, start, length)",
                "length characters from start, which counts from 1; to the end without a length",
                Type.STRING,
                TEXT,
                WHOLE_NUMBER,
                WHOLE_NUMBER)
            .withOptionalLast()),
    CONCAT("Concat(a, b, ...)", "the texts one after the other", Type.STRING, VALUE),

    BUCKET(
        "Bucket(time, d)",
        "the start, in UTC, of the period of length d that contains the time",
        Type.STRING,
        TIME,
        DURATION);

    // Signatures are immutable, but the checker cannot detect it. The same applies to every shape.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Signature signature;

    Scalar(String text, String description, Type result, Parameter... parameters) {
      this(Signature.of(text, description, result, parameters));
    }

    Scalar(Signature signature) {
      this.signature = signature;
    }

    @Override
    public Signature signature() {
      return signature;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.scalar(this);
    }

    /**
     * Returns whether a comparison of the function with a constant makes a cut when an age as its
     * argument passes the constant. This is correct only for functions that never fall while their
     * argument grows.
     */
    public boolean followsAges() {
      return switch (this) {
        case LONG, DOUBLE -> true;
        case ABS, CEIL, FLOOR, ROUND, SIN, COS, TAN, SQRT, POW, LOG -> false;
        case CARDINALITY, FLATTEN, SUBSET -> false;
        case STRING, REPLACE, LENGTH, LOWER, UPPER, SUBSTRING, CONCAT, BUCKET -> false;
      };
    }
  }

  /**
   * Functions that compute one value from the elements of all arguments: the values at every node,
   * the elements of a SET, or with several arguments the values themselves.
   */
  enum Aggregate implements RqlFunction {
    MIN("Min(r, ...)", "the least value", Type.ANY, ELEMENTS_OR_VALUE),
    MAX("Max(r, ...)", "the greatest value", Type.ANY, ELEMENTS_OR_VALUE),
    SUM("Sum(r, ...)", "the sum over the nodes", Type.ANY, ELEMENTS_OR_VALUE),
    NODE_SUM("NodeSum(r)", "the sum over the nodes", Type.ANY, ELEMENTS),
    AVG("Avg(r)", "the mean over the nodes", Type.ANY, ELEMENTS),
    COUNT("Count(r)", "the number of nodes that have a value", Type.LONG, ELEMENTS),
    SPREAD("Spread(r)", "the greatest value minus the least", Type.ANY, ELEMENTS),
    MEDIAN("Median(r)", "the value in the middle", Type.ANY, ELEMENTS);

    @SuppressWarnings("ImmutableEnumChecker")
    private final Signature signature;

    Aggregate(String text, String description, Type result, Parameter parameter) {
      this.signature = Signature.of(text, description, result, parameter);
    }

    @Override
    public Signature signature() {
      return signature;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.aggregate(this);
    }

    @Override
    public boolean takesDistinct() {
      return switch (this) {
        case COUNT, SUM -> true;
        case MIN, MAX, NODE_SUM, AVG, SPREAD, MEDIAN -> false;
      };
    }

    /**
     * Returns whether a comparison of the aggregate with a constant makes a cut when time passes
     * and its elements are ages. This is correct only for aggregates that do not alternate between
     * rising and falling while all their elements grow at the same rate.
     */
    public boolean followsAges() {
      return switch (this) {
        case MIN, MAX, SUM, NODE_SUM, AVG, SPREAD, MEDIAN -> true;
        case COUNT -> false;
      };
    }

    /** How the aggregate of some elements bounds that of these and any others of their type. */
    public enum WithMore {
      /** It is at least as large. */
      RISES,
      /** It is at most as large. */
      FALLS,
      /** It is a distance, and at least as large. */
      WIDENS,
      /** It can be anything. */
      UNKNOWN
    }

    /** Returns how further elements change the aggregate. */
    public WithMore withMore() {
      return switch (this) {
        case MAX -> WithMore.RISES;
        case MIN -> WithMore.FALLS;
        case SPREAD -> WithMore.WIDENS;
        case SUM, NODE_SUM, AVG, MEDIAN, COUNT -> WithMore.UNKNOWN;
      };
    }
  }

  /** Functions that return one of their arguments and evaluate only those that they need. */
  enum Choice implements RqlFunction {
    COALESCE("Coalesce(a, b, ...)", "the first that is not NULL", VALUE),
    IF("If(condition, a, b)", "a if the condition is true, otherwise b", CONDITION, VALUE, VALUE);

    @SuppressWarnings("ImmutableEnumChecker")
    private final Signature signature;

    Choice(String text, String description, Parameter... parameters) {
      this.signature = Signature.of(text, description, Type.ANY, parameters);
    }

    @Override
    public Signature signature() {
      return signature;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.choice(this);
    }
  }

  /** Functions that compute a value at every node from the history of one variable. */
  enum PerNode implements RqlFunction {
    PREV("Prev(r)", "the collection before this cut"),
    AGE("Age(r)", "per node, the time since it last changed"),
    WRITE_AGE("WriteAge(r)", "per node, the time since it was last written"),
    SILENCE("Silence(r)", "per node that has a value, the time since any sign of the node");

    @SuppressWarnings("ImmutableEnumChecker")
    private final Signature signature;

    PerNode(String text, String description) {
      this.signature = Signature.of(text, description, Type.COLLECTION, VARIABLE);
    }

    /** Whether the values grow as time passes. */
    public boolean isAge() {
      return switch (this) {
        case PREV -> false;
        case AGE, WRITE_AGE, SILENCE -> true;
      };
    }

    @Override
    public Signature signature() {
      return signature;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.perNode(this);
    }
  }

  /** Functions that compute one value from a variable or a per-node collection as a whole. */
  enum OfVariable implements RqlFunction {
    NODES("Nodes(r)", "the nodes that have a value", Type.SET, COLLECTION),
    NAME("Name(v)", "the name of a variable", Type.STRING, VARIABLE),
    CHANGED("Changed(r)", "whether this cut changed it", Type.BOOLEAN, VARIABLE);

    @SuppressWarnings("ImmutableEnumChecker")
    private final Signature signature;

    OfVariable(String text, String description, Type result, Parameter parameter) {
      this.signature = Signature.of(text, description, result, parameter);
    }

    @Override
    public Signature signature() {
      return signature;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.ofVariable(this);
    }
  }

  /**
   * Functions that return a property of an element that a quantifier binds, other than its value.
   */
  enum OfElement implements RqlFunction {
    NODE("Node(v)", "the node of a bound element", Type.STRING);

    @SuppressWarnings("ImmutableEnumChecker")
    private final Signature signature;

    OfElement(String text, String description, Type result) {
      this.signature = Signature.of(text, description, result, BOUND_NAME);
    }

    @Override
    public Signature signature() {
      return signature;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.ofElement(this);
    }
  }

  /**
   * Functions that return a property of the cut. They have no arguments, and no value outside a
   * cut.
   */
  enum OfCut implements RqlFunction {
    TIME("Time()", "the cut's HLC timestamp", Type.TIMESTAMP),
    WALL_TIME("WallTime()", "the cut's aligned physical time, as a TIMESTAMP", Type.TIMESTAMP);

    @SuppressWarnings("ImmutableEnumChecker")
    private final Signature signature;

    OfCut(String text, String description, Type result) {
      this.signature = Signature.of(text, description, result);
    }

    @Override
    public Signature signature() {
      return signature;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.ofCut(this);
    }
  }

  /** Aggregates over the rows of an answer that no cut has. */
  enum OfRows implements RqlFunction {
    PERCENTILE(
        "Percentile(x, p)",
        "of rows: the value that p percent do not exceed, interpolated",
        Type.ANY,
        QUANTITY,
        PERCENT);

    @SuppressWarnings("ImmutableEnumChecker")
    private final Signature signature;

    OfRows(String text, String description, Type result, Parameter... parameters) {
      this.signature = Signature.of(text, description, result, parameters);
    }

    @Override
    public Signature signature() {
      return signature;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.ofRows(this);
    }
  }
}
