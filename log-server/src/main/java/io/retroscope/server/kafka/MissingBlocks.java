// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.server.live.Inflow;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.Incarnation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares blocks lost that the topic does not contain, so that live queries do not wait for them
 * forever. Used by one thread.
 */
/*
 * A sink sends a block only when all earlier blocks are in the topic, or declared lost. So a block
 * that is missing before one that was read was never there, or was removed before this server read
 * it: by retention, with the topic, or by a start offset. Overlapping attempts and a new partition
 * can change the order for a moment; hence the grace period, which counts only while the topic is
 * read to its end. The sequence numbers show how many events are missing.
 */
final class MissingBlocks {
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger logger = LoggerFactory.getLogger(MissingBlocks.class);

  private final EventStore store;
  private final IngestState state;
  private final Map<Incarnation.Name, Gap> gaps = new HashMap<>();

  /** The first missing block of a run, and since when it has been the same. */
  private record Gap(long firstMissing, long sinceNanos) {}

  MissingBlocks(EventStore store, IngestState state) {
    this.store = store;
    this.state = state;
  }

  /** Called periodically. */
  void check(long now) {
    long complete = state.progress.completeAsOfNanos();
    for (Incarnation run : store.incarnations()) {
      if (run.gapCount() == 0) {
        gaps.remove(run.name());
      } else if (state.heard.contains(run.name())) {
        Gap fresh = new Gap(run.firstMissing(), now);
        Gap gap =
            gaps.merge(
                run.name(),
                fresh,
                (old, late) -> old.firstMissing() == late.firstMissing() ? old : late);
        if (complete != Inflow.NEVER && complete - gap.sinceNanos() > PATIENCE_NANOS) {
          declareLost(run);
        }
      }
    }
  }

  private void declareLost(Incarnation run) {
    LostBlocks lost = run.missingAsLost();
    try {
      store
          .append(
              new Submission.Frames(List.of(new EncodedFrame(lost, EventBlockCodec.encode(lost)))))
          .join();
      gaps.remove(run.name());
      logger.warn(
          "blocks {} to {} of node {}, incarnation {}, are not in the topic: treating them as"
              + " lost, so that live queries continue",
          lost.firstNumber(),
          lost.lastNumber(),
          lost.node(),
          lost.incarnation());
    } catch (CompletionException | StoreException | StoreBusyException e) {
      // One of the next checks declares it, once the store accepts events again.
      logger.debug("not declared lost yet", e);
    }
  }
}
