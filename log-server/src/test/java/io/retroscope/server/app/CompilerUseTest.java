// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CompilerUseTest {
  private final AtomicLong nanos = new AtomicLong(7_000_000_000L);
  private final AtomicLong millis = new AtomicLong(3_000);
  private final CompilerUse use = new CompilerUse(nanos::get, millis::get);

  private double after(Duration time, long compiledMillis) {
    nanos.addAndGet(time.toNanos());
    millis.addAndGet(compiledMillis);
    return use.getAsDouble();
  }

  @Test
  void getAsDouble_eachLook_isThatSinceTheLookBefore() {
    assertThat(after(Duration.ofSeconds(2), 1_000)).isEqualTo(0.5);
    assertThat(after(Duration.ofSeconds(1), 2_000)).isEqualTo(2);
    assertThat(after(Duration.ofSeconds(1), 0)).isZero();
  }
}
