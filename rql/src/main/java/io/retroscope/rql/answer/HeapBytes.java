// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.answer;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import java.util.Collection;

/** Estimates of the heap that values of rows take, in bytes. */
public final class HeapBytes {
  private static final int REFERENCE_BYTES = 8;
  private static final int NUMBER_BYTES = 24;
  private static final int TEXT_BYTES = 56;
  private static final int COLLECTION_BYTES = 64;

  private HeapBytes() {}

  /** The estimate for the values of a row. */
  public static long of(Collection<Value> values) {
    long sum = COLLECTION_BYTES;
    for (Value value : values) {
      sum += REFERENCE_BYTES + of(value);
    }
    return sum;
  }

  private static long of(Value value) {
    if (value instanceof StringValue text) {
      return TEXT_BYTES + 2L * text.value().length();
    }
    if (value instanceof SetValue set) {
      return of(set.elements());
    }
    if (value instanceof StructValue struct) {
      long names = struct.fields().keySet().stream().mapToLong(name -> 2L * name.length()).sum();
      return names + (long) TEXT_BYTES * struct.fields().size() + of(struct.fields().values());
    }
    return NUMBER_BYTES;
  }
}
