// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSet;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.BlockReads;
import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Slicing;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.MergeableView;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.zone.SliceBorders;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A partition whose store is in this process. Each scan may be read by another thread. Once the
 * store is found to be damaged nothing is read from it: another copy has the missing events.
 */
final class StoredPart implements PartView {
  private final OpenViews views;
  private final View view;
  private final int pieceEvents;
  private final Supplier<Optional<String>> damage;
  private final Optional<PartitionEvidence> evidence;
  private final TileTurns tiles;
  private volatile long offset = Facts.NO_OFFSET;

  /** Guarded by this object, as is each use of the view: its blocks may be removed afterwards. */
  private boolean isClosed;

  /**
   * A part of a store.
   *
   * @param views the open views of the store
   * @param opening opens the view that this part reads
   * @param damage of the store, as far as it is known
   * @param evidence about clocks; empty for none
   * @param tiles the turns of the tiles that are made here
   */
  StoredPart(
      OpenViews views,
      Supplier<View> opening,
      Supplier<Optional<String>> damage,
      Optional<PartitionEvidence> evidence,
      TileTurns tiles) {
    this(views, views.open(opening), damage, evidence, tiles, CutPieces.EVENTS);
  }

  /** A part whose pieces have about {@code pieceEvents} events. */
  StoredPart(
      OpenViews views,
      Supplier<View> opening,
      Supplier<Optional<String>> damage,
      Optional<PartitionEvidence> evidence,
      int pieceEvents) {
    this(
        views,
        views.open(opening),
        damage,
        evidence,
        new TileTurns(MemoryBudget.ofProcess()),
        pieceEvents);
  }

  private StoredPart(
      OpenViews views,
      View view,
      Supplier<Optional<String>> damage,
      Optional<PartitionEvidence> evidence,
      TileTurns tiles,
      int pieceEvents) {
    this.views = views;
    this.damage = damage;
    this.evidence = evidence;
    this.tiles = tiles;
    this.view = view;
    this.pieceEvents = pieceEvents;
  }

  /** Notes the offset before which exactly all records are contained. */
  void isAt(long end) {
    offset = end;
  }

  @Override
  public synchronized Facts facts() {
    EvidenceMark mark = mark();
    return views.read(
        () -> {
          Optional<MergeableView> stored =
              view instanceof MergeableView mergeable ? Optional.of(mergeable) : Optional.empty();
          return new Facts(
              view.logs(),
              view.nodes(),
              view.arrivals(),
              view.extent(),
              view.frontiers(),
              stored.map(MergeableView::overlappingRuns).orElse(List.of()),
              mark,
              stored.map(MergeableView::removedHlc).orElse(Long.MIN_VALUE),
              stored.map(MergeableView::quarantinedCount).orElse(0L),
              stored.map(MergeableView::lostEventCount).orElse(0L),
              offset);
        });
  }

  private EvidenceMark mark() {
    return evidence.map(PartitionEvidence::mark).orElse(EvidenceMark.NONE);
  }

  @Override
  public Doubts doubts(HlcRange range) {
    EvidenceMark mark = mark();
    return open(
        () ->
            new Doubts(
                view.gaps(range), view.reasons(range), view.overlaps(range), mark.sampledHlc()));
  }

  @Override
  public List<Presence> presences() {
    return open(() -> view.presences().stream().<Presence>map(ListedPresence::of).toList());
  }

  @Override
  public boolean mayWrite(String node, Set<String> logs) {
    return open(() -> view.mayWrite(node, logs));
  }

  @Override
  public Tile tile(TileRequest wanted) {
    if (!(view instanceof TimelineBlocks blocks)) {
      throw new IllegalStateException("a view without the blocks of timelines");
    }
    return open(() -> tiles.make(blocks, wanted));
  }

  @Override
  public BlockCount blockCount() {
    return open(() -> view.blockReads().map(BlockReads::count).orElse(new BlockCount(0, 0)));
  }

  @Override
  public PieceFeed scan(Scan scan) {
    View own = anotherView();
    Supplier<@Nullable Piece> pieces;
    try {
      pieces = whole(() -> pieces(own, scan));
    } catch (RuntimeException e) {
      views.close(own);
      throw e;
    }
    return new PieceFeed() {
      private boolean isEnded;

      @Override
      public synchronized @Nullable Piece next() {
        if (isEnded) {
          throw new StoreException("the reading of the partition was ended");
        }
        return whole(pieces);
      }

      /** Waits for the piece that is being read: it uses the view. */
      @Override
      public synchronized void close() {
        isEnded = true;
        views.close(own);
      }
    };
  }

  @Override
  public Optional<BlockSet> blocks(Interest interest, HlcRange range) {
    return view instanceof MergeableView mergeable
        ? Optional.of(
            GuardedBlocks.of(open(() -> mergeable.blocks(interest, range)), this::openFrom))
        : Optional.empty();
  }

  private <T extends @Nullable Object> T openFrom(long unused, Supplier<T> access) {
    return open(access);
  }

  /** Reads from the view. */
  private synchronized <T extends @Nullable Object> T open(Supplier<T> access) {
    checkOpen();
    return whole(access);
  }

  private void checkOpen() {
    if (isClosed) {
      throw new StoreException("the view of the partition is closed");
    }
  }

  /** Drops the result of a read from a damaged store. */
  private <T extends @Nullable Object> T whole(Supplier<T> access) {
    return views.read(
        () -> {
          T read = access.get();
          OpenViews.check(damage.get());
          return read;
        });
  }

  @Override
  public StoredPart another() {
    return new StoredPart(views, anotherView(), damage, evidence, tiles, pieceEvents);
  }

  private synchronized View anotherView() {
    checkOpen();
    Slicing slicing =
        view.slicing().orElseThrow(() -> new IllegalStateException("a view for one thread"));
    return views.open(slicing::another);
  }

  @Override
  public List<SliceBorders.Start> sealed(Set<String> logs, HlcRange range) {
    return view instanceof MergeableView mergeable
        ? open(() -> mergeable.sealed(logs, range))
        : List.of();
  }

  private Supplier<@Nullable Piece> pieces(View own, Scan scan) {
    boolean isOfBlocks = scan.kind() == Scan.Kind.EVENTS || scan.kind() == Scan.Kind.BLOCKS;
    if (!isOfBlocks || !(own instanceof MergeableView mergeable)) {
      return new CutPieces(events(own, scan), pieceEvents)::next;
    }
    return new StoredPieces(
            mergeable,
            scan,
            mergeable.stored(scan.selection(), scan.range()),
            part -> withRuns(own.scan(scan.selection(), part)),
            pieceEvents)
        ::next;
  }

  private Iterator<Event> events(View own, Scan scan) {
    Interest wanted = scan.selection();
    return switch (scan.kind()) {
      case EVENTS, BLOCKS -> withRuns(own.scan(wanted, scan.range()));
      case RUNS -> own.scanRuns(wanted.logs(), scan.range());
      case STATE -> withRuns(own.stateBefore(wanted, scan.range().to() + 1));
      case CLOCKS ->
          evidence.map(PartitionEvidence::events).orElse(List.of()).stream()
              .filter(event -> scan.range().contains(event.hlc()))
              .iterator();
    };
  }

  /** Events of blocks that a node sent do not name their run. */
  private static Iterator<Event> withRuns(ArrivalWindow window) {
    return window.events(
        (event, block) -> event.incarnation().isEmpty() ? event.of(block.incarnation()) : event);
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    views.close(view);
  }
}
