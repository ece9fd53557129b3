// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.BlockReads;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.LogWrites;
import io.retroscope.rql.cut.NodeFrontier;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Slicing;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A view that is opened when it is first used, so that a statement without events reads none. Used
 * by one thread.
 */
final class LazyView implements View {
  private final Supplier<View> opening;
  private @Nullable View opened;

  LazyView(Supplier<View> opening) {
    this.opening = opening;
  }

  private View view() {
    View known = opened;
    if (known == null) {
      known = opening.get();
      opened = known;
    }
    return known;
  }

  @Override
  public List<LogDescription> logs() {
    return view().logs();
  }

  @Override
  public boolean mayHold(String log) {
    return view().mayHold(log);
  }

  @Override
  public List<NodeDescription> nodes() {
    return view().nodes();
  }

  @Override
  public List<Sighting> arrivals() {
    return view().arrivals();
  }

  @Override
  public Map<String, Long> heldMicros() {
    return view().heldMicros();
  }

  @Override
  public Optional<HlcRange> extent() {
    return view().extent();
  }

  @Override
  public Optional<HlcRange> history() {
    return view().history();
  }

  @Override
  public Iterator<Event> scan(Set<String> logs, HlcRange range) {
    return view().scan(logs, range);
  }

  @Override
  public ArrivalWindow scan(Interest interest, HlcRange range) {
    return view().scan(interest, range);
  }

  @Override
  public Iterator<Event> scanRuns(Set<String> logs, HlcRange range) {
    return view().scanRuns(logs, range);
  }

  @Override
  public ArrivalWindow stateBefore(Interest interest, long hlc) {
    return view().stateBefore(interest, hlc);
  }

  @Override
  public Optional<Slicing> slicing() {
    return view().slicing();
  }

  @Override
  public Iterator<Sighting> sightings(HlcRange range) {
    return view().sightings(range);
  }

  @Override
  public Collection<Presence> presences() {
    return view().presences();
  }

  @Override
  public List<Gap> gaps(HlcRange range) {
    return view().gaps(range);
  }

  @Override
  public List<Incompleteness> reasons(HlcRange range) {
    return view().reasons(range);
  }

  @Override
  public List<NodeFrontier> frontiers() {
    return view().frontiers();
  }

  @Override
  public boolean mayWrite(String node, Set<String> logs) {
    return view().mayWrite(node, logs);
  }

  @Override
  public List<Overlap> overlaps(HlcRange range) {
    return view().overlaps(range);
  }

  @Override
  public Optional<BlockReads> blockReads() {
    return view().blockReads();
  }

  @Override
  public LogWrites writes(String log, BooleanSupplier cancelled) {
    return view().writes(log, cancelled);
  }

  @Override
  public ClockOffsets clockOffsets() {
    return new LazyOffsets(() -> view().clockOffsets());
  }

  @Override
  public void close() {
    if (opened != null) {
      opened.close();
    }
  }
}
