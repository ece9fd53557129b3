package io.retroscope.rql.analysis;

/** What a function takes at one place. */
enum Parameter {
  /** One value of any type. */
  VALUE("one value"),
  /** One LONG or DOUBLE. */
  NUMBER("a number"),
  /** One LONG. */
  WHOLE_NUMBER("a LONG"),
  /** One LONG, DOUBLE or DURATION. */
  QUANTITY("a number or a DURATION"),
  /** One STRING. */
  TEXT("a STRING"),
  /** One BOOLEAN. */
  CONDITION("a BOOLEAN"),
  /** A per-node collection, every node counting once, or a SET. */
  ELEMENTS("a per-node collection or a SET"),
  /** The same, or one value among several arguments. */
  ELEMENTS_OR_VALUE("a per-node collection, a SET or several values"),
  /** A SET, or a per-node collection of which the distinct values are meant. */
  SET("a SET"),
  /** A per-node collection. */
  COLLECTION("a per-node collection such as a bare variable"),
  /** A name that a quantifier binds. */
  BOUND_NAME("a name that a quantifier binds"),
  /** A variable. */
  VARIABLE("a variable");

  private final String words;

  Parameter(String words) {
    this.words = words;
  }

  /** How messages name it. */
  String words() {
    return words;
  }
}
