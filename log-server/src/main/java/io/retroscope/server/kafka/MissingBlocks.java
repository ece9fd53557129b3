package io.retroscope.server.kafka;

import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.server.live.Inflow;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Incarnation;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.StoreException;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.Frame;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares lost what the topic does not hold, so that live queries do not wait for it for ever.
 * Used by one thread.
 */
/*
 * A sink sends a block only when all before are in the topic, or declared lost. So what is missing
 * before a block that was read was never there, or was removed before this server came to read it:
 * by retention, with the topic, or by an offset to start from. Attempts that overtake each other,
 * and a partition more, can make the order differ for a moment; hence the patience, which counts
 * only while the topic is read to its end. Of how many events it was, the sequence numbers tell.
 */
final class MissingBlocks {
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger logger = LoggerFactory.getLogger(MissingBlocks.class);

  private final EventStore store;
  private final IngestState state;
  private final Map<Incarnation.Name, Gap> gaps = new HashMap<>();

  /** Where the blocks of a run go on missing, and since when. */
  private record Gap(long firstMissing, long sinceNanos) {}

  MissingBlocks(EventStore store, IngestState state) {
    this.store = store;
    this.state = state;
  }

  /** Called every so often. */
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
          .append(new Submission.Frames(List.of(new Frame(lost, EventBlockCodec.encode(lost)))))
          .join();
      gaps.remove(run.name());
      logger.warn(
          "blocks {} to {} of node {}, incarnation {}, are not in the topic: they are taken for"
              + " lost, so that live queries go on",
          lost.firstNumber(),
          lost.lastNumber(),
          lost.node(),
          lost.incarnation());
    } catch (CompletionException | StoreException | StoreBusyException e) {
      // It is declared at one of the next checks, once the store takes events again.
      logger.debug("not declared lost yet", e);
    }
  }
}
