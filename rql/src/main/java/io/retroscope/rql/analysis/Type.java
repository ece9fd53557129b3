package io.retroscope.rql.analysis;

import io.retroscope.event.Value;

/** What is known of an expression's value before the query runs. */
enum Type {
  /** There is none: a problem was noted, and no other should follow from it. */
  FAULTY,
  /** Nothing: a node's value may be anything, and differ from node to node. */
  ANY,
  NULL,
  BOOLEAN,
  LONG,
  DOUBLE,
  /** LONG or DOUBLE. */
  NUMBER,
  STRING,
  DURATION,
  TIMESTAMP,
  SET,
  /** No value but one at every node. */
  COLLECTION;

  static Type of(Value value) {
    if (value instanceof Value.BooleanValue) {
      return BOOLEAN;
    } else if (value instanceof Value.LongValue) {
      return LONG;
    } else if (value instanceof Value.DoubleValue) {
      return DOUBLE;
    } else if (value instanceof Value.StringValue) {
      return STRING;
    } else if (value instanceof Value.DurationValue) {
      return DURATION;
    } else if (value instanceof Value.TimestampValue) {
      return TIMESTAMP;
    }
    return NULL;
  }

  /** Whether nothing can be said against its use: it is not known, or NULL, which fits all. */
  boolean isOpen() {
    return this == ANY || this == NULL || this == FAULTY;
  }

  boolean isNumber() {
    return this == LONG || this == DOUBLE || this == NUMBER;
  }

  /** How messages name it. */
  String word() {
    return switch (this) {
      case COLLECTION -> "a per-node collection";
      case NUMBER -> "a number";
      case NULL -> "NULL";
      case ANY, FAULTY -> "one value";
      default -> "a " + name();
    };
  }
}
