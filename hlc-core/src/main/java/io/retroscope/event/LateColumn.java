package io.retroscope.event;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A column that is decoded when one of its values is first requested, because most queries need
 * none. Thread-safe.
 */
final class LateColumn {
  private final Supplier<long[]> source;
  private volatile long @Nullable [] values;

  LateColumn(Supplier<long[]> source) {
    this.source = source;
  }

  long at(int row) {
    long[] known = values;
    return known == null ? decode()[row] : known[row];
  }

  private synchronized long[] decode() {
    long[] known = values;
    if (known == null) {
      known = source.get();
      values = known;
    }
    return known;
  }
}
