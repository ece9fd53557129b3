// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.BlockReads;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A store whose scanned events are counted. A plain scan reads everything in the range, from the
 * first stored event on, as simple sources do.
 */
final class ScannedSource implements EventSource {
  private final EventStore store;
  private final boolean plainly;
  private final List<ArrivalWindow> scans = new ArrayList<>();

  ScannedSource(EventStore store, boolean plainly) {
    this.store = store;
    this.plainly = plainly;
  }

  long eventCount() {
    return scans.stream().mapToLong(ArrivalWindow::rowCount).sum();
  }

  @Override
  public View open() {
    return new ScannedView(store.open(ClockOffsets.UNKNOWN));
  }

  private final class ScannedView implements View {
    private final View stored;

    ScannedView(View stored) {
      this.stored = stored;
    }

    @Override
    public Iterator<Event> scan(Set<String> logs, HlcRange range) {
      return stored.scan(logs, range);
    }

    @Override
    public ArrivalWindow scan(Interest interest, HlcRange range) {
      return counted(stored.scan(plainly ? new WholeLogs(interest) : interest, range));
    }

    @Override
    public ArrivalWindow stateBefore(Interest interest, long hlc) {
      return plainly
          ? View.super.stateBefore(interest, hlc)
          : counted(stored.stateBefore(interest, hlc));
    }

    private ArrivalWindow counted(ArrivalWindow scan) {
      scans.add(scan);
      return scan;
    }

    @Override
    public List<LogDescription> logs() {
      return stored.logs();
    }

    @Override
    public List<NodeDescription> nodes() {
      return stored.nodes();
    }

    @Override
    public Optional<HlcRange> extent() {
      return stored.extent();
    }

    @Override
    public Iterator<Sighting> sightings(HlcRange range) {
      return stored.sightings(range);
    }

    @Override
    public List<Gap> gaps(HlcRange range) {
      return stored.gaps(range);
    }

    @Override
    public Optional<BlockReads> blockReads() {
      return stored.blockReads();
    }

    @Override
    public ClockOffsets clockOffsets() {
      return stored.clockOffsets();
    }

    @Override
    public void close() {
      stored.close();
    }
  }
}
