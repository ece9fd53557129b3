// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

/** The kind of a function's parameter. */
enum Parameter {
  /** One value of any type. */
  VALUE("one value"),
  /** One LONG or DOUBLE. */
  NUMBER("a number"),
  /** One LONG. */
  WHOLE_NUMBER("a LONG"),
  /** One LONG, DOUBLE or DURATION. */
  QUANTITY("a number or a DURATION"),
  /** A constant number from 0 to 100. */
  PERCENT("a constant number from 0 to 100"),
  /** A TIMESTAMP, or a time as a STRING. */
  TIME("a TIMESTAMP, or a time as a STRING"),
  /** One DURATION. */
  DURATION("a DURATION such as 1h"),
  /** One STRING. */
  TEXT("a STRING"),
  /** One BOOLEAN. */
  CONDITION("a BOOLEAN"),
  /** A per-node collection, in which each node counts once, or a SET. */
  ELEMENTS("a per-node collection or a SET"),
  /** A per-node collection, a SET, or one value among several arguments. */
  ELEMENTS_OR_VALUE("a per-node collection, a SET or several values"),
  /** A SET, or a per-node collection that yields its distinct values. */
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

  /** The description in messages. */
  String words() {
    return words;
  }
}
