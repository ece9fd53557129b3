// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.rql.cut.Incompleteness;
import java.util.List;
import java.util.stream.Stream;

/**
 * Events up to now that have not arrived, so that rows are not up to date. Immutable.
 *
 * @param leftOut of nodes that the rows leave out
 * @param awaited what the rows wait for
 */
record Unheard(List<Incompleteness> leftOut, List<Incompleteness> awaited) {
  static final Unheard NOTHING = new Unheard(List.of(), List.of());

  /** Copies the lists. */
  Unheard {
    leftOut = List.copyOf(leftOut);
    awaited = List.copyOf(awaited);
  }

  /** These, and more that the rows wait for. */
  Unheard awaiting(List<Incompleteness> more) {
    return new Unheard(leftOut, Stream.concat(more.stream(), awaited.stream()).toList());
  }

  boolean isEmpty() {
    return leftOut.isEmpty() && awaited.isEmpty();
  }

  List<Incompleteness> reasons() {
    return Stream.concat(leftOut.stream(), awaited.stream()).toList();
  }
}
