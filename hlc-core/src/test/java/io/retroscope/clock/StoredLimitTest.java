// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The bound in force while it moves. The steps of a concurrent thread run in the middle of a store,
 * or while the keeper reads the clock.
 */
class StoredLimitTest {
  private static final long T = 1_795_200_000_000_000L;
  private static final long LEAD = HybridLogicalClock.LEAD_MICROS;
  private static final long PAUSE = StoredLimit.PAUSE_NANOS / 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String KEEPER = "retroscope-clock-under-test";

  private final ManualClock manual = new ManualClock(T);
  private final AtomicInteger readCount = new AtomicInteger();
  private final PhysicalClock physical =
      () -> {
        readCount.incrementAndGet();
        return manual.micros();
      };
  private final MemoryBound bound = new MemoryBound();
  private final Semaphore disk = new Semaphore(1);
  private HybridLogicalClock clock = new HybridLogicalClock();

  @BeforeEach
  void start() throws IOException {
    clock = HybridLogicalClock.restored(physical, 60_000_000, RemotePolicy.REFUSE, bound);
  }

  @AfterEach
  void end() {
    disk.release(1_000);
    assertThat(clock.settleBound(PATIENCE)).isTrue();
  }

  @Test
  void end_keeperThatRuns_lowersTheLimitOnceAndIsADaemon() {
    AtomicReference<Optional<Thread>> keeper = new AtomicReference<>(Optional.empty());
    AtomicInteger lowered = new AtomicInteger();
    StoredLimit limit = new StoredLimit(bound, HlcTimestamp.MIN_PACKED);
    limit.keep(
        KEEPER, () -> keeper.set(Optional.of(Thread.currentThread())), lowered::incrementAndGet);
    await().atMost(PATIENCE).until(() -> keeper.get().isPresent());

    assertThat(limit.end(PATIENCE)).isTrue();
    assertThat(lowered).hasValue(1);
    assertThat(keeper.get().orElseThrow().isDaemon()).isTrue();
  }

  /** Blocks the disk: a store waits until it is released. */
  private void hang() {
    disk.drainPermits();
    bound.whileStoring(
        () -> {
          disk.acquireUninterruptibly();
          disk.release();
        });
  }

  private void checkInvariant(long stamp) {
    assertThat(clock.isBound(stamp) && stamp > bound.inForce())
        .as("claims a bound above %s, %s is stored", stamp, bound.inForce())
        .isFalse();
  }

  @Test
  void extend_everyPause_coversAllStampsInBetween() {
    for (int i = 0; i < 100; i++) {
      clock.extendBound();
      for (int part = 0; part < 4; part++) {
        manual.advance(PAUSE / 4);
        assertThat(clock.isBound(clock.tick())).isTrue();
        checkInvariant(clock.last());
      }
    }
    assertThat(bound.attemptCount()).isEqualTo(100);
  }

  /** Ten minutes without a stamp, then one. */
  @Test
  void extend_idleForTenMinutes_coversTheNextStamp() {
    for (long idle = 0; idle < 600_000_000; idle += PAUSE) {
      clock.extendBound();
      manual.advance(PAUSE);
    }
    assertThat(clock.isBound(clock.tick())).isTrue();
  }

  @Test
  void lead_oneRoundLate_stillCovers() {
    assertThat(LEAD).isGreaterThan(2 * PAUSE).isLessThanOrEqualTo(250_000);
    clock.extendBound();
    manual.advance(2 * PAUSE);
    assertThat(clock.isBound(clock.tick())).isTrue();
  }

  @Test
  void extend_physicalClockStepsBack_neverLowersTheBound() {
    clock.extendBound();
    long before = bound.inForce();
    manual.advance(-3_600_000_000L);
    clock.extendBound();
    assertThat(bound.inForce()).isEqualTo(before);
  }

  /** The new bound is not in force before it is stored. */
  @Test
  void extend_tickWhileStoring_isNotClaimedAsBoundTooEarly() {
    clock.extendBound();
    manual.advance(2 * LEAD);
    List<Boolean> claimed = new ArrayList<>();
    bound.whileStoring(() -> claimed.add(clock.isBound(clock.tick())));
    clock.extendBound();
    assertThat(claimed).containsExactly(false);
    assertThat(clock.isBound(clock.last())).isTrue();
  }

  /**
   * A stamp that another thread gives out while the lower bound is stored is not reported as
   * bounded.
   */
  @Test
  void lower_askedWhileStoring_claimsNothing() {
    clock.extendBound();
    long covered = clock.tick();
    List<Boolean> claimed = new ArrayList<>();
    bound.whileStoring(() -> claimed.add(clock.isBound(clock.tick())));
    clock.lowerBound();
    assertThat(claimed).containsExactly(false);
    assertThat(clock.isBound(covered)).isTrue();
    assertThat(bound.inForce()).isEqualTo(covered);
  }

