// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.merge.BlockSet;
import io.retroscope.blocks.merge.BlocksMovedException;
import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.zone.SliceBorders;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A partition wherever it can be read: if a server fails or loses the partition, reading continues
 * at another one after the last whole piece. Thread-safe, except for each single scan.
 *
 * <p>The other server may have events that arrived since. They are as complete as the events of a
 * query that begins later, with all that was acknowledged before this one began.
 */
final class ResumingPart implements PartView {
  /** The number of successive failures without any progress after which reading ends. */
  private static final int MAX_FAILURES = 8;

  private final int partition;
  private final Opener opener;
  private final Facts facts;
  private PartView part;
  private int turn;
  private int failures;
  private long lastStart = Long.MIN_VALUE;

  /** Opens a partition somewhere. */
  interface Opener {
    /**
     * Opens a partition at any server that has it as far as needed.
     *
     * @param turn how often it was opened before, so that another server than before is tried first
     * @throws PartitionException if there is none within the time for it
     */
    PartView open(int partition, int turn);
  }

  ResumingPart(int partition, Opener opener) {
    this.partition = partition;
    this.opener = opener;
    this.part = opener.open(partition, turn++);
    this.facts = part.facts();
  }

  private ResumingPart(ResumingPart first, PartView part, int turn) {
    this.partition = first.partition;
    this.opener = first.opener;
    this.facts = first.facts;
    this.part = part;
    this.turn = turn;
  }

  @Override
  public PartView another() {
    return new ResumingPart(this, retried(PartView::another, HlcRange.ALL), turn());
  }

  private synchronized int turn() {
    return turn;
  }

  @Override
  public List<SliceBorders.Start> sealed(Set<String> logs, HlcRange range) {
    return retried(open -> open.sealed(logs, range), range);
  }

  @Override
  public Facts facts() {
    return facts;
  }

  @Override
  public Doubts doubts(HlcRange range) {
    return retried(open -> open.doubts(range), HlcRange.ALL);
  }

  @Override
  public List<Presence> presences() {
    return retried(PartView::presences, HlcRange.ALL);
  }

  @Override
  public boolean mayWrite(String node, Set<String> logs) {
    return retried(open -> open.mayWrite(node, logs), HlcRange.ALL);
  }

  @Override
  public BlockCount blockCount() {
    return retried(PartView::blockCount, HlcRange.ALL);
  }

  @Override
  public Tile tile(TileRequest wanted) {
    return retried(open -> open.tile(wanted), wanted.address().range());
  }

  private <T> T retried(Function<PartView, T> access, HlcRange range) {
    while (true) {
      PartView open = part();
      try {
        T result = access.apply(open);
        progressed();
        return result;
      } catch (PartitionException e) {
        throw e;
      } catch (StoreException e) {
        reopen(open, range, e);
      }
    }
  }

  private synchronized PartView part() {
    return part;
  }

  private synchronized void progressed() {
    failures = 0;
  }

  /** Opens the partition again, unless that has been done after the failure of another scan. */
  private synchronized void reopen(PartView failed, HlcRange range, Exception failure) {
    if (failed != part) {
      return;
    }
    failures++;
    part.close();
    if (failures > MAX_FAILURES) {
      throw missing(range, String.valueOf(failure.getMessage()), failure);
    }
    try {
      part = opener.open(partition, turn++);
    } catch (PartitionException e) {
      throw missing(range, String.valueOf(e.getMessage()), e);
    }
    checkNothingIsRemoved(range, failure);
  }

  /** What retention has removed since, an answer would be without and not say so. */
  private void checkNothingIsRemoved(HlcRange range, Exception failure) {
    long removed = part.facts().removedHlc();
    if (removed > facts.removedHlc() && range.from() <= removed) {
      throw missing(
          range,
          "retention has removed events up to %s meanwhile; query again".formatted(stamp(removed)),
          failure);
    }
  }

  private PartitionException missing(HlcRange range, String reason, Exception cause) {
    return new PartitionException(
        "partition %d cannot be read from %s to %s, so that nothing is said about that range: %s"
            .formatted(partition, stamp(range.from()), stamp(range.to()), reason),
        cause);
  }

  private static String stamp(long hlc) {
    return hlc <= HlcRange.ALL.from()
        ? "the beginning"
        : hlc >= HlcRange.ALL.to() ? "the end" : io.retroscope.clock.HlcTimestamp.text(hlc);
  }

  @Override
  public PieceFeed scan(Scan scan) {
    return new Feed(scan);
  }

  /** Empty if it is not stored here now; the set ends if it moves. */
  @Override
  public Optional<BlockSet> blocks(Interest interest, HlcRange range) {
    noteStart(range.from());
    PartView open = part();
    try {
      return open.blocks(interest, range)
          .map(set -> GuardedBlocks.of(set, new OrElsewhere(open, range.to())));
    } catch (PartitionException e) {
      throw e;
    } catch (StoreException e) {
      reopen(open, range, e);
      return blocks(interest, range);
    }
  }

  /** A scan that begins later than the last one has made progress. */
  private synchronized void noteStart(long hlc) {
    if (hlc > lastStart) {
      failures = 0;
    }
    lastStart = hlc;
  }

  /** Reading of stored blocks, after whose failure the partition is opened elsewhere. */
  private final class OrElsewhere implements GuardedBlocks.Guard {
    private final PartView open;
    private final long last;

    OrElsewhere(PartView open, long last) {
      this.open = open;
      this.last = last;
    }

    @Override
    public <T extends @Nullable Object> T read(long firstHlc, Supplier<T> access) {
      try {
        return access.get();
      } catch (PartitionException e) {
        throw e;
      } catch (StoreException e) {
        reopen(open, new HlcRange(firstHlc, last), e);
        throw new BlocksMovedException(e);
      }
    }
  }

  /** The pieces of a scan, from whatever server. */
  private final class Feed implements PieceFeed {
    private Scan rest;
    private PartView from = part();
    private volatile @Nullable PieceFeed feed;
    private volatile boolean isClosed;
    private int number;

    Feed(Scan scan) {
      this.rest = scan;
    }

    @Override
    public @Nullable Piece next() {
      while (rest.range().from() <= rest.range().to()) {
        try {
          Piece piece = open().next();
          progressed();
          if (piece == null) {
            return null;
          }
          rest = rest.after(piece.lastHlc());
          return piece.numbered(++number);
        } catch (PartitionException e) {
          throw e;
        } catch (IOException | StoreException e) {
          closePresent();
          checkOpen();
          reopen(from, rest.range(), e);
        }
      }
      return null;
    }

    private PieceFeed open() {
      PieceFeed open = feed;
      if (open == null) {
        from = part();
        open = from.scan(rest);
        feed = open;
        checkOpen();
      }
      return open;
    }

    /** Another thread may have closed this while it looked for a server. */
    private void checkOpen() {
      if (isClosed) {
        closePresent();
        throw new StoreException("the reading of partition " + partition + " was ended");
      }
    }

    private void closePresent() {
      PieceFeed present = feed;
      feed = null;
      if (present != null) {
        present.close();
      }
    }

    @Override
    public void close() {
      isClosed = true;
      closePresent();
    }
  }

  @Override
  public synchronized void close() {
    part.close();
  }
}
