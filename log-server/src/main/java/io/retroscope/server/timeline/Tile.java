package io.retroscope.server.timeline;

import io.retroscope.blocks.TimelineBins;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A part of a timeline.
 *
 * @param logs the bins of each log by its name; the empty name for starts and stops
 * @param missing parts of the tile whose events are not in the bins
 * @param finestLevel the lowest level at which no summary is too coarse; empty if none is here
 * @param blocksRead the number of blocks that were read because they have no summary
 */
public record Tile(
    TileAddress address,
    Map<String, TimelineBins> logs,
    List<Missing> missing,
    OptionalInt finestLevel,
    List<Gap> gaps,
    int blocksRead) {
  /** Copies the collections. */
  public Tile {
    missing = List.copyOf(missing);
    gaps = List.copyOf(gaps);
  }

  /** A range in which events of a log are stored, but not in the tile's bins. */
  public record Missing(String log, HlcRange range) {}
}