  /** Another thread moves `last` right after it was read, and then compares it with the limit. */
  @Test
  void lower_stampGivenOutWhileLastIsRead_isNotClaimedAsBound() {
    long last = HlcTimestamp.pack(T);
    StoredLimit limit = new StoredLimit(bound, StoredLimit.withLead(last));
    List<Boolean> claimed = new ArrayList<>();
    limit.lower(
        () -> {
          claimed.add(last + 1 <= limit.get());
          return last;
        });
    assertThat(claimed).containsExactly(false);
    assertThat(limit.get()).isEqualTo(last).isEqualTo(bound.inForce());
  }

  /** Another thread exceeds the limit right after the keeper has read the clock, or later. */
  @Test
  void wake_whileTheKeeperReadsTheClockOrAfterIt_endsItsPause() {
    StoredLimit limit = new StoredLimit(bound, HlcTimestamp.MIN_PACKED);
    CountDownLatch pauses = new CountDownLatch(2);
    limit.wake();
    limit.keep(
        KEEPER,
        () -> {
          boolean isLater = pauses.getCount() < 2;
          limit.extend(
              () -> {
                if (!isLater) {
                  limit.wake();
                }
                return HlcTimestamp.pack(T);
              });
          if (isLater) {
            limit.wake();
          }
          LockSupport.park(this);
          pauses.countDown();
        },
        () -> {});
    await().atMost(PATIENCE).until(() -> pauses.getCount() == 0);
    assertThat(limit.end(PATIENCE)).isTrue();
  }

  @Test
  void keepBound_diskHangs_noThreadWaitsAndLaterStampsAreBoundAgain() {
    clock.keepBound(KEEPER);
    long first = clock.tick();
    await().atMost(PATIENCE).until(() -> clock.isBound(first));
    hang();
    manual.advance(2 * LEAD);
    for (int i = 0; i < 100_000; i++) {
      manual.advance(1);
      clock.tick(); // the disk is released only after all of them
      clock.observe(clock.last() + 10);
    }
    await().atMost(PATIENCE).until(disk::hasQueuedThreads);
    assertThat(clock.isBound(clock.last())).isFalse();
    checkInvariant(clock.last());
    assertThat(clock.settleBound(Duration.ofMillis(10))).isFalse();
    disk.release();
  }

  @Test
  void keepBound_stampFarAhead_isBoundSoon() {
    clock.keepBound(KEEPER);
    long far = clock.observe(HlcTimestamp.pack(T + 50_000_000));
    await().atMost(PATIENCE).until(() -> clock.isBound(far));
    checkInvariant(far);
  }

  @Test
  void keepBound_diskAnswersAgain_stampsAreBoundAgain() {
    clock.keepBound(KEEPER);
    bound.breakIt(true);
    manual.advance(2 * LEAD);
    long stamp = clock.tick();
    await().atMost(PATIENCE).until(() -> clock.boundFailureCount() > 0);
    assertThat(clock.isBound(stamp)).isFalse();
    bound.breakIt(false);
    await().atMost(PATIENCE).until(() -> clock.isBound(stamp));
  }

  /** An interrupt neither ends the keeper nor its pauses. */
  @Test
  void keepBound_keeperInterrupted_keepsAndPauses() throws InterruptedException {
    clock.keepBound(KEEPER);
    keeper().interrupt();
    long far = clock.observe(HlcTimestamp.pack(T + 50_000_000));
    await().atMost(PATIENCE).until(() -> clock.isBound(far));
    keeper().interrupt();
    int before = readCount.get();
    Thread.sleep(300);
    assertThat(readCount.get() - before).isLessThan(1_000);
  }

  private static Thread keeper() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(KEEPER))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void settleBound_interruptedCaller_settlesAndKeepsTheInterrupt() {
    clock.keepBound(KEEPER);
    Thread.currentThread().interrupt();
    assertThat(clock.settleBound(PATIENCE)).isTrue();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(bound.inForce()).isEqualTo(clock.last());
    assertThat(clock.isBound(clock.tick())).isFalse();
  }

  @Test
  void store_fails_isCountedAndNotTriedAgainByEveryStamp() {
    bound.breakIt(true);
    clock.extendBound();
    for (int i = 0; i < 1_000; i++) {
      manual.advance(LEAD);
      clock.tick();
    }
    assertThat(clock.boundFailureCount()).isEqualTo(1);
    assertThat(clock.isBound(clock.last())).isFalse();
    bound.breakIt(false);
    clock.extendBound();
    assertThat(clock.isBound(clock.last())).isTrue();
  }
}
