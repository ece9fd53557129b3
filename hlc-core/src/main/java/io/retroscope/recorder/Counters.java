// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.sink.SinkStatistics;
import java.util.concurrent.atomic.LongAdder;

/** The counters of a recorder. Thread-safe. */
final class Counters {
  final LongAdder recorded = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder abandoned = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder truncated = new LongAdder();
  final LongAdder repaired = new LongAdder();
  final LongAdder unrepaired = new LongAdder();
  final LongAdder afterClose = new LongAdder();
  final LongAdder lostBySink = new LongAdder();
  final LongAdder lostByDrainer = new LongAdder();
  final LongAdder untrusted = new LongAdder();
  final LongAdder missed = new LongAdder();

  /** The current counts, including those of the sink and the clock. */
  RecorderStatistics statistics(int waiting, SinkStatistics sink, HybridLogicalClock clock) {
    return new RecorderStatistics(
        recorded.sum(),
        dropped.sum(),
        abandoned.sum(),
        refused.sum(),
        truncated.sum(),
        repaired.sum(),
        unrepaired.sum(),
        afterClose.sum(),
        lostBySink.sum() + sink.lostEvents(),
        missed.sum(),
        sink.deliveredBlocks(),
        sink.retries(),
        sink.refusedBlocks(),
        clock.boundFailureCount(),
        !clock.isBound(clock.last()),
        untrusted.sum(),
        clock.refusedCount(),
        clock.clampedCount(),
        clock.acceptedBeyondLimitCount(),
        lostByDrainer.sum(),
        waiting,
        sink.waitingBytes(),
        sink.spilledBytes());
  }
}
