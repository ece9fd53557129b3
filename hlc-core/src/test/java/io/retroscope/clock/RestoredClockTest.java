package io.retroscope.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestoredClockTest {
  private static final long T = 1_795_200_000_000_000L;
  private static final long MINUTE = 60_000_000;
  private static final long LEAD = HybridLogicalClock.LEAD_MICROS;

  @TempDir Path directory;
  private final ManualClock physical = new ManualClock(T);

  /** Counts what a clock stores; keeps it in memory. */
  private static final class MemoryBound implements ClockBound {
    OptionalLong stored = OptionalLong.empty();
    int storeCount;
    boolean broken;

    @Override
    public OptionalLong load() {
      return stored;
    }

    @Override
    public void store(long bound) throws IOException {
      if (broken) {
        throw new IOException("disk full");
      }
      stored = OptionalLong.of(bound);
      storeCount++;
    }

    @Override
    public void close() {}
  }

  private HybridLogicalClock start(ClockBound bound) throws IOException {
    return HybridLogicalClock.restored(physical, MINUTE, RemotePolicy.REFUSE, bound, false);
  }

  /** Crashes at random moments, with a wall clock that steps either way in between. */
  @Test
  void restored_afterRandomCrashesAndClockSteps_stampsAscendAcrossAll() throws IOException {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    Path file = directory.resolve("clock");
    long highest = HlcTimestamp.MIN_PACKED;
    for (int life = 0; life < 30; life++) {
      physical.stepBy(1_000);
      try (ClockBound bound = ClockBound.inFile(file, random.nextBoolean())) {
        HybridLogicalClock clock = start(bound);
        for (int i = random.nextInt(2_000); i >= 0; i--) {
          physical.advance(random.nextInt(3_000) - 1_000);
          long stamp =
              random.nextInt(20) == 0
                  ? clock.observe(clock.last() + random.nextInt(1 << 24))
                  : clock.tick();
          assertThat(stamp).as("-Dseed=%d life %d", seed, life).isGreaterThan(highest);
          highest = stamp;
          if (random.nextInt(100) == 0) {
            clock.extendBound();
          }
        }
        if (random.nextInt(3) == 0) {
          clock.settleBound();
        }
      }
      physical.advance(random.nextInt(40_000_000) - 20_000_000);
      long behind = HlcTimestamp.micros(highest) + LEAD - physical.micros();
      physical.advance(Math.max(0, behind - MINUTE + 1_000_000));
    }
  }

  @Test
  void restored_boundWithinTheLead_waitsUntilTimeHasPassedIt() throws IOException {
    MemoryBound bound = new MemoryBound();
    bound.stored = OptionalLong.of(HlcTimestamp.pack(T + LEAD));
    physical.stepBy(LEAD / 4);
    HybridLogicalClock clock = start(bound);
    assertThat(clock.floor()).isEqualTo(HlcTimestamp.MIN_PACKED);
    assertThat(HlcTimestamp.logical(clock.tick())).isZero();
  }

  @Test
  void restored_boundFurtherAhead_beginsAboveItWithAFloor() throws IOException {
    MemoryBound bound = new MemoryBound();
    long before = HlcTimestamp.pack(T + 10_000_000, 7);
    bound.stored = OptionalLong.of(before);
    HybridLogicalClock clock = start(bound);
    assertThat(clock.tick()).isEqualTo(before + 1);
    assertThat(HlcTimestamp.micros(clock.floor())).isEqualTo(T + 10_000_000 + LEAD);
  }

  @Test
  void restored_boundBeyondMaxOffset_isAClearError() {
    MemoryBound bound = new MemoryBound();
    bound.stored = OptionalLong.of(HlcTimestamp.pack(T + MINUTE + 1));
    assertThatThrownBy(() -> start(bound))
        .isInstanceOfSatisfying(
            ClockBoundException.class, e -> assertThat(e.aheadMicros()).isEqualTo(MINUTE + 1))
        .hasMessageContaining("resetClock");
  }

  @Test
  void restored_reset_beginsAtPhysicalTimeWhateverTheBound() throws IOException {
    MemoryBound bound = new MemoryBound();
    bound.stored = OptionalLong.of(HlcTimestamp.pack(T + 5 * MINUTE));
    HybridLogicalClock clock =
        HybridLogicalClock.restored(physical, MINUTE, RemotePolicy.REFUSE, bound, true);
    assertThat(HlcTimestamp.micros(clock.tick())).isEqualTo(T);
  }

  @Test
  void tick_boundKeptInTheBackground_isNeverStoredByTicks() throws IOException {
    MemoryBound bound = new MemoryBound();
    HybridLogicalClock clock = start(bound);
    for (int i = 0; i < 100; i++) {
      physical.advance(LEAD / 10);
      clock.extendBound();
      int before = bound.storeCount;
      clock.tick();
      assertThat(bound.storeCount).isEqualTo(before);
      assertThat(clock.last()).isLessThanOrEqualTo(bound.stored.orElseThrow());
    }
    assertThat(bound.storeCount).isBetween(15, 35);
  }

  @Test
  void tick_pastTheBound_storesAHigherOneBeforeItReturns() throws IOException {
    MemoryBound bound = new MemoryBound();
    HybridLogicalClock clock = start(bound);
    physical.advance(3 * LEAD);
    assertThat(clock.tick()).isLessThanOrEqualTo(bound.stored.orElseThrow());
  }

  @Test
  void tick_boundCannotBeStored_goesOnAndCounts() throws IOException {
    MemoryBound bound = new MemoryBound();
    HybridLogicalClock clock = start(bound);
    bound.broken = true;
    physical.advance(3 * LEAD);
    assertThat(clock.tick()).isGreaterThan(bound.stored.orElseThrow());
    assertThat(clock.boundFailureCount()).isEqualTo(1);
  }

  @Test
  void settleBound_restartAtOnce_needsNoWait() throws IOException {
    MemoryBound bound = new MemoryBound();
    HybridLogicalClock clock = start(bound);
    long last = clock.tick();
    clock.settleBound();
    assertThat(bound.stored).hasValue(last);
    assertThat(clock.tick()).isLessThanOrEqualTo(bound.stored.orElseThrow());
  }

  @Test
  void inFile_tornRecord_theOtherCounts() throws IOException {
    Path file = directory.resolve("clock");
    try (ClockBound bound = ClockBound.inFile(file, false)) {
      assertThat(bound.load()).isEmpty();
      bound.store(HlcTimestamp.pack(T));
      bound.store(HlcTimestamp.pack(T + 5));
    }
    byte[] bytes = Files.readAllBytes(file);
    bytes[20] ^= 1;
    Files.write(file, bytes);
    try (ClockBound bound = ClockBound.inFile(file, false)) {
      assertThat(bound.load()).hasValue(HlcTimestamp.pack(T));
    }
    bytes[3] ^= 1;
    Files.write(file, bytes);
    try (ClockBound bound = ClockBound.inFile(file, false)) {
      assertThatThrownBy(bound::load)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("damaged");
    }
  }
}
