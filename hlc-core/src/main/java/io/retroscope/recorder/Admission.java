// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.Value;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of a service's arguments into values that are safe to keep: bounded, immutable,
 * and without later calls to the service's code. It runs before a slot is claimed, because it may
 * allocate and take time. Thread-safe.
 */
final class Admission {
  /** The longest name of a log or a variable, in characters. */
  static final int MAX_NAME_LENGTH = 1_000;

  /** The maximum weight of one event: the characters of its texts and names, plus one per value. */
  static final int MAX_EVENT_WEIGHT = 4_000_000;

  /** The maximum number of values that are read for one event from the collections passed in. */
  static final int MAX_EVENT_VALUES = 10_000;

  /** The time limit for reading the collections passed in for one event. */
  static final long MAX_EVENT_NANOS = 100_000_000;

  /**
   * The maximum number of bits of a number whose decimal digits are computed, which takes quadratic
   * time.
   */
  private static final int MAX_NUMBER_BITS = 1 << 15;

  private final int maxTextLength;
  private final Counters counters;
  private final LongSupplier nanos;

  Admission(int maxTextLength, Counters counters, LongSupplier nanos) {
    this.maxTextLength = maxTextLength;
    this.counters = counters;
    this.nanos = nanos;
  }

  /** The remaining capacity for the values of one event. Not thread-safe. */
  final class Budget {
    private int values = MAX_EVENT_VALUES;
    private int weight = MAX_EVENT_WEIGHT;
    private boolean timed;
    private long startNanos;
    private boolean exceeded;

    private Budget() {}

    /** Whether another value may be read from a collection; counts an event that is cut. */
    boolean takeValue() {
      if (!timed) {
        timed = true;
        startNanos = nanos.getAsLong();
      }
      if (values == 0 || weight <= 0 || nanos.getAsLong() - startNanos > MAX_EVENT_NANOS) {
        exceed();
        return false;
      }
      values--;
      weight--;
      return true;
    }

    /** Takes the weight from the budget if enough is left. */
    boolean take(int more) {
      if (more > weight) {
        exceed();
        return false;
      }
      weight -= more;
      return true;
    }

    /** The text, truncated to the remaining budget. */
    String take(String text) {
      String fitting = text.length() <= weight ? text : prefix(text, weight);
      if (fitting.length() < text.length()) {
        exceed();
      }
      weight -= fitting.length();
      return fitting;
    }

    private void exceed() {
      if (!exceeded) {
        exceeded = true;
        counters.truncated.increment();
      }
    }
  }

  /** A budget for one event. */
  Budget budget() {
    return new Budget();
  }

  static boolean isName(@Nullable String name) {
    return name != null && !name.isEmpty() && name.length() <= MAX_NAME_LENGTH;
  }

