// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.api.TimelineEndpoint.Wanted;
import java.util.Optional;
import java.util.function.Supplier;

/** Makes the tiles of a timeline. Thread-safe. */
interface Tiles {
  /**
   * What a tile is made of now: as long as that is equal, so is the tile. Only called for tiles
   * that were made with a source.
   */
  TileMaker.Source source(TileAddress address, TileMaker.Limits limits);

  /**
   * Makes a tile.
   *
   * @throws TileMaker.TooLargeException if it has too many nodes
   */
  Fresh make(Wanted wanted, TileMaker.Limits limits);

  /**
   * A tile that was made just now.
   *
   * @param source what it was made of; empty if changes of that are not known, so that the tile is
   *     made each time
   */
  record Fresh(Optional<TileMaker.Source> source, Tile tile) {}

  /**
   * Tiles of blocks.
   *
   * @param blocks opens the blocks as they are at that moment
   */
  static Tiles of(Supplier<TimelineBlocks> blocks) {
    return new Tiles() {
      @Override
      public TileMaker.Source source(TileAddress address, TileMaker.Limits limits) {
        try (TimelineBlocks opened = blocks.get()) {
          return new TileMaker(opened, address, limits).source();
        }
      }

      @Override
      public Fresh make(Wanted wanted, TileMaker.Limits limits) {
        try (TimelineBlocks opened = blocks.get()) {
          TileMaker maker = new TileMaker(opened, wanted.address(), limits);
          TileMaker.Source source = maker.source();
          return new Fresh(Optional.of(source), maker.make(wanted.logs(), wanted.variables()));
        }
      }
    };
  }
}
