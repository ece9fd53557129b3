// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.timeline;

import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The stored blocks from which timelines are made, at one moment. Used by one thread. */
public interface TimelineBlocks extends AutoCloseable {
  /** The blocks that overlap a range, in order of arrival. */
  List<Part> parts(HlcRange range);

  /** The known losses that overlap a range. */
  List<Gap> gaps(HlcRange range);

  /** The ranges that overlap another one in which stamps were ahead of every clock. */
  List<Ahead> ahead(HlcRange range);

  @Override
  void close();

  /**
   * One block.
   *
   * @param id identifies the content of the block among all that there ever are of this timeline
   * @param firstHlc packed, the lowest stamp
   * @param lastHlc packed, the highest stamp
   * @param logs those with events; the empty name for starts and stops
   * @param written the variables that state changes of a sealed block write
   * @param nodes supplies the names of nodes with events
   * @param summary reads the stored bins; empty if there are none, as of blocks that are not sealed
   * @param rows reads the block; empty if a server's is damaged, which is among the losses then
   */
  record Part(
      long id,
      long firstHlc,
      long lastHlc,
      long eventCount,
      Set<String> logs,
      Set<String> written,
      Supplier<Stream<String>> nodes,
      Supplier<Optional<TimelineBins>> summary,
      Supplier<EventBlock> rows) {
    /** Copies the sets. */
    public Part {
      logs = Set.copyOf(logs);
      written = Set.copyOf(written);
    }
  }
}
