// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StepRestsTest {
  private final StepRests rests = new StepRests();

  @Test
  void after_shortSteps_isNone() {
    assertThat(restMicros(1_900)).isZero();
    assertThat(restMicros(1_900)).isZero();
  }

  @Test
  void after_oneLongStep_isNone() {
    assertThat(restMicros(100)).isZero();
    assertThat(restMicros(30_000)).isZero();
    assertThat(restMicros(100)).isZero();
  }

  @Test
  void after_twoLongSteps_isAsLongAsTheShorterOne() {
    assertThat(restMicros(3_000)).isZero();
    assertThat(restMicros(8_000)).isEqualTo(3_000);
    assertThat(restMicros(200_000)).isEqualTo(8_000);
    assertThat(restMicros(300_000)).isEqualTo(50_000);
  }

  private long restMicros(long tookMicros) {
    return TimeUnit.NANOSECONDS.toMicros(rests.after(TimeUnit.MICROSECONDS.toNanos(tookMicros)));
  }
}
