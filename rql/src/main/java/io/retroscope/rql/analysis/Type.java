// SPDX-License-Identifier: Apache-2.0
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

  private static final Value.Visitor<Type> OF_VALUE =
      new Value.Visitor<>() {
        @Override
        public Type nullValue(Value.NullValue value) {
          return NULL;
        }

        @Override
        public Type booleanValue(Value.BooleanValue value) {
          return BOOLEAN;
        }

        @Override
        public Type longValue(Value.LongValue value) {
          return LONG;
        }

        @Override
        public Type doubleValue(Value.DoubleValue value) {
          return DOUBLE;
        }

        @Override
        public Type stringValue(Value.StringValue value) {
          return STRING;
        }

        @Override
        public Type durationValue(Value.DurationValue value) {
          return DURATION;
        }

        @Override
        public Type timestampValue(Value.TimestampValue value) {
          return TIMESTAMP;
        }

        @Override
        public Type setValue(Value.SetValue value) {
          return SET;
        }

        @Override
        public Type structValue(Value.StructValue value) {
          return ANY;
        }
      };

  static Type of(Value value) {
    return value.accept(OF_VALUE);
  }

  /** Whether every use is accepted: the type is not known, or NULL, which fits everywhere. */
  boolean isOpen() {
    return this == ANY || this == NULL || this == FAULTY;
  }

  boolean isNumber() {
    return switch (this) {
      case LONG, DOUBLE, NUMBER -> true;
      case FAULTY, ANY, NULL, BOOLEAN, STRING, DURATION, TIMESTAMP, SET, COLLECTION -> false;
    };
  }

  /** The description in messages. */
  String word() {
    return switch (this) {
      case COLLECTION -> "a per-node collection";
      case NUMBER -> "a number";
      case NULL -> "NULL";
      case ANY, FAULTY -> "one value";
      case BOOLEAN, LONG, DOUBLE, STRING, DURATION, TIMESTAMP, SET -> "a " + name();
    };
  }
}
