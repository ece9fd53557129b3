// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;

/** The alignment of the clocks of a view's nodes. Thread-safe. */
interface ViewClocks {
  /** No clock is aligned. */
  ViewClocks NONE = (marks, evidence) -> ClockOffsets.UNKNOWN;

  /**
   * The offsets that follow from evidence.
   *
   * @param marks of the evidence of each partition
   * @param evidence reads that of all partitions, ordered by stamp
   */
  ClockOffsets of(List<EvidenceMark> marks, Supplier<Iterator<Event>> evidence);
}
