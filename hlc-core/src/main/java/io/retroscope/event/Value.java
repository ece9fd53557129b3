// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A value of a variable, or of an expression over variables. Immutable.
 *
 * <p>The natural order is RQL's: numbers are compared by their exact numeric value, regardless of
 * their type, so {@code compareTo} is 0 for {@code 1} and {@code 1.0} although {@code equals}
 * distinguishes them. Values of different families are ordered NULL, BOOLEAN, numbers, STRING,
 * DURATION, TIMESTAMP, SET, STRUCT.
 *
 * <p>Events hold all but {@link DurationValue} and {@link TimestampValue}, which only queries
 * produce.
 */
public sealed interface Value extends Comparable<Value> {
  /** Position of the value's family in the order across families. */
  int family();

  /** The name of the type in RQL, such as {@code LONG}. */
  String typeName();

  /** Calls the visitor's method for this type, and returns its result. */
  <R> R accept(Visitor<R> visitor);

  /**
   * An operation with one method for each type, so that a new type cannot be forgotten.
   *
   * @param <R> the type of the result
   */
  interface Visitor<R> {
    /** Visits the absence of a value. */
    R nullValue(NullValue value);

    /** Visits a truth value. */
    R booleanValue(BooleanValue value);

    /** Visits an integer. */
    R longValue(LongValue value);

    /** Visits a number with a fraction. */
    R doubleValue(DoubleValue value);

    /** Visits a text. */
    R stringValue(StringValue value);

    /** Visits a span of time. */
    R durationValue(DurationValue value);

    /** Visits an HLC timestamp. */
    R timestampValue(TimestampValue value);

    /** Visits a set. */
    R setValue(SetValue value);

    /** Visits named fields. */
    R structValue(StructValue value);
  }

  /** The BOOLEAN value. */
  static BooleanValue of(boolean value) {
    return value ? BooleanValue.TRUE : BooleanValue.FALSE;
  }

  /** A LONG value. */
  static LongValue of(long value) {
    return new LongValue(value);
  }

  /** A DOUBLE value. */
  static DoubleValue of(double value) {
    return new DoubleValue(value);
  }

  /** A STRING value. */
  static StringValue of(String value) {
    return new StringValue(value);
  }

  /** A SET of the given elements, without duplicates. */
  static SetValue setOf(Value... elements) {
    return new SetValue(List.of(elements));
  }

  /** The absence of a value, as in SQL. */
  record NullValue() implements Value {
    /** The one NULL. */
    public static final NullValue NULL = new NullValue();

    @Override
    public int family() {
      return 0;
    }

    @Override
    public String typeName() {
      return "NULL";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.nullValue(this);
    }

    @Override
    public int compareTo(Value other) {
      return compareFamilies(this, other);
    }
  }

  /** A truth value. */
  record BooleanValue(boolean value) implements Value {
    /** TRUE. */
    public static final BooleanValue TRUE = new BooleanValue(true);

    /** FALSE. */
    public static final BooleanValue FALSE = new BooleanValue(false);

    @Override
    public int family() {
      return 1;
    }

    @Override
    public String typeName() {
      return "BOOLEAN";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.booleanValue(this);
    }

    @Override
    public int compareTo(Value other) {
      return other instanceof BooleanValue that
          ? Boolean.compare(value, that.value)
          : compareFamilies(this, other);
    }
  }

  /** A number. Numbers of all types are compared by their exact numeric value. */
  sealed interface NumberValue extends Value {
    @Override
    default int family() {
      return 2;
    }

    /** The double that is nearest to the number. */
    double nearest();

    /** The same number as a LONG if it is one: equal numbers of all types have equal keys. */
    NumberValue key();

    /** Compares this number with a LONG, as {@link #compareTo} does. */
    int compareToLong(long other);

    /** Compares this number with a DOUBLE, as {@link #compareTo} does. */
    int compareToDouble(double other);
  }

  /** A 64 bit integer. */
  record LongValue(long value) implements NumberValue {
    @Override
    public double nearest() {
      return value;
    }

    @Override
    public NumberValue key() {
      return this;
    }

    @Override
    public String typeName() {
      return "LONG";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.longValue(this);
    }

    @Override
    public int compareTo(Value other) {
      if (other instanceof LongValue that) {
        return Long.compare(value, that.value);
      }
      return other instanceof NumberValue that
          ? -that.compareToLong(value)
          : compareFamilies(this, other);
    }

    @Override
    public int compareToLong(long other) {
      return Long.compare(value, other);
    }

    @Override
    public int compareToDouble(double other) {
      return compareLongToDouble(value, other);
    }
  }

