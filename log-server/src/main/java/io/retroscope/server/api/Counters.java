package io.retroscope.server.api;

import java.util.concurrent.atomic.LongAdder;

/** What the API has done since it started. Thread-safe. */
final class Counters {
  final LongAdder acceptedEvents = new LongAdder();
  final LongAdder duplicateEvents = new LongAdder();
  final LongAdder quarantinedEvents = new LongAdder();
  final LongAdder refusedBatches = new LongAdder();
  final LongAdder queries = new LongAdder();
  final LongAdder streams = new LongAdder();
  final LongAdder rows = new LongAdder();
}
