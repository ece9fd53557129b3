// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A loop that opens a connection again when it fails, until it ends properly or no attempt remains.
 * A first connection that fails is not repeated. Used by one thread.
 */
public final class ReconnectLoop {
  private final Reconnect policy;
  private final BooleanSupplier stopped;
  private final Consumer<IOException> onFailure;
  private boolean connected;
  private int failedAttempts;

  /** One connection, from its request to its end. */
  @FunctionalInterface
  public interface Connection {
    /**
     * Reads everything; calls {@link #connected} and {@link #received} in the meantime.
     *
     * @throws InterruptedIOException if the thread was interrupted; the loop ends
     * @throws IOException if the connection failed
     */
    void read() throws IOException;
  }

  /**
   * Creates a loop without a connection.
   *
   * @param stopped whether a failure is not to be repaired, for example after a time limit
   * @param onFailure receives the first failure of each series
   */
  public ReconnectLoop(Reconnect policy, BooleanSupplier stopped, Consumer<IOException> onFailure) {
    this.policy = policy;
    this.stopped = stopped;
    this.onFailure = onFailure;
  }

  /** The time without data after which a connection counts as failed. */
  public Duration longestSilence() {
    return policy.longestSilence();
  }

  /** Notes that the server has responded. */
  public void connected() {
    connected = true;
  }

  /** Notes that data has arrived, so that all attempts are available again. */
  public void received() {
    failedAttempts = 0;
  }

  /**
   * Reads the connection, again after each failure.
   *
   * @throws IOException the last failure
   */
  public void run(Connection connection) throws IOException {
    while (true) {
      try {
        connection.read();
        return;
      } catch (InterruptedIOException e) {
        throw e;
      } catch (IOException e) {
        if (!connected || failedAttempts >= policy.attemptCount() || stopped.getAsBoolean()) {
          throw e;
        }
        if (failedAttempts == 0) {
          onFailure.accept(e);
        }
      }
      await(policy.waitBefore(failedAttempts));
      failedAttempts++;
    }
  }

  private static void await(Duration wait) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(wait.toMillis());
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted while connecting again");
    }
  }
}
