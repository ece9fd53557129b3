// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A column that is decoded when one of its values is requested, because most queries need none.
 * Thread-safe, as long as the functions are.
 */
final class LateColumn implements IntToLongFunction {
  /*
   * A query that finds little requests the values of one or two rows of a block: these are read one
   * by one, as a whole column takes as long as hundreds of them.
   */

  /** The number of values that are read one by one before all are decoded. */
  static final int SINGLE = 16;

  private final @Nullable IntToLongFunction one;
  private final Supplier<long[]> all;
  private volatile long @Nullable [] values;

  /** Two threads may count one request; then one more value is read by itself. */
  private int requests;

  /** A column of which all values are decoded for the first one. */
  LateColumn(Supplier<long[]> all) {
    this(null, all);
  }

  /**
   * A column whose first values are found by themselves.
   *
   * @param one finds the value of a row
   * @param all decodes those of all rows
   */
  LateColumn(@Nullable IntToLongFunction one, Supplier<long[]> all) {
    this.one = one;
    this.all = all;
  }

  @Override
  public long applyAsLong(int row) {
    long[] known = values;
    if (known != null) {
      return known[row];
    }
    return one != null && requests++ < SINGLE ? one.applyAsLong(row) : decode()[row];
  }

  private synchronized long[] decode() {
    long[] known = values;
    if (known == null) {
      known = all.get();
      values = known;
    }
    return known;
  }
}
