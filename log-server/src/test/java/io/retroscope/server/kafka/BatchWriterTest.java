// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.kafka.ReadBatch.Entry;
import io.retroscope.server.kafka.ReadBatch.Reached;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.SourcePosition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of batches with records that the store refuses. */
class BatchWriterTest {
  private static final long NOW = TimeUnit.DAYS.toMicros(20_000);
  private static final String PREFIX = "t-";

  /** The runs that a store accepts with the smallest memory. */
  private static final int MOST_RUNS = 1_000;

  @TempDir Path folder;

  private static Entry entry(int offset) {
    Change change = new Change(Operation.SET, "x", Value.of(offset));
    Event event =
        new Event("n" + offset, "l", HlcTimestamp.pack(NOW), new StateChange(List.of(change)));
    EventBlock block = new EventBlockBuilder().incarnation("i", 1).add(event).build();
    EncodedFrame frame = new EncodedFrame(block, EventBlockCodec.encode(block));
    return new Entry(0, new Reached(offset + 1, -1), List.of(frame));
  }

  /** The records before it are stored, with the reasons about records between them. */
  @Test
  void finish_recordThatOnlyAnotherServerMayStore_isHeldAfterAllBeforeIt() {
    StoreOptions small = new StoreOptions(0, new MemoryBudget(8 << 20), 60_000_000).sharedBy(2);
    try (EventStore store = EventStore.open(folder, small, () -> NOW)) {
      KafkaOptions options = KafkaOptions.of(Map.of("bootstrap.servers", "none"), "t");
      IngestState state = new IngestState(options, System::nanoTime, Duration.ofDays(1).toNanos());
      RecordDecoder decoder =
          new RecordDecoder("t", store.rejected(), store.suspects(), state.skipped);
      BatchWriter writer = new BatchWriter(store, state, decoder, BatchWriter.Policy.STATE, 1);
      try (ReadBatch batch = new ReadBatch(1 << 20, store.memory().charge())) {
        Incompleteness refused = RefusedRecord.of(0, 7, List.of(), "it is damaged");
        batch.state(refused);
        for (int offset = 0; offset <= MOST_RUNS; offset++) {
          batch.add(entry(offset));
        }
        assertThatThrownBy(() -> writer.finish(batch, writer.begin(batch, PREFIX), PREFIX))
            .isInstanceOfSatisfying(
                HeldRecordException.class, e -> assertThat(e.offset()).isEqualTo(MOST_RUNS))
            .hasMessageContaining("node \"n1000\" cannot be added");
        assertThat(store.positions())
            .extractingByKey(PREFIX + 0)
            .extracting(SourcePosition::next)
            .isEqualTo((long) MOST_RUNS);
        try (View view = store.open(ClockOffsets.UNKNOWN)) {
          assertThat(view.reasons(HlcRange.ALL)).contains(refused);
        }
      }
    }
  }
}
