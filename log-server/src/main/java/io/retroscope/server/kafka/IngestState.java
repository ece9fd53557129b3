// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.run.Incarnation;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The state that the reading thread and the probing thread share with each other and with other
 * threads. Thread-safe.
 */
final class IngestState {
  final Progress progress;
  final Health health;
  final SkippedRecords skipped;
  final LongAdder records = new LongAdder();
  final LongAdder bytes = new LongAdder();

  /** The runs of nodes from which anything was read here. */
  final Set<Incarnation.Name> heard = ConcurrentHashMap.newKeySet();

  private final CountDownLatch closing = new CountDownLatch(1);

  IngestState(KafkaOptions options, MonotonicClock clock, long idleNanos) {
    progress = new Progress(clock, idleNanos);
    health = new Health(options.topic());
    skipped = new SkippedRecords(clock);
  }

  /** Signals both threads to end. */
  void close() {
    closing.countDown();
  }

  boolean isClosing() {
    return closing.getCount() == 0;
  }

  /** Waits; returns true, early, when both threads must end. */
  boolean closesWithin(long millis) {
    try {
      return closing.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
