// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.Interest;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The remaining pieces of a feed for a merge: its block is the first one of the next piece, and the
 * others follow. Used by one thread.
 */
final class PieceSource implements BlockSource {
  private final PieceFeed feed;
  private final Interest interest;
  private final long firstHlc;
  private boolean isTaken;
  private boolean isFollowed;
  private @Nullable Piece piece;

  /**
   * The rest of a feed.
   *
   * @param interest what the merge uses
   * @param firstHlc packed; no event of it is below, unless it is below the merge's range
   */
  PieceSource(PieceFeed feed, Interest interest, long firstHlc) {
    this.feed = feed;
    this.interest = interest;
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
    return piece == null ? null : rows(piece.blocks().get(0));
  }

  private @Nullable EventBlock rows(PieceBlock block) {
    try {
      EventBlock rows = block.rows(interest);
      return rows.isEmpty() ? null : rows;
    } catch (CorruptBlockException e) {
      throw new StoreException("a block of a partition is damaged: " + e.getMessage(), e);
    }
  }

  @Override
  public List<BlockSource> following() {
    if (isFollowed || piece == null) {
      return List.of();
    }
    isFollowed = true;
    List<BlockSource> others = new ArrayList<>();
    for (PieceBlock block : piece.blocks().subList(1, piece.blocks().size())) {
      others.add(new Following(piece, () -> rows(block)));
    }
    if (piece.lastHlc() < HlcTimestamp.MAX_PACKED) {
      others.add(new PieceSource(feed, interest, piece.lastHlc() + 1));
    }
    return others;
  }

  /** Another block of the piece, whose events come after those of earlier blocks. */
  private record Following(Piece piece, Supplier<@Nullable EventBlock> rows)
      implements BlockSource {
    @Override
    public long firstHlc() {
      return piece.firstHlc();
    }

    @Override
    public long lastHlc() {
      return piece.lastHlc();
    }

    @Override
    public @Nullable EventBlock read() {
      return rows.get();
    }
  }
}
