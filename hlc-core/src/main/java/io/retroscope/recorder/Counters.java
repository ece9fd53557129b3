package io.retroscope.recorder;

import java.util.concurrent.atomic.LongAdder;

/** What a recorder counts. Thread-safe. */
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
  final LongAdder missed = new LongAdder();
}
