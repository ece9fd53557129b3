// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.cut.state.PerNode;
import io.retroscope.rql.cut.state.VariableColumn;
import org.jspecify.annotations.Nullable;

/**
 * The times since the values of a variable changed, at each node.
 *
 * @param hlc packed, the stamp at which they are that old
 */
record Ages(VariableColumn column, long hlc) implements PerNode {
  @Override
  public @Nullable Value at(int node) {
    return column.isSet(node) ? between(column.changedAt(node), hlc) : null;
  }

  /** The age of the value that changed last; NULL without values. */
  Value min() {
    return column.present() == 0 ? NullValue.NULL : between(column.lastChange(), hlc);
  }

  /** The age of the value that has not changed for longest; NULL without values. */
  Value max() {
    return column.present() == 0 ? NullValue.NULL : between(column.firstChange(), hlc);
  }

  /** The time between two packed stamps, of which the first may be the later one. */
  static DurationValue between(long begin, long end) {
    return new DurationValue(HlcTimestamp.micros(end) - HlcTimestamp.micros(begin));
  }
}
