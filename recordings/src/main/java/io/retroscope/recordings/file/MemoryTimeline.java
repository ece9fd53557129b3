// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.timeline.TimelineBlocks;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** The blocks of events in memory for a timeline. */
final class MemoryTimeline implements TimelineBlocks {
  private final List<EventBlock> blocks;
  private final View view;

  MemoryTimeline(InMemoryEventSource source) {
    this.blocks = source.blocks();
    this.view = source.open();
  }

  @Override
  public List<Part> parts(HlcRange range) {
    return IntStream.range(0, blocks.size())
        .filter(
            id ->
                blocks.get(id).firstHlc() <= range.to() && blocks.get(id).lastHlc() >= range.from())
        .mapToObj(id -> part(id, blocks.get(id)))
        .toList();
  }

  private static Part part(int id, EventBlock block) {
    Set<String> logs = new HashSet<>(block.logs());
    for (int row = 0; row < block.size() && !logs.contains(""); row++) {
      if (block.kind(row) == EventKind.START || block.kind(row) == EventKind.STOP) {
        logs.add("");
      }
    }
    return new Part(
        id,
        block.firstHlc(),
        block.lastHlc(),
        block.size(),
        logs,
        Set.of(),
        () -> block.nodes().stream(),
        Optional::empty,
        () -> block);
  }

  @Override
  public List<Incompleteness.Ahead> ahead(HlcRange range) {
    return Incompleteness.Ahead.among(view.reasons(range), range);
  }

  @Override
  public List<Gap> gaps(HlcRange range) {
    return view.gaps(range);
  }

  @Override
  public void close() {
    view.close();
  }
}
