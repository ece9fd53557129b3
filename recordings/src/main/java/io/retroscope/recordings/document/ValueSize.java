// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.Value;
import java.util.Map;

/** An estimate of the memory of values. */
final class ValueSize {
  private static final int VALUE_BYTES = 150;

  private ValueSize() {}

  /** The memory of fields with their names, about. */
  static long of(Map<String, Value> fields) {
    long sum = 0;
    for (Map.Entry<String, Value> field : fields.entrySet()) {
      sum += of(field.getKey()) + of(field.getValue());
    }
    return sum;
  }

  /** The memory of a text, about. */
  static long of(String text) {
    return VALUE_BYTES + 2L * text.length();
  }

  private static long of(Value value) {
    if (value instanceof Value.StringValue text) {
      return of(text.value());
    }
    if (value instanceof Value.StructValue struct) {
      return VALUE_BYTES + of(struct.fields());
    }
    long sum = VALUE_BYTES;
    if (value instanceof Value.SetValue set) {
      for (Value element : set.elements()) {
        sum += of(element);
      }
    }
    return sum;
  }
}
