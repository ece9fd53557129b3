// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.read.SealedBlockReader;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.cluster.PartView.Scan;
import io.retroscope.server.store.MergeableView;
import io.retroscope.server.store.StoredBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of a scan as they are stored: whole blocks wherever few of them overlap, and merged
 * events elsewhere. Used by one thread.
 */
final class StoredPieces {
  /** The largest number of overlapping blocks of a piece: its reader decodes all at once. */
  private static final int MAX_OVERLAPPING = 16;

  /** The largest number of their rows, that of two sealed blocks. */
  private static final long MAX_ROWS = 1 << 17;

  private final MergeableView view;
  private final Scan scan;
  private final HlcRange range;
  private final List<StoredBlock> blocks;
  private final Function<HlcRange, Iterator<Event>> merged;
  private final int size;
  private int at;
  private int number;
  private @Nullable CutPieces cut;

  /**
   * Pieces of blocks.
   *
   * @param scan of events or of blocks
   * @param blocks ordered by their first stamps
   * @param merged the events of a part of the range, merged
   * @param size the number of rows from which on a piece takes no further stamp
   */
  StoredPieces(
      MergeableView view,
      Scan scan,
      List<StoredBlock> blocks,
      Function<HlcRange, Iterator<Event>> merged,
      int size) {
    this.view = view;
    this.scan = scan;
    this.range = scan.range();
    this.blocks = blocks;
    this.merged = merged;
    this.size = size;
  }

  /** Returns the next piece; null after the last one. */
  @Nullable Piece next() {
    Piece next = nextMerged();
    while (next == null && at < blocks.size()) {
      int end = wholeEnd();
      if (end > at) {
        next = whole(end);
        at = end;
      } else {
        end = mergedEnd();
        cut = new CutPieces(merged.apply(inRange(between(at, end))), size);
        at = end;
        next = nextMerged();
      }
    }
    return next == null ? null : next.numbered(++number);
  }

  private @Nullable Piece nextMerged() {
    Piece next = cut == null ? null : cut.next();
    cut = next == null ? null : cut;
    return next;
  }

  /** The end of the next blocks that are sent whole; where they begin if there are none. */
  private int wholeEnd() {
    int end = at;
    long rows = 0;
    while (end < blocks.size() && rows < size) {
      int next = overlappingEnd(end);
      if (!isWhole(end, next)) {
        return end;
      }
      rows += rows(end, next);
      end = next;
    }
    return end;
  }

  /** The end of the next blocks that are not sent whole. */
  private int mergedEnd() {
    int end = overlappingEnd(at);
    while (end < blocks.size() && !isWhole(end, overlappingEnd(end))) {
      end = overlappingEnd(end);
    }
    return end;
  }

  /** The end of the blocks from one on, of which each overlaps others before it. */
  private int overlappingEnd(int start) {
    int end = start + 1;
    long last = blocks.get(start).lastHlc();
    while (end < blocks.size() && blocks.get(end).firstHlc() <= last) {
      last = Math.max(last, blocks.get(end).lastHlc());
      end++;
    }
    return end;
  }

  private boolean isWhole(int from, int to) {
    HlcRange between = between(from, to);
    boolean fits =
        scan.mayReachBeyond() || (range.contains(between.from()) && range.contains(between.to()));
    boolean isSmall = to - from == 1 || rows(from, to) <= MAX_ROWS;
    return fits && isSmall && to - from <= MAX_OVERLAPPING;
  }

  private long rows(int from, int to) {
    return blocks.subList(from, to).stream().mapToLong(StoredBlock::rowCount).sum();
  }

  private HlcRange inRange(HlcRange wide) {
    return new HlcRange(Math.max(range.from(), wide.from()), Math.min(range.to(), wide.to()));
  }

  /** The stamps of some blocks. */
  private HlcRange between(int from, int to) {
    long last =
        blocks.subList(from, to).stream().mapToLong(StoredBlock::lastHlc).max().orElseThrow();
    return new HlcRange(blocks.get(from).firstHlc(), last);
  }

  /** Whole blocks; null if all have been removed meanwhile. */
  private @Nullable Piece whole(int end) {
    List<PieceBlock> read = new ArrayList<>();
    blocks.subList(at, end).stream()
        .sorted(Comparator.comparingLong(StoredBlock::arrival))
        .forEach(block -> block.bytes().map(bytes -> of(block, bytes)).ifPresent(read::add));
    HlcRange between = inRange(between(at, end));
    return read.isEmpty() ? null : new Piece(1, between.from(), between.to(), read);
  }

  private PieceBlock of(StoredBlock block, byte[] bytes) {
    return block.isSealed()
        ? new PieceBlock.Sealed(used(bytes), view.names())
        : new PieceBlock.Frame(bytes);
  }

  /** A sealed block without what the scan does not use. */
  private byte[] used(byte[] bytes) {
    try {
      SealedBlock block = SealedBlockReader.open(bytes, view.names());
      return block.bytes(variable -> scan.selection().follows(block.log(), variable));
    } catch (CorruptBlockException e) {
      return bytes; // Its reader finds the damage, and continues at another copy.
    }
  }
}
