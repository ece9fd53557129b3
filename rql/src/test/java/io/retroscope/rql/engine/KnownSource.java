// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.NodeFrontier;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The events of another source, of which it is known as on a server what has not come. */
record KnownSource(EventSource events, Incompleteness reason) implements EventSource {
  @Override
  public View open() {
    return new KnownView(events.open(), reason);
  }

  private record KnownView(View of, Incompleteness reason) implements View {
    @Override
    public List<NodeFrontier> frontiers() {
      if (reason instanceof Incompleteness.Silent silent) {
        return List.of(new NodeFrontier(silent.node(), silent.sinceHlc(), 900_000, 0));
      }
      return reason instanceof Incompleteness.MissingBlocks missing
          ? List.of(
              new NodeFrontier(missing.node(), missing.fromHlc(), 900_000, missing.blockCount()))
          : List.of();
    }

    @Override
    public List<Overlap> overlaps(HlcRange range) {
      return reason instanceof Incompleteness.Overlapping overlapping
          ? List.of(overlapping.overlap())
          : List.of();
    }

    @Override
    public List<LogDescription> logs() {
      return of.logs();
    }

    @Override
    public List<NodeDescription> nodes() {
      return of.nodes();
    }

    @Override
    public Optional<HlcRange> extent() {
      return of.extent();
    }

    @Override
    public Iterator<Event> scan(Set<String> logs, HlcRange range) {
      return of.scan(logs, range);
    }

    @Override
    public ArrivalWindow scan(Interest interest, HlcRange range) {
      return of.scan(interest, range);
    }

    @Override
    public Iterator<Sighting> sightings(HlcRange range) {
      return of.sightings(range);
    }

    @Override
    public ClockOffsets clockOffsets() {
      return of.clockOffsets();
    }

    @Override
    public void close() {
      of.close();
    }
  }
}
