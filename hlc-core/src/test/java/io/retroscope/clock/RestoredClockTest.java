// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clocks that continue from the bound of earlier clocks, without background threads. */
class RestoredClockTest {
  private static final long T = 1_795_200_000_000_000L;
  private static final long MINUTE = 60_000_000;
  private static final long LEAD = HybridLogicalClock.LEAD_MICROS;

  @TempDir private Path directory;
  private final ManualClock physical = new ManualClock(T);
  private final MemoryBound bound = new MemoryBound();

  private HybridLogicalClock start(ClockBound from, RemotePolicy policy) throws IOException {
    return HybridLogicalClock.restored(physical, MINUTE, policy, from);
  }

  private HybridLogicalClock start(ClockBound from) throws IOException {
    return start(from, RemotePolicy.REFUSE);
  }

  /**
   * Crashes at random moments, with steps of the wall clock in either direction in between. All
   * stamps that were once bounded are below those of all later lives.
   */
  @Test
  void restored_afterRandomCrashesAndClockSteps_isAboveAllBoundStamps() throws IOException {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    Path file = directory.resolve("clock");
    long highestBound = HlcTimestamp.MIN_PACKED;
    long highest = HlcTimestamp.MIN_PACKED;
    int unboundCount = 0;
    for (int life = 0; life < 60; life++) {
      physical.stepBy(1_000);
      try (ClockBound own = ClockBound.inFile(file, random.nextInt(4) == 0)) {
        HybridLogicalClock clock = start(own);
        for (int i = random.nextInt(2_000); i >= 0; i--) {
          physical.advance(random.nextInt(3_000) - 1_000);
          long stamp =
              random.nextInt(20) == 0
                  ? clock.observe(clock.last() + random.nextInt(1 << 24))
                  : clock.tick();
          assertThat(stamp).as("-Dseed=%d life %d", seed, life).isGreaterThan(highestBound);
          highest = Math.max(highest, stamp);
          if (random.nextInt(100) == 0) {
            clock.extendBound();
          }
          unboundCount += clock.isBound(stamp) ? 0 : 1;
        }
        if (random.nextInt(3) == 0) {
          clock.lowerBound();
        }
        highestBound = clock.isBound(clock.last()) ? clock.last() : highestBound;
      }
      physical.advance(random.nextInt(40_000_000) - 20_000_000);
      long behind = HlcTimestamp.micros(highest) + LEAD - physical.micros();
      physical.advance(Math.max(0, behind - MINUTE + 1_000_000));
    }
    assertThat(unboundCount).as("-Dseed=%d", seed).isPositive();
  }

  @Test
  void restored_boundWithinTheLead_waitsUntilTimeHasPassedIt() throws IOException {
    bound.store(HlcTimestamp.pack(T + LEAD));
    physical.stepBy(LEAD / 4);
    HybridLogicalClock clock = start(bound);
    assertThat(clock.floor()).isEqualTo(HlcTimestamp.MIN_PACKED);
    assertThat(HlcTimestamp.logical(clock.tick())).isZero();
  }

  /** The wait ends after about the lead, because a service must start with a stopped clock. */
  @Test
  void restored_boundWithinTheLeadOfAStoppedClock_beginsAboveItWithAFloor() throws IOException {
    for (long ahead : new long[] {0, LEAD}) {
      long before = HlcTimestamp.pack(T + ahead);
      bound.store(before);
      HybridLogicalClock clock = start(bound);
      assertThat(clock.tick()).isEqualTo(before + 1);
      assertThat(HlcTimestamp.micros(clock.floor())).isEqualTo(T + ahead + LEAD);
    }
  }

  @Test
  void restored_boundBelowTheReading_readsOnce() throws IOException {
    bound.store(HlcTimestamp.pack(T - 1));
    physical.stepBy(1);
    HybridLogicalClock clock = start(bound);
    assertThat(clock.floor()).isEqualTo(HlcTimestamp.MIN_PACKED);
    assertThat(physical.micros()).isEqualTo(T + 1);
  }

  @Test
  void restored_boundAtTheLastFollowedStamp_begins() throws IOException {
    long last = HlcTimestamp.pack(HybridLogicalClock.MAX_FOLLOWED_MICROS);
    bound.store(last);
    assertThat(start(bound, RemotePolicy.ACCEPT).tick()).isEqualTo(last + 1);
  }

