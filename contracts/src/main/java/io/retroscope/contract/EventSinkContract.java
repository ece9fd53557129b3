// SPDX-License-Identifier: Apache-2.0
package io.retroscope.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.SinkStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of {@link EventSink}, for a sink whose receiver is available. Used by one thread.
 */
@Timeout(120)
public abstract class EventSinkContract {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long T = HlcTimestamp.pack(1_795_200_000_000_000L);

  /** Creates a contract. */
  protected EventSinkContract() {}

  /** Opens a sink with a receiver that has not received anything. */
  protected abstract EventSink open() throws Exception;

  /** Returns the blocks that have been delivered, in the order of delivery. */
  protected abstract List<EventBlock> delivered() throws Exception;

  private static EventBlockBuilder fill(EventBlockBuilder builder, long number) {
    builder.clear();
    for (long sequence = 2 * number - 1; sequence <= 2 * number; sequence++) {
      long hlc = T + (sequence << HlcTimestamp.LOGICAL_BITS);
      EventBody body =
          new EventBody.StateChange(
              List.of(new Change(Operation.SET, "r1", Value.of("value " + sequence))));
      builder.add(
          new Event("zk1", "setd", hlc, HlcTimestamp.micros(hlc), sequence, Set.of(), body));
    }
    return builder.incarnation("5f2c", number).promise(T + (number << 32), 2 * number);
  }

  private static EventBlock block(long number) {
    return fill(new EventBlockBuilder(), number).build();
  }

  private List<EventBlock> deliveredEvents() throws Exception {
    return delivered().stream().filter(block -> !block.isEmpty()).toList();
  }

  @Test
  void flush_afterBlocks_allAreDeliveredInOrder() throws Exception {
    List<Event> expected = new ArrayList<>();
    try (EventSink sink = open()) {
      for (long number = 1; number <= 50; number++) {
        sink.accept(block(number));
        expected.addAll(block(number).events());
      }
      assertThat(sink.flush(PATIENCE)).isTrue();
    }
    assertThat(deliveredEvents().stream().map(EventBlock::number))
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 50).boxed().toList());
    assertThat(deliveredEvents().stream().flatMap(block -> block.events().stream()))
        .containsExactlyElementsOf(expected);
  }

  /** A sink that does not keep blocks has copied them when {@code accept} returns. */
  @Test
  void accept_memoryUsedForTheNextBlock_deliversBoth() throws Exception {
    EventBlockBuilder builder = new EventBlockBuilder();
    try (EventSink sink = open()) {
      for (long number = 1; number <= 20; number++) {
        EventBlockBuilder filled = fill(builder, number);
        sink.accept(sink.keepsBlocks() ? filled.build() : filled.lend());
      }
      assertThat(sink.flush(PATIENCE)).isTrue();
    }
    for (EventBlock block : deliveredEvents()) {
      assertThat(block.events()).isEqualTo(block(block.number()).events());
    }
    assertThat(deliveredEvents()).hasSize(20);
  }

  @Test
  void accept_bareHeartbeats_areNoFailure() throws Exception {
    try (EventSink sink = open()) {
      sink.accept(block(1));
      sink.accept(EventBlock.heartbeat("zk1", "5f2c", 1, T + (2L << 32), 2));
      sink.accept(EventBlock.heartbeat("zk1", "5f2c", 1, T + (3L << 32), 2));
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(sink.statistics().lostEvents()).isZero();
    }
    assertThat(deliveredEvents()).hasSize(1);
  }

  @Test
  void close_again_hasNoEffect() throws Exception {
    EventSink sink = open();
    sink.accept(block(1));
    assertThat(sink.flush(PATIENCE)).isTrue();
    sink.close();
    SinkStatistics statistics = sink.statistics();

    sink.close();

    assertThat(sink.statistics()).isEqualTo(statistics);
    assertThat(deliveredEvents()).hasSize(1);
  }

  @Test
  @Timeout(60)
  void flush_afterClose_doesNotWait() throws Exception {
    EventSink sink = open();
    sink.accept(block(1));
    assertThat(sink.flush(PATIENCE)).isTrue();
    sink.close();

    assertThat(sink.flush(Duration.ofDays(1))).isTrue();
  }

  @Test
  void recorder_closed_everyEventIsDelivered() throws Exception {
    EventSink sink = open();
    try (Recorder recorder = Recorder.builder().node("zk1").sink(sink).build()) {
      EventLog log = recorder.log("setd");
      for (int version = 1; version <= 1_000; version++) {
        log.set("r1", version);
      }
      assertThat(recorder.flush(PATIENCE)).isTrue();
    }
    assertThat(
            deliveredEvents().stream()
                .flatMap(block -> block.events().stream())
                .map(Event::body)
                .filter(EventBody.StateChange.class::isInstance))
        .hasSize(1_000);
  }
}
