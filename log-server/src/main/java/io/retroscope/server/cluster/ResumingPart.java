// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Presence;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A partition wherever it can be read: if a server fails or loses the partition, reading continues
 * at another one after the last whole piece. Used by one thread.
 *
 * <p>The other server may have events that arrived since. They are as complete as the events of a
 * query that begins later: what was acknowledged before this one began is there.
 */
final class ResumingPart implements PartView {
  /** The number of successive failures without any progress after which reading ends. */
  private static final int MAX_FAILURES = 8;

  private final int partition;
  private final Opener opener;
  private final Facts facts;
  private PartView part;
  private int failures;

  /** Opens a partition somewhere. */
  interface Opener {
    /**
     * Opens a partition at any server that has it as far as needed.
     *
     * @throws PartitionException if there is none within the time for it
     */
    PartView open(int partition);
  }

  ResumingPart(int partition, Opener opener) {
    this.partition = partition;
    this.opener = opener;
    this.part = opener.open(partition);
    this.facts = part.facts();
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

  private <T> T retried(Function<PartView, T> access, HlcRange range) {
    while (true) {
      try {
        T result = access.apply(part);
        failures = 0;
        return result;
      } catch (PartitionException e) {
        throw e;
      } catch (StoreException e) {
        reopen(range, e);
      }
    }
  }

  private void reopen(HlcRange range, Exception failure) {
    failures++;
    part.close();
    if (failures > MAX_FAILURES) {
      throw missing(range, String.valueOf(failure.getMessage()), failure);
    }
    try {
      part = opener.open(partition);
    } catch (PartitionException e) {
      throw missing(range, String.valueOf(e.getMessage()), e);
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

  /** The pieces of a scan, from whatever server. */
  private final class Feed implements PieceFeed {
    private Scan rest;
    private @Nullable PieceFeed feed;
    private int number;

    Feed(Scan scan) {
      this.rest = scan;
    }

    @Override
    public @Nullable Piece next() {
      while (rest.range().from() <= rest.range().to()) {
        try {
          PieceFeed open = feed == null ? part.scan(rest) : feed;
          feed = open;
          Piece piece = open.next();
          failures = 0;
          if (piece == null) {
            return null;
          }
          rest = rest.after(piece.lastHlc());
          return new Piece(++number, piece.blocks());
        } catch (PartitionException e) {
          throw e;
        } catch (IOException | StoreException e) {
          close();
          reopen(rest.range(), e);
        }
      }
      return null;
    }

    @Override
    public void close() {
      if (feed != null) {
        feed.close();
        feed = null;
      }
    }
  }

  @Override
  public void close() {
    part.close();
  }
}
