// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.server.store.Submission.NumberedEvent;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.BlockZone.NodeZone;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One change by which events leave quarantine. Events that contradict stored ones stay in
 * quarantine. Used by the writing thread.
 */
final class QuarantineExit {
  private static final Comparator<Event> BY_STAMP = Comparator.comparingLong(Event::hlc);

  private final StoreState state;
  private final Changes changes;
  private final Consumer<Event> stored;

  /**
   * An exit that has not begun.
   *
   * @param stored receives each event that becomes visible
   */
  QuarantineExit(StoreState state, Changes changes, Consumer<Event> stored) {
    this.state = state;
    this.changes = changes;
    this.stored = stored;
  }

  /**
   * Removes the selected events from quarantine.
   *
   * @return the stored or deleted events as accepted, those that were stored already as duplicates,
   *     and contradicting ones as quarantined
   */
  Receipt apply(Submission.Quarantined submission) {
    Receipt receipt = Receipt.NOTHING;
    for (long id : submission.blocks()) {
      receipt = receipt.plus(apply(id, submission));
    }
    return receipt;
  }

  private Receipt apply(long id, Submission.Quarantined submission) {
    EventBlock block = state.quarantinedBlock(id);
    List<NumberedEvent> chosen = new ArrayList<>();
    List<Event> left = new ArrayList<>();
    for (Event event : block.events()) {
      if (submission.selection().has(event)) {
        chosen.add(new NumberedEvent(NumberedEvent.NO_NUMBER, event));
      } else {
        left.add(event);
      }
    }
    Receipt receipt = submission.keep() ? release(chosen, left) : purge(block, chosen);
    if (left.size() < block.size()) {
      changes.leaveQuarantine(id);
      left.sort(BY_STAMP);
      MadeBlock.of(left, rest -> rest.quarantine(state, changes, block.heartbeat()));
    }
    return receipt;
  }

  /** Events that were recorded, and are deleted, are lost. */
  private Receipt purge(EventBlock block, List<NumberedEvent> chosen) {
    Map<String, Long> counts = new TreeMap<>();
    chosen.forEach(line -> counts.merge(line.event().node(), 1L, Long::sum));
    List<Gap> gaps = new ArrayList<>();
    try (StoreView view = new StoreView(state, ClockOffsets.UNKNOWN, Map::of)) {
      for (NodeZone part : BlockZone.of(0, block).nodes()) {
        long count = counts.getOrDefault(part.node(), 0L);
        if (count > 0) {
          gaps.add(new Gap(part.node(), view.arrival(part, block.heartbeat()), count));
        }
      }
    }
    new ReportedLosses(
            Stream.concat(state.appliedLost().stream(), changes.lost().stream()).toList())
        .add(gaps, changes);
    return new Receipt(chosen.size(), 0, 0);
  }

  private Receipt release(List<NumberedEvent> chosen, List<Event> left) {
    KnownBlocks known = new KnownBlocks(state, changes, Long.MAX_VALUE);
    Deduplicator.Outcome outcome = new Deduplicator(known).sort(chosen);
    List<Event> fresh = outcome.fresh();
    fresh.sort(BY_STAMP);
    MadeBlock.of(fresh, block -> block.store(state, changes));
    fresh.forEach(stored);
    left.addAll(outcome.contradicting());
    return new Receipt(fresh.size(), outcome.duplicateCount(), outcome.contradicting().size());
  }
}
