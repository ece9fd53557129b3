// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import io.retroscope.event.LostBlocks;
import io.retroscope.server.store.disk.HistoryStart;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.StoreSchema.LostRange;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.StoreConflictException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The removal of nodes that will not return: closes their runs and eventually removes what remains
 * of them. Used by the writing thread, except for {@link #refusedCount}.
 */
final class Forgetting {
  private final StoreState state;
  private final AtomicLong refused = new AtomicLong();

  Forgetting(StoreState state) {
    this.state = state;
  }

  /** Closes the runs of a node; if the last run has not stopped, a stop event is added to it. */
  void forget(Submission.Forget forget, Changes changes) {
    String node = forget.node();
    List<Incarnation> open =
        state.appliedRuns().of(node).stream().filter(run -> !run.isForgotten()).toList();
    Optional<Incarnation> last =
        open.stream().max(Comparator.comparingLong(Incarnation::lastHeardHlc));
    if (last.isEmpty()) {
      return;
    }
    long stop = last.get().lastHeardHlc() + 1;
    if (!last.get().isStopped() && stop > HlcTimestamp.MIN_PACKED + 1) {
      Event event =
          new Event(
              node,
              "",
              stop,
              Event.NO_PHYSICAL,
              Event.NO_SEQUENCE,
              Set.of(EventMark.FORGOTTEN),
              new EventBody.Stop());
      EventBlock block = EventBlock.of(List.of(event));
      changes.addBlock(state.nextBlockId(), block, EventBlockCodec.encode(block));
      changes.incarnation(last.get().name(), state.appliedRuns()).closed(stop);
    }
    for (Incarnation run : open) {
      Incarnation closed = changes.incarnation(run.name(), state.appliedRuns());
      loseMissing(closed, changes);
      closed.forget(forget.micros());
    }
    changes.makeDurable();
  }

  /** Declares the blocks lost that a run has not sent: it is not accepted any more. */
  private static void loseMissing(Incarnation run, Changes changes) {
    while (run.gapCount() > 0) {
      LostBlocks lost = run.missingAsLost();
      run.cover(lost.firstNumber(), lost.lastNumber());
      changes.addLost(lost);
    }
  }

  /**
   * Closes runs whose events retention has removed completely, and removes what remains of others.
   */
  void expire(Submission.Expiry expiry, LifetimeLog lifetimes, Changes changes) {
    long begin = state.historyStart().map(HistoryStart::hlc).orElse(HlcTimestamp.MIN_PACKED);
    for (Incarnation.Name name : expiry.forgotten()) {
      Incarnation run = state.appliedRuns().all().get(name);
      if (run != null && !run.isForgotten() && run.lastHeardHlc() <= begin) {
        changes.incarnation(name, state.appliedRuns()).forget(expiry.micros());
      }
    }
    for (Incarnation.Name name : expiry.gone()) {
      Incarnation run = state.appliedRuns().all().get(name);
      if (run != null && run.isForgotten()) {
        changes.incarnation(name, state.appliedRuns()).leave();
        changes.forgetNumbers(name, Long.MAX_VALUE);
        changes.deleteRange(
            StoreSchema.LOST, new LostRange(name, 0, 0), new LostRange(name, Long.MAX_VALUE, 0));
      }
    }
    // The last range of a node that may return is kept: it holds when the node was last seen.
    for (String node : expiry.nodes()) {
      boolean stays = !state.appliedRuns().isForgotten(node);
      lifetimes.removeThrough(node, begin, stays, changes);
    }
    changes.makeDurable();
  }

  /** Refuses a new block of a closed run. */
  void check(Incarnation run) {
    if (run.isForgotten()) {
      refused.incrementAndGet();
      throw new StoreConflictException(
          "node \"%s\", incarnation \"%s\", was forgotten and is not accepted any more: start the node again"
              .formatted(run.name().node(), run.name().incarnation()));
    }
  }

  /** The number of blocks that were refused since the start because their runs were closed. */
  long refusedCount() {
    return refused.get();
  }
}
