// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.answer;

import io.retroscope.event.Value;
import java.util.List;
import java.util.Optional;

/**
 * One row of a result.
 *
 * @param hlc packed stamp of the cut that made it
 * @param ordinal number of the row among those of its stamp, from 0; {@code hlc/ordinal} is the
 *     row's resume id
 * @param values one for each column, in their order; per-node collections are structs with nodes in
 *     natural order
 * @param note the note of the row, if the query has PLAY
 */
public record Row(long hlc, int ordinal, List<Value> values, Optional<Note> note) {
  /** Copies the values. */
  public Row {
    values = List.copyOf(values);
  }
}
