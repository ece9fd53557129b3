// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.Presence;
import io.retroscope.server.store.OrderedRuns;
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

  /**
   * A part of a store.
   *
   * @param views the open views of the store
   * @param opening opens the view that this part reads
   * @param damage of the store, as far as it is known
   */
  StoredPart(OpenViews views, Supplier<View> opening, Supplier<Optional<String>> damage) {
    this(views, opening, damage, CutPieces.EVENTS);
  }

  /** A part whose pieces have about {@code pieceEvents} events. */
  StoredPart(
      OpenViews views, Supplier<View> opening, Supplier<Optional<String>> damage, int pieceEvents) {
    this.views = views;
    this.damage = damage;
    this.view = views.open(opening);
    this.pieceEvents = pieceEvents;
  }

  @Override
  public Facts facts() {
    return views.read(
        () -> {
          List<Run> overlapping =
              view instanceof OrderedRuns ordered ? ordered.overlappingRuns() : List.of();
          return new Facts(
              view.logs(),
              view.nodes(),
              view.arrivals(),
              view.extent(),
              view.frontiers(),
              overlapping);
        });
  }

  @Override
  public Doubts doubts(HlcRange range) {
    return whole(() -> new Doubts(view.gaps(range), view.reasons(range), view.overlaps(range)));
  }

  @Override
  public List<Presence> presences() {
    return whole(() -> view.presences().stream().<Presence>map(ListedPresence::of).toList());
  }

  @Override
  public boolean mayWrite(String node, Set<String> logs) {
    return whole(() -> view.mayWrite(node, logs));
  }

  @Override
  public PieceFeed scan(Scan scan) {
    View own = views.open(this::another);
    CutPieces pieces;
    try {
      pieces = whole(() -> new CutPieces(events(own, scan), pieceEvents));
    } catch (RuntimeException e) {
      views.close(own);
      throw e;
    }
    return new PieceFeed() {
      @Override
      public @Nullable Piece next() {
        return whole(pieces::next);
      }

      @Override
      public void close() {
        views.close(own);
      }
    };
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

  private View another() {
    return view.slicing()
        .orElseThrow(() -> new IllegalStateException("a view for one thread"))
        .another();
  }

  private static Iterator<Event> events(View own, Scan scan) {
    Interest all = Interest.inAll(scan.logs());
    return switch (scan.kind()) {
      case EVENTS -> withRuns(own.scan(all, scan.range()));
      case RUNS -> own.scanRuns(scan.logs(), scan.range());
      case STATE -> withRuns(own.stateBefore(all, scan.range().to() + 1));
    };
  }

  /** Events of blocks that a node sent do not name their run. */
  private static Iterator<Event> withRuns(ArrivalWindow window) {
    return window.events(
        (event, block) -> event.incarnation().isEmpty() ? event.of(block.incarnation()) : event);
  }

  @Override
  public void close() {
    views.close(view);
  }
}
