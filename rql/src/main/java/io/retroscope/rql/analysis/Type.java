package io.retroscope.rql.analysis;

import io.retroscope.event.Value;

/** The type of an expression's value, as far as it is known before the query runs. */
enum Type {
  /** No type: a problem was reported, and it should not cause further ones. */
  FAULTY,
  /** Any type, because the value at a node may have any type and differ from node to node. */
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
  /** A value at every node instead of one value. */
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

  /** Whether every use is accepted: the type is not known, or NULL, which fits everywhere. */
  boolean isOpen() {
    return this == ANY || this == NULL || this == FAULTY;
  }

  boolean isNumber() {
    return this == LONG || this == DOUBLE || this == NUMBER;
  }

  /** The description in messages. */
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
