// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.ValueType;

/**
 * How a column holds the values of one type as numbers, which are equal exactly if the values are.
 * LONGs, DOUBLEs and BOOLEANs have the order of their numbers. Used by one thread.
 */
public final class ValuePacking {
  private static final long NEGATIVE_ZERO = Long.MIN_VALUE;

  /** A variable with more texts than this, such as identifiers, leaves the table to the others. */
  private static final int MAX_NEW_TEXTS = 1 << 10;

  private final WalkTexts texts;
  private int newTexts;
  private ValueType type = ValueType.LONG;
  private long number;

  ValuePacking(WalkTexts texts) {
    this.texts = texts;
  }

  /** The type of the values that are numbers. */
  ValueType type() {
    return type;
  }

  /** The numbers of texts. */
  WalkTexts texts() {
    return texts;
  }

  /** Whether a value has the type. */
  boolean isFor(Value value) {
    return ValueType.of(value) == type;
  }

  /** Changes the type to that of a value, if there are numbers for it. */
  void become(Value value) {
    ValueType other = ValueType.of(value);
    type =
        switch (other) {
          case BOOLEAN, LONG, DOUBLE, STRING -> other;
          case NULL, NESTED -> type;
        };
  }

  /** Packs a value, whose number {@link #number} then is; returns false if it has none. */
  boolean pack(Value value) {
    return isFor(value)
        && switch (type) {
          case BOOLEAN -> pack(((BooleanValue) value).value() ? 1 : 0);
          case LONG -> pack(((LongValue) value).value());
          case DOUBLE -> {
            long bits = Double.doubleToRawLongBits(((DoubleValue) value).value());
            yield isOrdered(bits) && pack(ordered(bits));
          }
          case STRING -> {
            int text = numberOf(((StringValue) value).value());
            yield text != WalkTexts.NONE && pack(text);
          }
          case NULL, NESTED -> throw new AssertionError("a number of a " + type);
        };
  }

  private boolean pack(long of) {
    number = of;
    return true;
  }

  /** The number of a text, or {@link WalkTexts#NONE}. */
  int numberOf(String text) {
    int known = texts.find(text);
    if (known == WalkTexts.NONE && newTexts < MAX_NEW_TEXTS) {
      newTexts++;
      known = texts.idOf(text);
    }
    return known;
  }

  /** The number of the value that was packed last. */
  long number() {
    return number;
  }

  /** The value that has a number. */
  Value value(long packed) {
    return switch (type) {
      case STRING -> texts.value((int) packed);
      case DOUBLE -> Value.of(Double.longBitsToDouble(ordered(packed)));
      case BOOLEAN -> Value.of(packed != 0);
      case LONG -> Value.of(packed);
      case NULL, NESTED -> throw new AssertionError("a " + type + " of a number");
    };
  }

  /** Whether a DOUBLE has a number: one that is not finite and a negative zero have none. */
  public static boolean isOrdered(long bits) {
    return bits != NEGATIVE_ZERO && Math.abs(Double.longBitsToDouble(bits)) <= Double.MAX_VALUE;
  }

  /** The number of a DOUBLE with bits, and the bits of a DOUBLE with a number. */
  public static long ordered(long bits) {
    return bits ^ ((bits >> (Long.SIZE - 1)) & Long.MAX_VALUE);
  }
}
