// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WallClockTest {
  /** Readings of the wall clock start here, those of the monotonic one at an arbitrary number. */
  private static final long WALL_START = 1_700_000_000_000_000_000L;

  private long monotonic = -5_000_000_000L;
  private long wall = WALL_START;
  private long wallReadCount;

  /** The duration of one reading of either clock. */
  private long readNanos = 20;

  private final WallClock clock = new WallClock(this::readMonotonic, this::readWall);

  private long readMonotonic() {
    pass(readNanos);
    return monotonic;
  }

  private long readWall() {
    wallReadCount++;
    pass(readNanos);
    return wall;
  }

  private void pass(long nanos) {
    monotonic += nanos;
    wall += nanos;
  }

  /** The difference between the wall clock and a reading at the time it is returned. */
  private long lagMicros() {
    long reading = clock.micros();
    return wall / 1_000 - reading;
  }

  @Test
  void micros_machine() {
    long before = Instant.now().toEpochMilli();
    long reading = PhysicalClock.system().micros();
    assertThat(reading / 1_000).isBetween(before - 1, before + Duration.ofSeconds(10).toMillis());
  }

  @Test
  void micros_betweenSteps_followsTheWallClock() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    long before = 0;
    for (int i = 0; i < 20_000; i++) {
      pass(random.nextInt(200_000));
      long reading = clock.micros();
      assertThat(reading).as("seed %d, reading %d", seed, i).isGreaterThanOrEqualTo(before);
      assertThat(wall / 1_000 - reading).as("seed %d, reading %d", seed, i).isBetween(0L, 1L);
      before = reading;
    }
  }

  @Test
  void micros_often_readsTheWallClockOnceInAWhile() {
    for (int i = 0; i < 1_000; i++) {
      pass(10_000);
      clock.micros();
    }
    assertThat(wallReadCount).isBetween(9L, 11L);
  }

  @Test
  void micros_wallClockSteps_followsWithinTheAnchorsTime() {
    for (long step : new long[] {3_600_000_000_000L, -3_600_000_000_000L, 50_000, -50_000}) {
      clock.micros();
      wall += step;
      pass(WallClock.ANCHOR_NANOS);
      assertThat(lagMicros()).as("step %d", step).isBetween(0L, 1L);
    }
  }

  /** Time passes on the wall clock only, as in a suspend. */
  @Test
  void freshMicros_rightAfterASuspend_showsIt() {
    clock.micros();
    wall += 3_600_000_000_000L;
    assertThat(lagMicros()).as("without it").isGreaterThan(3_599_000_000L);
    long reading = clock.freshMicros();
    assertThat(wall / 1_000 - reading).isBetween(0L, 1L);
    assertThat(lagMicros()).as("readings after it").isBetween(0L, 1L);
  }

  @Test
  void micros_wallClockDrifts_staysWithinAMicrosecond() {
    for (int i = 0; i < 100_000; i++) {
      pass(50_000);
      wall += 25; // 500 ppm
      assertThat(lagMicros()).isBetween(-1L, 1L);
    }
  }

  /** The anchor's error is at most half of the time that its readings take. */
  @Test
  void freshMicros_slowReadings_setsTheConstantToTheMiddleOfTheBracket() {
    readNanos = WallClock.MAX_BRACKET_NANOS / 2;
    wall = WALL_START + 499; // the three readings end at 1,999
    assertThat(clock.freshMicros()).isEqualTo(WALL_START / 1_000 + 1);
    readNanos = 0;
    pass(WallClock.ANCHOR_NANOS - 1);
    long reads = wallReadCount;
    assertThat(clock.micros()).isEqualTo(wall / 1_000);
    assertThat(wallReadCount).isEqualTo(reads);
    pass(1);
    clock.micros();
    assertThat(wallReadCount).isEqualTo(reads + 1);
  }

  @Test
  void micros_preemptedWhileAnchoring_readsTheWallClock() {
    clock.micros();
    readNanos = WallClock.MAX_BRACKET_NANOS;
    pass(WallClock.ANCHOR_NANOS);
    wall += 7_000_000;
    assertThat(lagMicros()).isBetween(0L, WallClock.MAX_BRACKET_NANOS / 500);
    long reads = wallReadCount;
    clock.micros();
    assertThat(wallReadCount).as("without a new constant").isEqualTo(reads + 1);

    readNanos = 20;
    assertThat(lagMicros()).isBetween(0L, 1L);
  }
}
