// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

/** The representations of a {@link Value} in a block's columns. */
public enum ValueType {
  /** No value. */
  NULL(0),
  /** The bits are 0 or 1. */
  BOOLEAN(1),
  /** The bits are the number. */
  LONG(2),
  /** The bits are those of {@link Double#doubleToRawLongBits}. */
  DOUBLE(3),
  /** The bits are an index into the block's texts. */
  STRING(4),
  /** The bits are an index into the block's sets and structs. */
  NESTED(5);

  private static final ValueType[] ALL = values();

  private static final Value.Visitor<ValueType> OF_VALUE =
      new Value.Visitor<>() {
        @Override
        public ValueType nullValue(Value.NullValue value) {
          return NULL;
        }

        @Override
        public ValueType booleanValue(Value.BooleanValue value) {
          return BOOLEAN;
        }

        @Override
        public ValueType longValue(Value.LongValue value) {
          return LONG;
        }

        @Override
        public ValueType doubleValue(Value.DoubleValue value) {
          return DOUBLE;
        }

        @Override
        public ValueType stringValue(Value.StringValue value) {
          return STRING;
        }

        @Override
        public ValueType durationValue(Value.DurationValue value) {
          return NESTED;
        }

        @Override
        public ValueType timestampValue(Value.TimestampValue value) {
          return NESTED;
        }

        @Override
        public ValueType setValue(Value.SetValue value) {
          return NESTED;
        }

        @Override
        public ValueType structValue(Value.StructValue value) {
          return NESTED;
        }
      };

  /** The number of types. */
  static final int COUNT = ALL.length;

  private final byte code;

  ValueType(int code) {
    this.code = (byte) code;
  }

  /** The code of the type in a column, from 0 in the order of declaration. */
  public byte code() {
    return code;
  }

  /** The type of a value's column; {@link #NESTED} for a value that no event holds. */
  public static ValueType of(Value value) {
    return value.accept(OF_VALUE);
  }

  /**
   * The type with a code.
   *
   * @throws IndexOutOfBoundsException if the code is unknown
   */
  public static ValueType ofCode(int code) {
    return ALL[code];
  }
}
