// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WebServerTest {
  private static final long LONG_MILLIS = 600_000;

  private final CountDownLatch never = new CountDownLatch(1);

  @Test
  void stop_serverThatHangs_returns() {
    WebServer.stop(this::hang, 50);

    assertThat(never.getCount()).isEqualTo(1);
    never.countDown();
  }

  @Test
  void stop_callerInterrupted_returnsAndKeepsTheInterrupt() {
    Thread.currentThread().interrupt();
    WebServer.stop(this::hang, LONG_MILLIS);

    assertThat(Thread.interrupted()).isTrue();
    never.countDown();
  }

  @Test
  void stop_serverThatFails_continues() {
    AtomicBoolean called = new AtomicBoolean();
    WebServer.stop(
        () -> {
          called.set(true);
          throw new IllegalStateException("on purpose");
        },
        LONG_MILLIS);

    assertThat(called).isTrue();
  }

  private void hang() {
    try {
      never.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
