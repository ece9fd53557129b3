// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.memory.MemoryBudget;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamWritersTest {
  private final CountDownLatch written = new CountDownLatch(1);

  private StreamAnswer answer(Executor threads) {
    return new StreamAnswer(
        (last, bytes, callback) -> {
          written.countDown();
          callback.succeeded();
        },
        new OutgoingEvents(1_000, new MemoryBudget(1_000)),
        List.of(),
        () -> true,
        threads);
  }

  /** A client that disconnects while nothing is sent is noticed by keep-alives only. */
  @Test
  void keepAlive_ofOneAnswerFails_continuesForLaterOnes() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    try (StreamWriters writers = new StreamWriters(2)) {
      writers.add(
          answer(
              task -> {
                if (failed.getCount() > 0) {
                  failed.countDown();
                  throw new AssertionError("a defect");
                }
                task.run();
              }));
      failed.await();
      writers.add(answer(writers));
      written.await();
    }
  }
}
