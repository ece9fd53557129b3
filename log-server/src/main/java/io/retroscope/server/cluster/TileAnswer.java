// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.blocks.timeline.TimelinePart;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.Tile.Missing;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileMaker;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A tile of one partition, as JSON; the parts of {@link Tile}.
 *
 * @param tooLarge why there is none, in one sentence; empty if there is one
 * @param logs the bins of each log, serialized
 */
record TileAnswer(
    Optional<String> tooLarge,
    Map<String, byte[]> logs,
    List<Missing> missing,
    OptionalInt finestLevel,
    OptionalInt finestNodeLevel,
    List<Gap> gaps,
    List<Incompleteness> ahead,
    int blocksRead) {

  static TileAnswer of(Tile tile) {
    Map<String, byte[]> logs = new HashMap<>();
    tile.logs().forEach((log, bins) -> logs.put(log, TimelinePart.encode(bins)));
    return new TileAnswer(
        Optional.empty(),
        logs,
        tile.missing(),
        tile.finestLevel(),
        tile.finestNodeLevel(),
        tile.gaps(),
        List.copyOf(tile.ahead()),
        tile.blocksRead());
  }

  static TileAnswer of(TileMaker.TooLargeException refusal) {
    return new TileAnswer(
        Optional.of(String.valueOf(refusal.getMessage())),
        Map.of(),
        List.of(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        List.of(),
        List.of(),
        0);
  }

  /**
   * The tile.
   *
   * @throws TileMaker.TooLargeException if it has too many nodes
   * @throws IOException if the answer cannot be read
   */
  Tile tile(TileAddress address) throws IOException {
    if (tooLarge.isPresent()) {
      throw new TileMaker.TooLargeException(tooLarge.get());
    }
    Map<String, TimelineBins> bins = new HashMap<>();
    try {
      for (Map.Entry<String, byte[]> log : logs.entrySet()) {
        bins.put(log.getKey(), TimelinePart.decode(log.getValue()));
      }
    } catch (CorruptBlockException e) {
      throw new IOException("a tile cannot be read: " + e.getMessage(), e);
    }
    return new Tile(
        address,
        bins,
        missing,
        finestLevel,
        finestNodeLevel,
        gaps,
        ahead.stream().map(Ahead.class::cast).toList(),
        blocksRead);
  }
}
