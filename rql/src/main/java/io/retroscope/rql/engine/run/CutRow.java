// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.run;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.HeapBytes;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.cut.state.CutTime;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * The part of a row that comes from one cut, evaluated while the walk is at that cut.
 *
 * @param hlc the packed stamp of the cut
 * @param ordinal the number of the row among those of its stamp, from 0
 * @param items the values that the query selects
 * @param missing the nodes that were left out of the cut
 */
public record CutRow(
    long hlc,
    int ordinal,
    CutTime time,
    List<Value> items,
    Optional<Note> note,
    SortedSet<String> missing) {
  private static final int OVERHEAD_BYTES = 250;

  /** Returns the same row with another number among those of its stamp. */
  public CutRow numbered(int number) {
    return number == ordinal ? this : new CutRow(hlc, number, time, items, note, missing);
  }

  /** An upper estimate of the heap that the row takes, in bytes, with its note and its time. */
  public long bytes() {
    return OVERHEAD_BYTES + HeapBytes.of(items);
  }
}