  @Test
  void restored_interrupted_waitsAllTheSameAndKeepsTheInterrupt() throws IOException {
    bound.store(HlcTimestamp.pack(T + LEAD));
    physical.stepBy(LEAD / 4);
    Thread.currentThread().interrupt();
    assertThat(start(bound).floor()).isEqualTo(HlcTimestamp.MIN_PACKED);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void restored_boundFurtherAhead_beginsAboveItWithAFloor() throws IOException {
    long before = HlcTimestamp.pack(T + 10_000_000, 7);
    bound.store(before);
    HybridLogicalClock clock = start(bound);
    assertThat(clock.tick()).isEqualTo(before + 1);
    assertThat(HlcTimestamp.micros(clock.floor())).isEqualTo(T + 10_000_000 + LEAD);
  }

  @Test
  void restored_boundBeyondMaxOffset_isAClearError() throws IOException {
    bound.store(HlcTimestamp.pack(T + MINUTE + LEAD + 1));
    assertThatThrownBy(() -> start(bound))
        .isInstanceOfSatisfying(
            ClockBoundException.class,
            e -> assertThat(e.aheadMicros()).isEqualTo(MINUTE + LEAD + 1))
        .hasMessageContaining("resetClock");
  }

  /** A stamp at the limit is followed, and the bound is a lead ahead of it. */
  @Test
  void restored_predecessorFollowedAStampAtMaxOffset_begins() throws IOException {
    HybridLogicalClock before = start(bound);
    long followed = before.observe(HlcTimestamp.pack(T + MINUTE));
    before.extendBound();
    assertThat(start(bound).tick()).isGreaterThan(followed);
  }

  /** Under ACCEPT a clock may be ahead by any time, and so may its bound. */
  @Test
  void restored_acceptAndBoundFarAhead_beginsAboveIt() throws IOException {
    HybridLogicalClock before = start(bound, RemotePolicy.ACCEPT);
    long followed = before.observe(HlcTimestamp.pack(T + 60 * MINUTE));
    before.extendBound();
    HybridLogicalClock clock = start(bound, RemotePolicy.ACCEPT);
    assertThat(clock.tick()).isGreaterThan(followed);
    assertThat(clock.floor()).isGreaterThan(bound.inForce());
  }

  @Test
  void restored_boundInTheLastYearOfTheRange_isAnErrorEvenUnderAccept() throws IOException {
    bound.store(HlcTimestamp.MAX_PACKED);
    assertThatThrownBy(() -> start(bound, RemotePolicy.ACCEPT))
        .isInstanceOf(ClockBoundException.class);
  }

  @Test
  void restored_reset_beginsAtPhysicalTimeWhateverTheBound() throws IOException {
    bound.store(HlcTimestamp.pack(T + 5 * MINUTE));
    HybridLogicalClock clock =
        HybridLogicalClock.reset(physical, MINUTE, RemotePolicy.REFUSE, bound);
    assertThat(HlcTimestamp.micros(clock.tick())).isEqualTo(T);
    assertThat(clock.isBound(clock.last())).isFalse();
  }

  @Test
  void restored_stampsBeforeTheFirstStore_areNotBound() throws IOException {
    bound.store(HlcTimestamp.pack(T - MINUTE));
    HybridLogicalClock clock = start(bound);
    long stamp = clock.tick();
    assertThat(clock.isBound(stamp)).isFalse();
    clock.extendBound();
    assertThat(clock.isBound(stamp)).isTrue();
  }

  /** Uses the real file: a restart that found a bound above the last stamp would have to wait. */
  @Test
  void lowerBound_inAFile_letsTheNextClockBeginAtOnce() throws IOException {
    Path file = directory.resolve("clock");
    long last;
    try (ClockBound own = ClockBound.inFile(file, false)) {
      HybridLogicalClock clock = start(own);
      clock.extendBound();
      physical.advance(LEAD);
      clock.extendBound();
      last = clock.tick();
      clock.lowerBound();
      assertThat(clock.isBound(last)).isTrue();
    }
    physical.advance(1); // and not more, although a waiting clock would read it repeatedly
    try (ClockBound own = ClockBound.inFile(file, false)) {
      assertThat(own.load()).hasValue(last);
      HybridLogicalClock clock = start(own);
      assertThat(clock.floor()).isEqualTo(HlcTimestamp.MIN_PACKED);
      assertThat(clock.tick()).isEqualTo(HlcTimestamp.pack(physical.micros()));
    }
  }
}
