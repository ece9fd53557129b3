// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.align.ClockEvidence;
import io.retroscope.server.cluster.PartView.Scan;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.StoreListener;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.Incarnation;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The evidence about clocks in one partition's store: of the events that arrive, and of those that
 * were stored before, once they are read. Thread-safe.
 */
final class PartitionEvidence implements StoreListener {
  /** A small store is read within this time, so that no answer need do without it. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The pause after a failure to read the stored events, which may last. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger logger = LoggerFactory.getLogger(PartitionEvidence.class);

  private final long of;
  private final MonotonicClock clock;
  private final long untilNanos;
  private ClockEvidence evidence = new ClockEvidence();
  private boolean isWhole;
  private boolean isBeingRead;
  private long againNanos;

  /**
   * Evidence of the events from now on.
   *
   * @param of differs from that of every other store
   */
  PartitionEvidence(long of, MonotonicClock clock) {
    this.of = of;
    this.clock = clock;
    this.untilNanos = clock.nanos() + PATIENCE_NANOS;
    this.againNanos = clock.nanos();
  }

  @Override
  public synchronized void stored(EventBlock block) {
    evidence.add(block);
  }

  @Override
  public void heard(Collection<Incarnation> incarnations) {}

  /** Whether the stored events are to be read now, by the caller. */
  synchronized boolean beginReading() {
    boolean begins = !isWhole && !isBeingRead && clock.nanos() - againNanos >= 0;
    isBeingRead |= begins;
    return begins;
  }

  /**
   * Adds the events that were stored before, and maybe some that have arrived since; they are to be
   * read again later if that fails.
   *
   * @param isWanted whether the partition is still here, so that a failure is logged
   */
  void read(Supplier<StoredPart> opening, BooleanSupplier isWanted) {
    ClockEvidence all = new ClockEvidence();
    try (StoredPart stored = opening.get()) {
      Set<String> logs =
          stored.facts().logs().stream().map(LogDescription::name).collect(Collectors.toSet());
      Selection selection = Selection.all(logs);
      try (PieceFeed feed = stored.scan(new Scan(Scan.Kind.EVENTS, selection, HlcRange.ALL))) {
        for (Piece piece = feed.next(); piece != null; piece = feed.next()) {
          for (PieceBlock block : piece.blocks()) {
            all.add(block.rows(selection));
          }
        }
      }
      complete(all);
    } catch (IOException | StoreException e) {
      if (isWanted.getAsBoolean()) {
        logger.warn("clocks are not aligned from a partition's stored events: {}", e.getMessage());
      }
    } finally {
      ended();
    }
  }

  private synchronized void ended() {
    isBeingRead = false;
    againNanos = clock.nanos() + PAUSE_NANOS;
  }

  private synchronized void complete(ClockEvidence all) {
    evidence.events().forEach(all::add);
    evidence = all;
    isWhole = true;
    notifyAll();
  }

  /** The state of the evidence; soon after the store was opened, once that was read. */
  synchronized EvidenceMark mark() {
    awaitWhole();
    return new EvidenceMark(of, evidence.version(), isWhole, evidence.sampledHlc());
  }

  private void awaitWhole() {
    try {
      long left = TimeUnit.NANOSECONDS.toMillis(untilNanos - clock.nanos());
      while (!isWhole && left > 0) {
        wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(untilNanos - clock.nanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The evidence, ordered by stamp. */
  List<Event> events() {
    ClockEvidence present;
    synchronized (this) {
      present = evidence;
    }
    return present.events();
  }
}
