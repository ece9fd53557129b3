// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.health.FatalErrors;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The periodic work on the stores here. The failure of one part of it affects no other part, and is
 * logged when it begins. Used by one thread.
 */
final class Housekeeping implements Runnable {
  private static final Logger logger = LoggerFactory.getLogger(Housekeeping.class);

  /** The age at which blocks are sealed; few events are later than that. */
  private static final long SEAL_AGE_MICROS = TimeUnit.SECONDS.toMicros(30);

  private final Supplier<? extends Map<Integer, ? extends Kept>> stores;
  private final Runnable closeUnused;
  private final PhysicalClock clock;

  /** The present failures, by the part of the work. */
  private final Map<String, String> failures = new HashMap<>();

  /** A store of a partition. */
  interface Kept {
    /** Seals a batch of blocks that end at or below a stamp. It may take long. */
    void seal(long horizon);

    /** Frees the space of events that retention has removed. It may take long. */
    void free();

    /** Begins to read the evidence about clocks, unless it is read, or was tried just before. */
    void readEvidence();
  }

  /**
   * Work that has not begun.
   *
   * @param stores those that are open
   * @param closeUnused closes readings that are unused for too long
   */
  Housekeeping(
      Supplier<? extends Map<Integer, ? extends Kept>> stores,
      Runnable closeUnused,
      PhysicalClock clock) {
    this.stores = stores;
    this.closeUnused = closeUnused;
    this.clock = clock;
  }

  /** Does what is due. Never throws. */
  @Override
  public void run() {
    attempt("unused readings are not closed", closeUnused);
    long horizon = HlcTimestamp.pack(Math.max(0, clock.micros() - SEAL_AGE_MICROS));
    stores.get().forEach((partition, store) -> keep(partition, store, horizon));
  }

  private void keep(int partition, Kept store, long horizon) {
    String of = " of partition " + partition;
    attempt("blocks are not sealed" + of, () -> store.seal(horizon));
    attempt("the space of removed events is not freed" + of, store::free);
    attempt("the evidence about clocks is not read" + of, store::readEvidence);
  }

  private void attempt(String failure, Runnable work) {
    try {
      work.run();
      failures.remove(failure);
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      String reason = e.toString();
      if (!reason.equals(failures.put(failure, reason))) {
        logger.warn("{}: {}", failure, reason);
      }
    }
  }
}
