// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.server.memory.MemoryBudget.Charge;
import java.util.concurrent.CompletableFuture;

/** A receiver of submitted events. Thread-safe. */
public interface EventIntake {
  /**
   * Submits events whose memory has been charged already.
   *
   * @param charge is enlarged if it is too small; the caller closes it after the answer
   * @return completes once they are durable
   * @throws StoreBusyException if the backlog is full
   */
  CompletableFuture<Receipt> append(Submission submission, Charge charge);

  /** The guard against inputs that end the process. */
  SuspectInputs suspects();
}
