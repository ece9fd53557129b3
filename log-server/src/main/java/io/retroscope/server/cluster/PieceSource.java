// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The remaining pieces of a feed for a merge: its block is the first one of the next piece, and the
 * others follow. Used by one thread.
 */
final class PieceSource implements BlockSource {
  private final PieceFeed feed;
  private final long firstHlc;
  private boolean isTaken;
  private boolean isFollowed;
  private @Nullable Piece piece;

  /**
   * The rest of a feed.
   *
   * @param firstHlc packed; no event of it is below
   */
  PieceSource(PieceFeed feed, long firstHlc) {
    this.feed = feed;
    this.firstHlc = firstHlc;
  }

  @Override
  public long firstHlc() {
    return firstHlc;
  }

  @Override
  public long lastHlc() {
    return HlcTimestamp.MAX_PACKED;
  }

  @Override
  public @Nullable EventBlock read() {
    if (!isTaken) {
      try {
        piece = feed.next();
      } catch (IOException e) {
        throw new StoreException("a partition could not be read to its end: " + e.getMessage(), e);
      }
      isTaken = true;
    }
    return piece == null ? null : piece.blocks().get(0);
  }

  @Override
  public List<BlockSource> following() {
    if (isFollowed || piece == null) {
      return List.of();
    }
    isFollowed = true;
    List<BlockSource> others = new ArrayList<>();
    piece.blocks().stream().skip(1).map(BlockSource::of).forEach(others::add);
    if (piece.lastHlc() < HlcTimestamp.MAX_PACKED) {
      others.add(new PieceSource(feed, piece.lastHlc() + 1));
    }
    return others;
  }
}
