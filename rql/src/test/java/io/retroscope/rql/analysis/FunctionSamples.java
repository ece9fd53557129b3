// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Calls of every function, derived from its signature, and the expected outcome in each place. The
 * variables are those of the logs of {@code EveryFunctionTest}: a holds LONGs, b DOUBLEs, c
 * STRINGs, d LONGs and DOUBLEs, s SETs and u BOOLEANs.
 */
public final class FunctionSamples {
  private static final int VARIANTS = 3;

  private FunctionSamples() {}

  /** The kind of the arguments. */
  public enum Origin {
    /** Literals. */
    CONSTANTS,
    /** Variables and their values at nodes. */
    VARIABLES,
    /** The name v, bound to elements of a. */
    BOUND_NAMES,
    /** Ages of values. */
    AGES
  }

  /** A place for a call, with the type that it accepts. */
  public enum Place {
    ITEM(null),
    ONE_VALUE(Parameter.VALUE),
    CONDITION(Parameter.CONDITION),
    NUMBER(Parameter.NUMBER),
    ELEMENTS(Parameter.ELEMENTS),
    VARIABLE(Parameter.VARIABLE),
    AT_NODE(null);

    private final Parameter parameter;

    Place(Parameter parameter) {
      this.parameter = parameter;
    }
  }

  /** Returns calls with valid arguments, from the minimum number of arguments to two more. */
  public static List<String> calls(RqlFunction function, Origin origin) {
    Signature signature = function.signature();
    List<String> calls = new ArrayList<>();
    int most = Math.min(signature.maxArguments(), signature.minArguments() + 2);
    for (int count = signature.minArguments(); count <= most; count++) {
      for (int variant = 0; variant < (count == 0 ? 1 : VARIANTS); variant++) {
        String arguments = arguments(signature, count, variant, origin);
        calls.add(signature.name() + "(" + arguments + ")");
        if (function.takesDistinct() && count == 1) {
          calls.add(signature.name() + "(DISTINCT " + arguments + ")");
        }
      }
    }
    return calls.stream().distinct().toList();
  }

  /** Returns a call whose first argument is another call. */
  public static String around(RqlFunction function, String inner) {
    Signature signature = function.signature();
    String rest = arguments(signature, signature.minArguments(), 0, Origin.VARIABLES);
    int comma = signature.minArguments() > 1 ? rest.indexOf(", ") : rest.length();
    return signature.name() + "(" + inner + rest.substring(comma) + ")";
  }

  /** Returns constants that the analysis allows in a comparison with a call. */
  public static List<String> limits(RqlFunction function) {
    return switch (function.signature().result()) {
      case LONG, DOUBLE, NUMBER -> List.of("0", "2", "3.5", "7");
      case STRING -> List.of("'3'");
      case BOOLEAN -> List.of("TRUE");
      case SET -> List.of("{1}");
      case TIMESTAMP -> List.of("hlc'1007.0'");
      case DURATION -> List.of("2us");
      case ANY, NULL, FAULTY, COLLECTION -> List.of("0us", "2us", "5us", "9us", "0", "3.5", "7");
    };
  }

