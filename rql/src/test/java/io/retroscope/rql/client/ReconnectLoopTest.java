// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReconnectLoopTest {
  private static final int ATTEMPTS = 3;
  private static final Reconnect QUICK =
      new Reconnect(Duration.ofMillis(1), Duration.ofMillis(2), ATTEMPTS, Duration.ofSeconds(1));

  private final List<String> failures = new ArrayList<>();
  private boolean stopped;
  private int readCount;
  private final ReconnectLoop loop =
      new ReconnectLoop(QUICK, () -> stopped, e -> failures.add(String.valueOf(e.getMessage())));

  private void fail() throws IOException {
    throw new IOException("break " + readCount);
  }

  @Test
  void run_firstConnectionFails_isNotRepeated() {
    assertThatThrownBy(
            () ->
                loop.run(
                    () -> {
                      readCount++;
                      fail();
                    }))
        .hasMessage("break 1");
    assertThat(failures).isEmpty();
  }

  @Test
  void run_breaksWithoutData_reportsTheFirstAndEndsAfterTheLastAttempt() {
    assertThatThrownBy(
            () ->
                loop.run(
                    () -> {
                      readCount++;
                      loop.connected();
                      fail();
                    }))
        .hasMessage("break " + (1 + ATTEMPTS));
    assertThat(readCount).isEqualTo(1 + ATTEMPTS);
    assertThat(failures).containsExactly("break 1");
  }

  @Test
  void run_breaksAfterData_hasAllAttemptsAgain() throws IOException {
    loop.run(
        () -> {
          readCount++;
          loop.connected();
          if (readCount % 2 == 1) {
            loop.received();
          }
          if (readCount <= 4 * ATTEMPTS) {
            fail();
          }
        });
    assertThat(readCount).isEqualTo(1 + 4 * ATTEMPTS);
    assertThat(failures).hasSize(2 * ATTEMPTS);
  }

  @Test
  void run_stopped_doesNotConnectAgain() {
    assertThatThrownBy(
            () ->
                loop.run(
                    () -> {
                      loop.connected();
                      stopped = true;
                      fail();
                    }))
        .isInstanceOf(IOException.class);
    assertThat(failures).isEmpty();
  }

  @Test
  void run_interruptedWhileItWaits_ends() {
    assertThatThrownBy(
            () ->
                loop.run(
                    () -> {
                      loop.connected();
                      Thread.currentThread().interrupt();
                      fail();
                    }))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(failures).hasSize(1);
  }
}