  /** The text, truncated to the limit but never within a surrogate pair; empty for null. */
  String text(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return "";
    }
    if (text.length() <= maxTextLength) {
      return text;
    }
    counters.truncated.increment();
    return prefix(text, maxTextLength);
  }

  /** A prefix of at most this length that does not split a surrogate pair. */
  private static String prefix(String text, int length) {
    boolean splitsPair = length > 0 && Character.isHighSurrogate(text.charAt(length - 1));
    return text.substring(0, splitsPair ? length - 1 : length);
  }

  /** The value, with its text truncated to the limit; NULL for null. */
  Value value(@Nullable Value value) {
    if (value == null) {
      return Value.NullValue.NULL;
    }
    return value instanceof Value.StringValue text ? cut(text) : value;
  }

  @SuppressWarnings("ReferenceEquality") // text() returns its argument if it fits
  private Value cut(Value.StringValue value) {
    String text = text(value.value());
    return text == value.value() ? value : Value.of(text);
  }

  /** {@link #valueOf(Object, Budget)} for an event with a single value. */
  Value valueOf(@Nullable Object object) {
    return valueOf(object, budget());
  }

  /** The value of an element of a set; null for null, which a set cannot hold. */
  @Nullable Value element(@Nullable Object object) {
    return object instanceof Value value ? value : object == null ? null : valueOf(object);
  }

  /**
   * The value that represents an object: numbers and booleans unchanged, collections and arrays as
   * sets, maps as structs, bytes in hexadecimal, anything else as its text. Collections are
   * truncated when the budget is exhausted. Exceptions thrown by the object's methods are caught.
   */
  Value valueOf(@Nullable Object object, Budget budget) {
    try {
      return convert(object, 1, budget);
    } catch (Throwable e) {
      // Includes a StackOverflowError or a failed assertion in toString, and checked exceptions of
      // code that was not compiled by javac.
      return Value.of("<" + e.getClass().getName() + " while reading the value>");
    }
  }

  private Value convert(@Nullable Object object, int depth, Budget budget) {
    if (object == null) {
      return Value.NullValue.NULL;
    }
    if (object instanceof Value value) {
      return admitted(value(value), depth, budget);
    }
    if (object instanceof Boolean truth) {
      return Value.of(truth);
    }
    if (isWhole(object)) {
      return Value.of(((Number) object).longValue());
    }
    if (isReal(object)) {
      return Value.of(((Number) object).doubleValue());
    }
    if (depth <= EventBlockCodec.MAX_NESTING && object instanceof Collection<?> collection) {
      return new Value.SetValue(elements(collection, depth, budget));
    }
    if (depth <= EventBlockCodec.MAX_NESTING && object instanceof Map<?, ?> map) {
      return new Value.StructValue(fields(map, depth, budget));
    }
    if (depth <= EventBlockCodec.MAX_NESTING && isArray(object)) {
      return new Value.SetValue(elements(new ArrayElements(object), depth, budget));
    }
    if (object instanceof byte[] bytes) {
      return Value.of(hex(bytes, budget));
    }
    return Value.of(textOf(object, budget));
  }

  /** The bytes in hexadecimal, as many as a text may hold. */
  private String hex(byte[] bytes, Budget budget) {
    int length = Math.min(bytes.length, maxTextLength / 2);
    if (length < bytes.length) {
      budget.exceed();
    }
    return budget.take(HexFormat.of().formatHex(bytes, 0, length));
  }

  /** Admits a {@link Value} from the caller as a whole or not at all. */
  private Value admitted(Value value, int depth, Budget budget) {
    return budget.take(weight(value, depth)) ? value : Value.NullValue.NULL;
  }

  /**
   * The text of an object, or only its class name if the text could take arbitrarily long to
   * compute.
   */
  private String textOf(@Nullable Object object, Budget budget) {
    if (object != null && isUnbounded(object)) {
      budget.exceed();
      return "<" + object.getClass().getName() + " too large to record>";
    }
    return budget.take(text(String.valueOf(object)));
  }

  private static boolean isUnbounded(Object object) {
    return object instanceof Collection
        || object instanceof Map
        || isArray(object)
        || (object instanceof BigInteger whole && whole.bitLength() > MAX_NUMBER_BITS)
        || (object instanceof BigDecimal && !isReal(object));
  }

  private static boolean isWhole(Object object) {
    return object instanceof Long
        || object instanceof Integer
        || object instanceof Short
        || object instanceof Byte
        || object instanceof AtomicInteger
        || object instanceof AtomicLong
        || (object instanceof BigInteger integer && integer.bitLength() < Long.SIZE);
  }

  private static boolean isReal(Object object) {
    return object instanceof Double
        || object instanceof Float
        || (object instanceof BigDecimal decimal
            && decimal.unscaledValue().bitLength() <= MAX_NUMBER_BITS);
  }

  /** Whether it is an array of values; arrays of bytes or characters are contents. */
  private static boolean isArray(Object object) {
    return object.getClass().isArray()
        && !(object instanceof byte[])
        && !(object instanceof char[]);
  }

  /** An array of any type, read in place. */
  private static final class ArrayElements extends AbstractList<@Nullable Object> {
    private final Object array;

    ArrayElements(Object array) {
      this.array = array;
    }

    @Override
    public @Nullable Object get(int index) {
      return Array.get(array, index);
    }

    @Override
    public int size() {
      return Array.getLength(array);
    }
  }

  private List<Value> elements(Collection<?> collection, int depth, Budget budget) {
    List<Value> elements = new ArrayList<>();
    Iterator<?> all = collection.iterator();
    while (all.hasNext() && budget.takeValue()) {
      elements.add(convert(all.next(), depth + 1, budget));
    }
    return elements;
  }

  private Map<String, Value> fields(Map<?, ?> map, int depth, Budget budget) {
    Map<String, Value> fields = new LinkedHashMap<>();
    Iterator<? extends Map.Entry<?, ?>> all = map.entrySet().iterator();
    while (all.hasNext() && budget.takeValue()) {
      Map.Entry<?, ?> entry = all.next();
      fields.put(textOf(entry.getKey(), budget), convert(entry.getValue(), depth + 1, budget));
    }
    return fields;
  }

  /**
   * A value's share of {@link #MAX_EVENT_WEIGHT}; above the maximum for a value that no block can
   * hold.
   */
  static int weight(Value value) {
    return weight(value, 1);
  }

  private static int weight(Value value, int depth) {
    return MAX_EVENT_WEIGHT + 1 - left(value, depth, MAX_EVENT_WEIGHT + 1);
  }

  /** Whether a value is a level of nesting. */
  private static boolean nests(Value value) {
    return value instanceof Value.SetValue || value instanceof Value.StructValue;
  }

  /**
   * The weight that remains after subtracting a value, 0 or more; stops as soon as nothing remains.
   */
  private static int left(@Nullable Value value, int depth, int before) {
    if (value == null
        || (depth > EventBlockCodec.MAX_NESTING && nests(value))
        || value instanceof Value.DurationValue
        || value instanceof Value.TimestampValue) {
      return 0;
    }
    int left = before - 1;
    if (value instanceof Value.StringValue text) {
      return leftByText(text.value(), left);
    }
    if (value instanceof Value.SetValue set) {
      Iterator<Value> elements = set.elements().iterator();
      while (left > 0 && elements.hasNext()) {
        left = left(elements.next(), depth + 1, left);
      }
    } else if (value instanceof Value.StructValue struct) {
      Iterator<Map.Entry<String, Value>> fields = struct.fields().entrySet().iterator();
      while (left > 0 && fields.hasNext()) {
        Map.Entry<String, Value> field = fields.next();
        left = left(field.getValue(), depth + 1, leftByText(field.getKey(), left));
      }
    }
    return Math.max(0, left);
  }

  private static int leftByText(@Nullable String text, int before) {
    return text == null ? 0 : Math.max(0, before - text.length());
  }
}
