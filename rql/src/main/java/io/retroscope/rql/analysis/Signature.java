package io.retroscope.rql.analysis;

import java.util.List;

/** The written form of a function, what it takes and what it gives. Immutable. */
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
   * A signature.
   *
   * @param text the name with its parameters; {@code ...} at its end repeats the last of them
   */
  static Signature of(String text, String description, Type result, Parameter... parameters) {
    return new Signature(text, description, result, List.of(parameters), 0);
  }

  /** The same where the last argument may be left out. */
  Signature withOptionalLast() {
    return new Signature(text, description, result, parameters, 1);
  }

  /** The name with its parameters, for help and completion. */
  public String text() {
    return text;
  }

  /** The name as documentation writes it. */
  public String name() {
    return text.substring(0, text.indexOf('('));
  }

  /** What the function gives, in a few words. */
  public String description() {
    return description;
  }

  /** How many arguments it takes at least. */
  public int minArguments() {
    return parameters.size() - optional;
  }

  /** How many arguments it takes at most. */
  public int maxArguments() {
    return text.endsWith("...)") ? Integer.MAX_VALUE : parameters.size();
  }

  /** Whether it takes a SET at a place: of a per-node collection, the distinct values. */
  public boolean takesSet(int index) {
    return parameter(index) == Parameter.SET;
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
