// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HybridLogicalClockTest {
  private static final long T = 1_795_200_000_000_000L;
  private static final long MINUTE = 60_000_000;

  private final ManualClock physical = new ManualClock(T);
  private final HybridLogicalClock clock = new HybridLogicalClock(physical);

  /** One history, with a row per step: the physical reading, the operation, the expected stamp. */
  @Test
  void history_stepByStep_givesTheseStamps() {
    Object[][] rows = {
      {T, "tick", T + ".0"}, // the first stamp is physical time
      {T, "tick", T + ".1"}, // the clock is stopped: the counter continues
      {T + 5, "tick", (T + 5) + ".0"}, // physical time leads again
      {T - MINUTE, "tick", (T + 5) + ".1"}, // our clock mysteriously jumps back
      {T + 6, (T + 6) + ".7", (T + 6) + ".8"}, // a message from the same microsecond
      {T + 6, (T + 2) + ".9", (T + 6) + ".9"}, // a message from the past has no effect
      {T + 7, (T + 900) + ".4095", (T + 901) + ".0"}, // a full counter carries
      {T + 8, "tick", (T + 901) + ".1"}, // our clock is behind the message now
      {T + 950, "tick", (T + 950) + ".0"}, // and has caught up
    };
    for (Object[] row : rows) {
      physical.set((Long) row[0]);
      String what = (String) row[1];
      long stamp = what.equals("tick") ? clock.tick() : clock.observe(HlcTimestamp.parse(what));
      assertThat(HlcTimestamp.text(stamp)).as(Arrays.toString(row)).isEqualTo(row[2]);
    }
  }

  @Test
  void tick_moreOftenThanTheCounterHolds_carriesAndKeepsTheOrder() {
    long previous = clock.tick();
    for (int i = 0; i < 3 * 4_096; i++) {
      long next = clock.tick();
      assertThat(next).isGreaterThan(previous);
      previous = next;
    }
    assertThat(HlcTimestamp.micros(previous)).isEqualTo(T + 3);
  }

  /** Many more ticks than the counter holds, with readings outside the range of stamps. */
  @Test
  void tick_clockBefore1970OrBeyondTheRange_ascendsAndComesBack() {
    long previous = HlcTimestamp.MIN_PACKED;
    for (long wrong :
        new long[] {-5, Long.MIN_VALUE, HlcTimestamp.MAX_MICROS, 1L << 52, Long.MAX_VALUE, 0}) {
      physical.set(wrong);
      for (int i = 0; i < 3 * 4_096; i++) {
        long next = clock.tick();
        assertThat(next).isGreaterThan(previous);
        previous = next;
      }
    }
    physical.set(T);
    assertThat(HlcTimestamp.micros(clock.tick())).isEqualTo(T);
    physical.set(Long.MAX_VALUE);
    assertThat(HlcTimestamp.micros(clock.tick())).isEqualTo(T);
  }

  /** A reading outside the range must not invert the comparison with a remote stamp. */
  @Test
  void observe_clockOutsideTheRange_ascendsAndIsComparedWithItsNearestEnd() {
    HlcReading reading = new HlcReading();
    long remote = HlcTimestamp.pack(T);
    physical.set(Long.MIN_VALUE);
    assertThat(clock.observe(remote, reading)).isFalse();
    assertThat(reading.hlc).isLessThan(remote);
    physical.set(Long.MAX_VALUE);
    assertThat(clock.observe(remote, reading)).isTrue();
    assertThat(reading.hlc).isEqualTo(remote + 1);
    HybridLogicalClock clamping = new HybridLogicalClock(physical, MINUTE, RemotePolicy.CLAMP);
    clamping.tick();
    long before = clamping.last();
    assertThat(clamping.observe(HlcTimestamp.MAX_PACKED)).isEqualTo(before + 1);
  }

  @Test
  void tick_withReading_handsOverTheReadingItUsed() {
    HlcReading reading = new HlcReading();
    physical.stepBy(3);
    clock.tick(reading);
    assertThat(reading.physicalMicros).isEqualTo(HlcTimestamp.micros(reading.hlc)).isEqualTo(T);
  }

  @Test
  void observe_withReading_handsOverTheReadingItUsed() {
    HlcReading reading = new HlcReading();
    physical.stepBy(3);
    clock.observe(HlcTimestamp.pack(T - 10), reading);
    assertThat(reading.physicalMicros).isEqualTo(HlcTimestamp.micros(reading.hlc)).isEqualTo(T);
  }

  /**
   * A thread is preempted while it reads the physical clock, and another one ticks 50 ms later. If
   * the first one paired its old reading with a stamp above the other's, a skew of 50 ms would
   * appear that never existed.
   */
  @Test
  void tick_overtakenWhileReadingTheClock_readsItAgain() {
    overtaken((preempted, reading) -> preempted.tick(reading));
  }

  @Test
  void observe_overtakenWhileReadingTheClock_readsItAgain() {
    overtaken((preempted, reading) -> preempted.observe(HlcTimestamp.pack(T), reading));
  }

  private void overtaken(BiConsumer<HybridLogicalClock, HlcReading> advance) {
    HlcReading first = new HlcReading();
    HlcReading other = new HlcReading();
    AtomicReference<Runnable> whileReading = new AtomicReference<>(() -> {});
    HybridLogicalClock preempted =
        new HybridLogicalClock(
            () -> {
              long reading = physical.micros();
              whileReading.getAndSet(() -> {}).run();
              return reading;
            });
    whileReading.set(
        () -> {
          physical.advance(50_000);
          preempted.tick(other);
        });
    advance.accept(preempted, first);
    assertThat(other.physicalMicros).isEqualTo(T + 50_000);
    assertThat(first.hlc).isGreaterThan(other.hlc);
    assertThat(first.physicalMicros).isGreaterThanOrEqualTo(other.physicalMicros);
  }

  /** Right after a suspend, the clock still shows the time before it, until it is read afresh. */
  @Test
  void observe_readingIsAnHourOld_readsAnewBeforeItRefuses() {
    long hour = 60 * MINUTE;
    PhysicalClock suspended =
        new PhysicalClock() {
          @Override
          public long micros() {
            return T;
          }

          @Override
          public long freshMicros() {
            return T + hour;
          }
        };
    for (PhysicalClock after : List.of(suspended, suspended.skewedBy(5))) {
      HybridLogicalClock late = new HybridLogicalClock(after);
      HlcReading reading = new HlcReading();
      assertThat(late.observe(HlcTimestamp.pack(T + hour - 10), reading)).isTrue();
      assertThat(late.refusedCount()).isZero();
      assertThat(reading.physicalMicros).isEqualTo(after.freshMicros());
      assertThat(HlcTimestamp.micros(reading.hlc)).isEqualTo(after.freshMicros());
      assertThat(late.observe(HlcTimestamp.pack(T + hour + 2 * MINUTE), reading)).isFalse();
      assertThat(late.refusedCount()).isEqualTo(1);
    }
  }

  @Test
  void tick_manyThreadsAndAJumpyClock_stampsAreDistinctAndAscendInEach() throws Exception {
    int threads = 4;
    int ticks = 20_000;
    long[][] stamps = new long[threads][ticks];
    CyclicBarrier barrier = new CyclicBarrier(threads);
    Thread[] all =
        IntStream.range(0, threads)
            .mapToObj(
                index ->
                    new Thread(
                        () -> {
                          Random random = new Random(index);
                          await(barrier);
                          for (int i = 0; i < ticks; i++) {
                            if (random.nextInt(50) == 0) {
                              physical.advance(random.nextInt(4_000) - 1_900);
                            }
                            stamps[index][i] = clock.tick();
                          }
                        }))
            .toArray(Thread[]::new);
    for (Thread thread : all) {
      thread.start();
    }
    for (Thread thread : all) {
      thread.join();
    }
    for (long[] own : stamps) {
      assertThat(own).isSorted();
    }
    long distinct = Arrays.stream(stamps).flatMapToLong(Arrays::stream).distinct().count();
    assertThat(distinct).isEqualTo((long) threads * ticks);
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void observe_tooFarAheadUnderRefuse_throwsTheOffsetAndDoesNotMove() {
    long remote = HlcTimestamp.pack(T + MINUTE + 1);
    assertThatThrownBy(() -> clock.observe(remote))
        .isInstanceOfSatisfying(
            ClockSkewException.class,
            e -> {
              assertThat(e.offsetMicros()).isEqualTo(MINUTE + 1);
              assertThat(e.maxOffsetMicros()).isEqualTo(MINUTE);
            });
    assertThat(HlcTimestamp.micros(clock.tick())).isEqualTo(T);
    assertThat(clock.refusedCount()).isEqualTo(1);
  }

  @Test
  void observe_exactlyAtMaxOffset_isFollowed() {
    long remote = HlcTimestamp.pack(T + MINUTE);
    assertThat(clock.observe(remote)).isEqualTo(remote + 1);
  }

  @Test
  void observe_beyondWithReading_neverThrowsAndSaysSo() {
    HlcReading reading = new HlcReading();
    assertThat(clock.observe(HlcTimestamp.pack(T + 2 * MINUTE), reading)).isFalse();
    assertThat(HlcTimestamp.micros(reading.hlc)).isEqualTo(T);
    assertThat(clock.observe(HlcTimestamp.pack(T + MINUTE), reading)).isTrue();
  }

  @Test
  void observe_endOfTheRangeUnderAccept_isNotFollowedAndTimeContinues() {
    HybridLogicalClock accepting = new HybridLogicalClock(physical, 0, RemotePolicy.ACCEPT);
    HlcReading reading = new HlcReading();
    for (long remote : new long[] {HlcTimestamp.MAX_PACKED, HlcTimestamp.MAX_PACKED - 1}) {
      assertThat(accepting.observe(remote, reading)).isFalse();
      assertThat(HlcTimestamp.micros(reading.hlc)).isEqualTo(T);
    }
    assertThat(accepting.tick()).isGreaterThan(reading.hlc);
  }

  @Test
  void observe_lastStampThatIsFollowed_isFollowed() {
    long last = HlcTimestamp.pack(HybridLogicalClock.MAX_FOLLOWED_MICROS);
    for (RemotePolicy policy : RemotePolicy.values()) {
      HybridLogicalClock trusting =
          new HybridLogicalClock(physical, HlcTimestamp.MAX_MICROS, policy);
      assertThat(trusting.observe(last)).as("%s", policy).isEqualTo(last + 1);
    }
    HybridLogicalClock accepting = new HybridLogicalClock(physical, 0, RemotePolicy.ACCEPT);
    assertThat(accepting.observe(last)).isEqualTo(last + 1);
  }

  @Test
  void tick_lastReadingThatIsFollowed_isItsStamp() {
    physical.set(HybridLogicalClock.MAX_FOLLOWED_MICROS);
    assertThat(clock.tick()).isEqualTo(HlcTimestamp.pack(HybridLogicalClock.MAX_FOLLOWED_MICROS));
  }

  @Test
  void skewedBy_offset_isAddedToBothReadings() {
    PhysicalClock both =
        new PhysicalClock() {
          @Override
          public long micros() {
            return T;
          }

          @Override
          public long freshMicros() {
            return T + 1_000;
          }
        };
    PhysicalClock skewed = both.skewedBy(-7);
    assertThat(skewed.micros()).isEqualTo(T - 7);
    assertThat(skewed.freshMicros()).isEqualTo(T + 1_000 - 7);
  }

  /**
   * A node whose clock is an hour ahead exchanges messages with a correct one for a while, and is
   * then repaired. The test checks, for each policy, how far ahead of physical time the correct one
   * remains.
   */
  @Test
  void policy_farAheadNodeIsRepaired_leavesTheClusterThisFarAhead() {
    long hour = 60 * MINUTE;
    assertThat(aheadAfterRepair(RemotePolicy.REFUSE, 0)).isZero();
    assertThat(aheadAfterRepair(RemotePolicy.CLAMP, 0)).isEqualTo(MINUTE);
    assertThat(aheadAfterRepair(RemotePolicy.CLAMP, MINUTE + 1)).isZero();
    assertThat(aheadAfterRepair(RemotePolicy.ACCEPT, MINUTE + 1)).isEqualTo(hour - MINUTE - 1);
    assertThat(aheadAfterRepair(RemotePolicy.ACCEPT, hour + 1)).isZero();
  }

  private static long aheadAfterRepair(RemotePolicy policy, long laterMicros) {
    ManualClock right = new ManualClock(T);
    HybridLogicalClock cluster = new HybridLogicalClock(right, MINUTE, policy);
    HybridLogicalClock far = new HybridLogicalClock(new ManualClock(T + 60 * MINUTE));
    for (int i = 0; i < 100; i++) {
      cluster.observe(far.tick(), new HlcReading());
    }
    right.advance(laterMicros);
    return HlcTimestamp.micros(cluster.tick()) - right.micros();
  }

  @Test
  void policy_eachStampBeyond_isCounted() {
    long remote = HlcTimestamp.pack(T + 2 * MINUTE);
    HybridLogicalClock clamping = new HybridLogicalClock(physical, MINUTE, RemotePolicy.CLAMP);
    HybridLogicalClock accepting = new HybridLogicalClock(physical, MINUTE, RemotePolicy.ACCEPT);
    clamping.observe(remote);
    accepting.observe(remote);
    assertThat(clamping.clampedCount()).isEqualTo(1);
    assertThat(accepting.acceptedBeyondLimitCount()).isEqualTo(1);
    assertThat(accepting.last()).isGreaterThan(remote);
  }
}
