// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Properties of a block that were added after the first version of the format.
 *
 * <p>They are encoded as a struct <code>{"$block": {...}}</code> at the end of the nested values,
 * to which no change refers. Readers of the first version ignore the struct, and this reader
 * ignores fields that it does not know.
 *
 * @param promiseMicros see {@link EventBlock#promiseMicros()}
 * @param unbound whether all events carry {@link EventMark#UNBOUND}, which the marks' column then
 *     omits
 */
record BlockProperties(long promiseMicros, boolean unbound) {
  static final BlockProperties NONE = new BlockProperties(0, false);

  private static final String KEY = "$block";
  private static final String PROMISE = "promiseMicros";
  private static final String UNBOUND = "unbound";

  boolean isEmpty() {
    return equals(NONE);
  }

  Value toValue() {
    Map<String, Value> fields = new LinkedHashMap<>();
    if (promiseMicros > 0) {
      fields.put(PROMISE, Value.of(promiseMicros));
    }
    if (unbound) {
      fields.put(UNBOUND, Value.of(true));
    }
    return new Value.StructValue(Map.of(KEY, new Value.StructValue(fields)));
  }

  /** The properties among a block's nested values; {@link #NONE} if there are none. */
  static BlockProperties find(List<Value> nested, BlockColumns columns) {
    int last = nested.size() - 1;
    if (last >= 0
        && nested.get(last) instanceof Value.StructValue outer
        && outer.fields().size() == 1
        && outer.fields().get(KEY) instanceof Value.StructValue inner
        && !isReferred(last, columns)) {
      return new BlockProperties(
          inner.fields().get(PROMISE) instanceof Value.LongValue micros && micros.value() > 0
              ? micros.value()
              : 0,
          Value.of(true).equals(inner.fields().get(UNBOUND)));
    }
    return NONE;
  }

  private static boolean isReferred(int index, BlockColumns columns) {
    for (int change = 0; change < columns.type.length; change++) {
      if (columns.type[change] == ValueType.NESTED.code() && columns.bits[change] == index) {
        return true;
      }
    }
    return false;
  }
}
