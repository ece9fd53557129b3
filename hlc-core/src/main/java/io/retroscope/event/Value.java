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
 * <p>The natural order is RQL's: numbers compare by their exact numeric value, whichever type they
 * have, so {@code compareTo} is 0 for {@code 1} and {@code 1.0} although {@code equals}
 * distinguishes them. Values of different families are ordered NULL, BOOLEAN, numbers, STRING,
 * DURATION, TIMESTAMP, SET, STRUCT.
 *
 * <p>Events hold all but {@link DurationValue} and {@link TimestampValue}, which only queries
 * produce.
 */
public sealed interface Value extends Comparable<Value> {
  /** Position of the value's family in the order across families. */
  int family();

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
  }

  /** A 64 bit integer. */
  record LongValue(long value) implements Value {
    @Override
    public int family() {
      return 2;
    }
  }

  /** A 64 bit IEEE 754 number. */
  record DoubleValue(double value) implements Value {
    @Override
    public int family() {
      return 2;
    }
  }

  /** A text. */
  record StringValue(String value) implements Value {
    @Override
    public int family() {
      return 3;
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
    /** Copies the fields. */
    public StructValue {
      fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    @Override
    public int family() {
      return 7;
    }
  }

  @Override
  default int compareTo(Value other) {
    if (family() != other.family()) {
      return Integer.compare(family(), other.family());
    }
    if (this instanceof BooleanValue a && other instanceof BooleanValue b) {
      return Boolean.compare(a.value, b.value);
    }
    if (this instanceof StringValue a && other instanceof StringValue b) {
      return a.value.compareTo(b.value);
    }
    if (this instanceof DurationValue a && other instanceof DurationValue b) {
      return Long.compare(a.micros, b.micros);
    }
    if (this instanceof TimestampValue a && other instanceof TimestampValue b) {
      return Long.compare(a.packed, b.packed);
    }
    if (this instanceof SetValue a && other instanceof SetValue b) {
      return compareAll(List.copyOf(a.elements), List.copyOf(b.elements));
    }
    if (this instanceof StructValue a && other instanceof StructValue b) {
      return compareStructs(a, b);
    }
    return this instanceof NullValue ? 0 : compareNumbers(this, other);
  }

  private static int compareNumbers(Value a, Value b) {
    if (a instanceof LongValue x) {
      return b instanceof LongValue y
          ? Long.compare(x.value, y.value)
          : compareLongToDouble(x.value, ((DoubleValue) b).value);
    }
    double x = ((DoubleValue) a).value;
    if (b instanceof LongValue y) {
      return -compareLongToDouble(y.value, x);
    }
    double y = ((DoubleValue) b).value;
    return x == y ? 0 : Double.compare(x, y);
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