  /** A 64 bit IEEE 754 number. */
  record DoubleValue(double value) implements NumberValue {
    @Override
    public double nearest() {
      return value;
    }

    @Override
    public NumberValue key() {
      boolean isWhole = value == Math.rint(value) && value >= -0x1p63 && value < 0x1p63;
      return isWhole ? new LongValue((long) value) : this;
    }

    @Override
    public String typeName() {
      return "DOUBLE";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.doubleValue(this);
    }

    @Override
    public int compareTo(Value other) {
      return other instanceof NumberValue that
          ? -that.compareToDouble(value)
          : compareFamilies(this, other);
    }

    @Override
    public int compareToLong(long other) {
      return -compareLongToDouble(other, value);
    }

    @Override
    public int compareToDouble(double other) {
      return value == other ? 0 : Double.compare(value, other);
    }
  }

  /** A text. */
  record StringValue(String value) implements Value {
    @Override
    public int family() {
      return 3;
    }

    @Override
    public String typeName() {
      return "STRING";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.stringValue(this);
    }

    @Override
    public int compareTo(Value other) {
      return other instanceof StringValue that
          ? value.compareTo(that.value)
          : compareFamilies(this, other);
    }
  }

  /**
   * A span of time.
   *
   * @param micros microseconds, of either sign
   */
  record DurationValue(long micros) implements Value {
    @Override
    public int family() {
      return 4;
    }

    @Override
    public String typeName() {
      return "DURATION";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.durationValue(this);
    }

    @Override
    public int compareTo(Value other) {
      return other instanceof DurationValue that
          ? Long.compare(micros, that.micros)
          : compareFamilies(this, other);
    }
  }

  /**
   * An HLC timestamp.
   *
   * @param packed as in {@link HlcTimestamp}
   */
  record TimestampValue(long packed) implements Value {
    @Override
    public int family() {
      return 5;
    }

    @Override
    public String typeName() {
      return "TIMESTAMP";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.timestampValue(this);
    }

    @Override
    public int compareTo(Value other) {
      return other instanceof TimestampValue that
          ? Long.compare(packed, that.packed)
          : compareFamilies(this, other);
    }
  }

  /**
   * A set.
   *
   * @param elements distinct and ascending in the order of {@link Value}; any collection may be
   *     passed in, and the first of equal elements is kept
   */
  record SetValue(Collection<Value> elements) implements Value {
    /** Sorts the elements and removes duplicates. */
    public SetValue {
      elements = Collections.unmodifiableList(new ArrayList<>(new TreeSet<>(elements)));
    }

    @Override
    public int family() {
      return 6;
    }

    @Override
    public String typeName() {
      return "SET";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.setValue(this);
    }

    @Override
    public int compareTo(Value other) {
      return other instanceof SetValue that
          ? compareAll(List.copyOf(elements), List.copyOf(that.elements))
          : compareFamilies(this, other);
    }

    /** Whether an equal element is in the set. */
    public boolean contains(Value element) {
      return Collections.binarySearch((List<Value>) elements, element) >= 0;
    }
  }

  /**
   * Named fields.
   *
   * @param fields in the order in which they are printed; the order is irrelevant for equality
   */
  record StructValue(Map<String, Value> fields) implements Value {
    /** Copies the fields, unless they cannot change. */
    public StructValue {
      fields =
          fields instanceof FieldNames.Fields
              ? fields
              : Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    @Override
    public int family() {
      return 7;
    }

    @Override
    public String typeName() {
      return "STRUCT";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.structValue(this);
    }

    @Override
    public int compareTo(Value other) {
      return other instanceof StructValue that
          ? compareStructs(this, that)
          : compareFamilies(this, other);
    }
  }

  private static int compareFamilies(Value a, Value b) {
    return Integer.compare(a.family(), b.family());
  }

  /** An exact comparison; converting the long to a double would round. */
  private static int compareLongToDouble(long a, double b) {
    if (Double.isNaN(b) || b >= 0x1p63) {
      return -1;
    }
    if (b < -0x1p63) {
      return 1;
    }
    long whole = (long) b;
    return a != whole ? Long.compare(a, whole) : Double.compare(0, b - whole + 0.0);
  }

  private static int compareAll(List<? extends Value> a, List<? extends Value> b) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      int order = a.get(i).compareTo(b.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(a.size(), b.size());
  }

  private static int compareStructs(StructValue a, StructValue b) {
    TreeMap<String, Value> x = new TreeMap<>(a.fields);
    TreeMap<String, Value> y = new TreeMap<>(b.fields);
    int names = String.join("\0", x.keySet()).compareTo(String.join("\0", y.keySet()));
    return names != 0 ? names : compareAll(List.copyOf(x.values()), List.copyOf(y.values()));
  }
}