  private static String arguments(Signature signature, int count, int variant, Origin origin) {
    List<String> arguments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<String> choices = samples(signature.parameter(i), origin);
      arguments.add(choices.get((variant + i) % choices.size()));
    }
    return String.join(", ", arguments);
  }

  private static List<String> samples(Parameter parameter, Origin origin) {
    return switch (origin) {
      case CONSTANTS -> constants(parameter);
      case VARIABLES -> variables(parameter);
      case BOUND_NAMES -> boundNames(parameter);
      case AGES -> ages(parameter);
    };
  }

  private static List<String> constants(Parameter parameter) {
    return switch (parameter) {
      case VALUE -> List.of("3", "'7'", "NULL", "TRUE");
      case NUMBER -> List.of("2.5", "4", "-1", "NULL");
      case WHOLE_NUMBER -> List.of("2", "1", "0", "-1");
      case QUANTITY -> List.of("-4", "-2.5", "(-3us)", "NULL");
      case TEXT -> List.of("'aBcab'", "'ab'", "''", "NULL");
      case PERCENT -> List.of("50");
      case TIME -> List.of("'2026-11-22T03:04:05Z'", "hlc'1007.0'", "'noon'", "NULL");
      case DURATION -> List.of("1h", "3us", "0us", "NULL");
      case CONDITION -> List.of("TRUE", "FALSE", "NULL");
      case ELEMENTS, ELEMENTS_OR_VALUE -> List.of("{3, 1, 2}", "{1.5, 4}", "{}", "{5us, 2us}");
      case SET -> List.of("{{1}, 2}", "{}", "{3, 2, 1}", "NULL");
      case COLLECTION, VARIABLE -> List.of("a");
      case BOUND_NAME -> List.of("v");
    };
  }

  private static List<String> variables(Parameter parameter) {
    return switch (parameter) {
      case VALUE -> List.of("a@n1", "c@n2", "d@n1");
      case NUMBER -> List.of("a@n1", "b@n2", "b@n1");
      case WHOLE_NUMBER -> List.of("a@n1", "a@n2", "2");
      case QUANTITY -> List.of("a@n1", "d@n2", "b@n2");
      case TEXT -> List.of("c@n1", "c@n2", "'B'");
      case PERCENT -> List.of("50");
      case TIME -> List.of("Time()", "WallTime()", "c@n1");
      case DURATION -> List.of("4us", "(4us)", "1ms");
      case CONDITION -> List.of("u@n1", "u@n2");
      case ELEMENTS, ELEMENTS_OR_VALUE -> List.of("a", "b", "d", "s@n1");
      case SET -> List.of("s@n1", "a", "c");
      case COLLECTION -> List.of("a", "Prev(b)", "s", "c");
      case VARIABLE -> List.of("a", "c", "s", "u");
      case BOUND_NAME -> List.of("v");
    };
  }

  private static List<String> boundNames(Parameter parameter) {
    return switch (parameter) {
      case VALUE, NUMBER, WHOLE_NUMBER, QUANTITY -> List.of("v", "a@(Node(v))", "v - 3");
      case TEXT -> List.of("String(v)", "c@(Node(v))", "Node(v)");
      case PERCENT -> List.of("50");
      case TIME -> List.of("Time()", "WallTime()");
      case DURATION -> List.of("4us", "1ms");
      case CONDITION -> List.of("v > 3", "u@(Node(v))");
      case ELEMENTS, ELEMENTS_OR_VALUE, SET -> List.of("{v, 3}", "s@(Node(v))");
      case COLLECTION, VARIABLE -> List.of("a", "d");
      case BOUND_NAME -> List.of("v");
    };
  }

  private static List<String> ages(Parameter parameter) {
    return switch (parameter) {
      case VALUE, QUANTITY -> List.of("Age(a)@n1", "Age(b)@n2");
      case NUMBER, WHOLE_NUMBER -> List.of("Long(Age(a)@n1)", "Long(Age(b)@n2)");
      case TEXT -> List.of("String(Age(a)@n1)", "String(Age(b)@n2)");
      case PERCENT -> List.of("50");
      case TIME -> List.of("Time()", "WallTime()");
      case DURATION -> List.of("Age(a)@n1", "Age(b)@n2");
      case CONDITION -> List.of("Age(a)@n1 > 4us", "Age(b)@n2 >= 3us");
      case ELEMENTS, ELEMENTS_OR_VALUE, SET, COLLECTION -> List.of("Age(a)", "Age(b)");
      case VARIABLE -> List.of("a", "b");
      case BOUND_NAME -> List.of("v");
    };
  }

  /**
   * Returns the error of a call at a place, which depends only on its type; empty if it is
   * accepted.
   */
  public static Optional<ErrorCode> refusal(RqlFunction function, Place place) {
    Type type = function.signature().result();
    return switch (place) {
      case ITEM -> Optional.empty();
      case AT_NODE ->
          type == Type.COLLECTION ? Optional.empty() : Optional.of(ErrorCode.NOT_PER_NODE);
      case ONE_VALUE, CONDITION, NUMBER, ELEMENTS, VARIABLE -> refusal(place.parameter, type);
    };
  }

  /** Returns the error of a call as the only argument of another, or the first of several. */
  public static Optional<ErrorCode> refusal(RqlFunction inner, RqlFunction outer) {
    Signature signature = outer.signature();
    return signature.maxArguments() == 0
        ? Optional.of(ErrorCode.ARGUMENT_COUNT)
        : refusal(signature.parameter(0), inner.signature().result());
  }

  private static Optional<ErrorCode> refusal(Parameter parameter, Type type) {
    return switch (parameter) {
      case VALUE -> oneOf(type, Type.values());
      case NUMBER -> oneOf(type, Type.LONG, Type.DOUBLE);
      case WHOLE_NUMBER -> oneOf(type, Type.LONG);
      case QUANTITY -> oneOf(type, Type.LONG, Type.DOUBLE, Type.DURATION);
      case TEXT -> oneOf(type, Type.STRING);
      case CONDITION -> oneOf(type, Type.BOOLEAN);
      case TIME -> oneOf(type, Type.TIMESTAMP, Type.STRING);
      case DURATION -> oneOf(type, Type.DURATION);
      case PERCENT -> throw new AssertionError("only rows have percentiles");
      case SET, ELEMENTS, ELEMENTS_OR_VALUE ->
          type == Type.COLLECTION ? Optional.empty() : oneOf(type, Type.SET);
      case COLLECTION ->
          type == Type.COLLECTION ? Optional.empty() : Optional.of(ErrorCode.MISMATCH);
      case BOUND_NAME, VARIABLE -> Optional.of(ErrorCode.MISMATCH);
    };
  }

  private static Optional<ErrorCode> oneOf(Type type, Type... taken) {
    if (type == Type.COLLECTION) {
      return Optional.of(ErrorCode.COLLECTION_AS_VALUE);
    }
    return type == Type.ANY || List.of(taken).contains(type)
        ? Optional.empty()
        : Optional.of(ErrorCode.MISMATCH);
  }
}
