package io.retroscope.recorder;

import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.Value;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a service passes in, made safe: bounded, immutable, without calls to its code later on.
 * Thread-safe. Runs before a slot is claimed, for it may allocate and take time.
 */
final class Admission {
  /** The longest name of a log or a variable, in characters. */
  static final int MAX_NAME_LENGTH = 1_000;

  /** The most that one event may hold: its texts' and names' characters, and one a value. */
  static final int MAX_EVENT_WEIGHT = 4_000_000;

  private final int maxTextLength;
  private final Counters counters;

  Admission(int maxTextLength, Counters counters) {
    this.maxTextLength = maxTextLength;
    this.counters = counters;
  }

  static boolean isName(@Nullable String name) {
    return name != null && !name.isEmpty() && name.length() <= MAX_NAME_LENGTH;
  }

  /** The text, cut to the limit and never within a surrogate pair; empty for null. */
  String text(@Nullable String text) {
    if (text == null) {
      return "";
    }
    if (text.length() <= maxTextLength) {
      return text;
    }
    counters.truncated.increment();
    boolean splitsPair = Character.isHighSurrogate(text.charAt(maxTextLength - 1));
    return text.substring(0, splitsPair ? maxTextLength - 1 : maxTextLength);
  }

  /** The value with its own text cut to the limit; NULL for null. */
  Value value(@Nullable Value value) {
    if (value == null) {
      return Value.NullValue.NULL;
    }
    return value instanceof Value.StringValue text && text.value().length() > maxTextLength
        ? Value.of(text(text.value()))
        : value;
  }

  /**
   * The value that stands for any object: numbers, booleans and enumerations as they are,
   * collections and arrays as sets, maps as structs, all else as its text. What the object's
   * methods throw ends here.
   */
  Value valueOf(@Nullable Object object) {
    try {
      return value(convert(object, 1));
    } catch (RuntimeException | Error e) {
      // Even an Error: a StackOverflowError or a failed assertion of its toString is not ours to
      // rethrow.
      return Value.of("<" + e.getClass().getName() + " while reading the value>");
    }
  }

  private Value convert(@Nullable Object object, int depth) {
    if (object == null) {
      return Value.NullValue.NULL;
    }
    if (object instanceof Value value) {
      return value;
    }
    if (object instanceof Boolean truth) {
      return Value.of(truth);
    }
    if (isWhole(object)) {
      return Value.of(((Number) object).longValue());
    }
    if (object instanceof Double || object instanceof Float || object instanceof BigDecimal) {
      return Value.of(((Number) object).doubleValue());
    }
    if (depth < EventBlockCodec.MAX_NESTING && object instanceof Collection<?> collection) {
      return new Value.SetValue(elements(collection, depth));
    }
    if (depth < EventBlockCodec.MAX_NESTING && object instanceof Map<?, ?> map) {
      return new Value.StructValue(fields(map, depth));
    }
    if (depth < EventBlockCodec.MAX_NESTING && isArray(object)) {
      return new Value.SetValue(elements(new ArrayElements(object), depth));
    }
    return Value.of(text(String.valueOf(object)));
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

  /** Whether it is an array of values; bytes and characters are contents rather. */
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

  private List<Value> elements(Collection<?> collection, int depth) {
    List<Value> elements = new ArrayList<>();
    for (Object element : collection) {
      if (elements.size() == MAX_EVENT_WEIGHT) {
        break;
      }
      elements.add(convert(element, depth + 1));
    }
    return elements;
  }

  private Map<String, Value> fields(Map<?, ?> map, int depth) {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (fields.size() == MAX_EVENT_WEIGHT) {
        break;
      }
      fields.put(text(String.valueOf(entry.getKey())), convert(entry.getValue(), depth + 1));
    }
    return fields;
  }

  /**
   * How much a value counts against {@link #MAX_EVENT_WEIGHT}; more than that for one that no block
   * can hold.
   */
  static int weight(Value value) {
    return weight(value, 1);
  }

  private static int weight(Value value, int depth) {
    if (depth > EventBlockCodec.MAX_NESTING
        || value instanceof Value.DurationValue
        || value instanceof Value.TimestampValue) {
      return MAX_EVENT_WEIGHT + 1;
    }
    if (value instanceof Value.StringValue text) {
      return 1 + text.value().length();
    }
    int sum = 1;
    if (value instanceof Value.SetValue set) {
      for (Value element : set.elements()) {
        sum = Math.min(MAX_EVENT_WEIGHT + 1, sum + weight(element, depth + 1));
      }
    } else if (value instanceof Value.StructValue struct) {
      for (Map.Entry<String, Value> field : struct.fields().entrySet()) {
        int more = field.getKey().length() + weight(field.getValue(), depth + 1);
        sum = Math.min(MAX_EVENT_WEIGHT + 1, sum + more);
      }
    }
    return sum;
  }
}
