// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.sealed.SealedFile;
import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.timeline.TimelineBlocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The blocks of a file for a timeline. Heartbeats are not events there. */
record FileTimeline(Path path, SealedFile file, List<Gap> losses, List<Incompleteness> reasons)
    implements TimelineBlocks {
  @Override
  public List<Part> parts(HlcRange range) {
    return file.entries().stream()
        .filter(entry -> !entry.log().equals(EventBatch.HEARTBEATS))
        .filter(
            entry ->
                entry.zone().firstHlc() <= range.to() && entry.zone().lastHlc() >= range.from())
        .map(this::part)
        .toList();
  }

  private Part part(SealedFile.Entry entry) {
    StoreNames names = file.names();
    return new Part(
        entry.position(),
        entry.zone().firstHlc(),
        entry.zone().lastHlc(),
        entry.zone().rowCount(),
        Set.of(entry.log()),
        entry.zone().variables().stream().map(names.variables()::name).collect(Collectors.toSet()),
        () -> entry.zone().nodes().stream().mapToObj(names.nodes()::name),
        () -> summary(entry),
        () -> rows(entry));
  }

  private Optional<TimelineBins> summary(SealedFile.Entry entry) {
    try {
      return file.timeline(entry);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private EventBlock rows(SealedFile.Entry entry) {
    try {
      return file.read(entry).rows();
    } catch (CorruptBlockException e) {
      throw SealedFileSource.damaged(path, entry.position(), e);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private UncheckedIOException unreadable(IOException e) {
    return new UncheckedIOException(path + " cannot be read any more: " + e.getMessage(), e);
  }

  @Override
  public List<Incompleteness.Ahead> ahead(HlcRange range) {
    return Incompleteness.Ahead.among(reasons, range);
  }

  @Override
  public List<Gap> gaps(HlcRange range) {
    return losses.stream().filter(gap -> gap.range().overlaps(range)).toList();
  }

  @Override
  public void close() {}
}
