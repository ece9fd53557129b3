// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import java.util.List;

/** The written form of a function, its parameters and the type of its value. Immutable. */
public final class Signature {
  private final String text;
  private final String description;
  private final Type result;
  private final List<Parameter> parameters;
  private final int optional;

  private Signature(
      String text, String description, Type result, List<Parameter> parameters, int optional) {
    this.text = text;
    this.description = description;
    this.result = result;
    this.parameters = List.copyOf(parameters);
    this.optional = optional;
  }

  /**
   * Creates a signature.
   *
   * @param text the name with its parameters; {@code ...} at its end repeats the last of them
   */
  static Signature of(String text, String description, Type result, Parameter... parameters) {
    return new Signature(text, description, result, List.of(parameters), 0);
  }

  /** Returns the same signature with an optional last argument. */
  Signature withOptionalLast() {
    return new Signature(text, description, result, parameters, 1);
  }

  /** The name with its parameters, for help and completion. */
  public String text() {
    return text;
  }

  /** The name as in the documentation. */
  public String name() {
    return text.substring(0, text.indexOf('('));
  }

  /** A short description of the function's value. */
  public String description() {
    return description;
  }

  /** The minimum number of arguments. */
  public int minArguments() {
    return parameters.size() - optional;
  }

  /** The maximum number of arguments. */
  public int maxArguments() {
    return text.endsWith("...)") ? Integer.MAX_VALUE : parameters.size();
  }

  /**
   * Returns whether an argument is a SET; a per-node collection then yields its distinct values.
   */
  public boolean takesSet(int index) {
    return parameter(index) == Parameter.SET;
  }

  /** Describes the number of arguments in words. */
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

  /** Returns the parameter for an argument; the last parameter of a variable list repeats. */
  Parameter parameter(int index) {
    return parameters.get(Math.min(index, parameters.size() - 1));
  }
}
