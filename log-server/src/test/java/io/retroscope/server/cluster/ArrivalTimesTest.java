// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests of times as numbers. */
class ArrivalTimesTest {
  private static final long START_MICROS = 1_577_836_800_000_000L;

  private long nowMillis = 5_000;
  private long completeMillis;
  private final ArrivalTimes times =
      new ArrivalTimes(
          () -> START_MICROS + TimeUnit.MILLISECONDS.toMicros(nowMillis),
          () -> TimeUnit.MILLISECONDS.toNanos(nowMillis),
          () -> TimeUnit.MILLISECONDS.toNanos(completeMillis));

  /** A partition that moves may have events that nobody has read. */
  @Test
  void reached_partitionThatIsBehind_isTheTimeUpToWhichItWasRead() {
    completeMillis = 4_000;
    nowMillis = 64_000;
    assertThat(times.reached()).isEqualTo(4_000);
    assertThat(times.next()).isEqualTo(64_000);
    assertThat(times.before(times.reached())).isEqualTo(4_000 - ArrivalTimes.MARGIN_MILLIS);
  }

  @Test
  void next_clockThatIsSetBack_doesNotFall() {
    assertThat(times.next()).isEqualTo(5_000);
    nowMillis = 3_000;
    assertThat(times.next()).isEqualTo(5_000);
  }
}
