// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventIntake;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.run.Incarnation;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The declaration of blocks as lost for which live queries would wait forever, because they were
 * sent to another server, or stored in another data directory. A sink sends a block only when all
 * earlier blocks have been accepted or declared lost. Used by one thread.
 */
final class StuckRuns {
  private static final Logger logger = LoggerFactory.getLogger(StuckRuns.class);

  private final WatermarkTracker watermarks;
  private final EventIntake intake;
  private final MemoryBudget memory;
  private final Predicate<String> isOwn;

  /** What was declared for runs that wait on: it may take a while until it is stored. */
  private final Set<LostBlocks> declared = ConcurrentHashMap.newKeySet();

  /**
   * Declares what is missing of the present runs.
   *
   * @param isOwn the nodes for which this server declares it
   */
  StuckRuns(
      WatermarkTracker watermarks,
      EventIntake intake,
      MemoryBudget memory,
      Predicate<String> isOwn) {
    this.watermarks = watermarks;
    this.intake = intake;
    this.memory = memory;
    this.isOwn = isOwn;
  }

  void declareLost() {
    try {
      List<LostBlocks> missing =
          watermarks.stuck().stream()
              .filter(run -> isOwn.test(run.name().node()))
              .map(Incarnation::missingAsLost)
              .toList();
      declared.retainAll(missing);
      for (LostBlocks lost : missing) {
        if (!declared.contains(lost)) {
          declareLost(lost);
        }
      }
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  private static void failed(Throwable reason) {
    FatalErrors.check(reason);
    logger.error("missing blocks could not be declared lost", reason);
  }

  /** Does not wait until it is stored, because the watermark advances on this thread. */
  private void declareLost(LostBlocks lost) {
    EncodedFrame frame = new EncodedFrame(lost, EventBlockCodec.encode(lost));
    Charge charge = memory.charge();
    declared.add(lost);
    try {
      CompletableFuture<Receipt> unused =
          intake
              .append(new Submission.Frames(List.of(frame)), charge)
              .whenComplete((receipt, failure) -> ended(lost, charge, failure));
    } catch (RuntimeException e) {
      ended(lost, charge, e);
    }
  }

  private void ended(LostBlocks lost, Charge charge, @Nullable Throwable failure) {
    charge.close();
    if (failure != null) {
      declared.remove(lost);
      failed(failure);
      return;
    }
    logger.warn(
        "blocks {} to {} of node {}, incarnation {}, have not been sent: treating them as lost",
        lost.firstNumber(),
        lost.lastNumber(),
        lost.node(),
        lost.incarnation());
  }
}
