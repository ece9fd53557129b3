// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.access.Quota.Lease;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class QuotaTest {
  private final AtomicLong nanos = new AtomicLong(-5);

  private Quota quota(long events, long bytes) {
    return new Quota(new QuotaLimits(events, bytes, 2, 1), nanos::get);
  }

  private void pass(long millis) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void waitSeconds_overdrawnEvents_waitsUntilTheyAreMadeUpFor() {
    Quota quota = quota(100, Long.MAX_VALUE);
    quota.chargeEvents(99);
    assertThat(quota.waitSeconds()).isZero();

    quota.chargeEvents(250); // a batch is charged after it was read: overdrawn by 249

    assertThat(quota.waitSeconds()).isEqualTo(3);
    pass(2_000);
    assertThat(quota.waitSeconds()).isEqualTo(1);
    pass(600);
    assertThat(quota.waitSeconds()).isZero();
  }

  @Test
  void waitSeconds_idleForLong_savesUpOneSecond() {
    Quota quota = quota(Long.MAX_VALUE, 1_000);
    pass(3_600_000);
    quota.chargeBytes(1_500);

    assertThat(quota.waitSeconds()).isEqualTo(1);
  }

  @Test
  void waitSeconds_noLimits_isNever() {
    Quota.NONE.chargeEvents(Long.MAX_VALUE / 2);
    Quota.NONE.chargeBytes(Long.MAX_VALUE / 2);

    assertThat(Quota.NONE.waitSeconds()).isZero();
  }

  @Test
  void query_asManyAsAllowed_thenNoneUntilOneHasEnded() {
    Quota quota = quota(1, 1);
    Lease first = quota.query().orElseThrow();
    assertThat(quota.query()).isPresent();
    assertThat(quota.query()).isEmpty();
    assertThat(quota.streams(1)).isPresent();
    assertThat(quota.streams(1)).isEmpty();

    first.end();
    first.end();

    assertThat(quota.query()).isPresent();
    assertThat(quota.query()).isEmpty();
  }

  @Test
  void streams_together_countEach() {
    Quota quota = new Quota(new QuotaLimits(1, 1, 1, 3), nanos::get);
    assertThat(quota.streams(4)).isEmpty();
    Lease two = quota.streams(2).orElseThrow();
    assertThat(quota.streams(2)).isEmpty();
    assertThat(quota.streams(1)).isPresent();

    two.end();

    assertThat(quota.streams(2)).isPresent();
    assertThat(quota.streams(1)).isEmpty();
  }
}
