// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HlcRebalanceListenerTest {
  private final MemorySink sink = new MemorySink();
  private final Recorder recorder = Recorder.builder().node("c1").sink(sink).build();
  private final HlcRebalanceListener listener = new HlcRebalanceListener(recorder.log("group"));

  @AfterEach
  void close() {
    recorder.close();
  }

  @Test
  void owns_assignedRevokedAndLost_isTheSetAfterEach() {
    listener.onPartitionsAssigned(partitions(0, 1, 2));
    listener.onPartitionsRevoked(partitions(1));
    listener.onPartitionsAssigned(partitions(3));
    listener.onPartitionsLost(partitions(0, 2, 3));

    assertThat(recorded())
        .containsExactly(
            Map.of("owns", set(0, 1, 2), "rebalance", Value.of("assigned")),
            Map.of("owns", set(0, 2), "rebalance", Value.of("revoked")),
            Map.of("owns", set(0, 2, 3), "rebalance", Value.of("assigned")),
            Map.of("owns", set(), "rebalance", Value.of("lost")));
  }

  @Test
  void nextListener_commitsBeforeRevocationIsRecorded() {
    List<Integer> recordedBefore = new ArrayList<>();
    HlcRebalanceListener both =
        new HlcRebalanceListener(
            recorder.log("group"),
            new ConsumerRebalanceListener() {
              @Override
              public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                recordedBefore.add(recorded().size());
              }

              @Override
              public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                recordedBefore.add(recorded().size());
              }

              @Override
              public void onPartitionsLost(Collection<TopicPartition> partitions) {
                recordedBefore.add(recorded().size());
              }
            });
    both.onPartitionsAssigned(partitions(0));
    both.onPartitionsRevoked(partitions(0));
    both.onPartitionsLost(partitions());

    assertThat(recordedBefore).as("events before each call").containsExactly(1, 1, 3);
  }

  @Test
  void nextListener_thatThrows_isRecordedNevertheless() {
    HlcRebalanceListener failing =
        new HlcRebalanceListener(
            recorder.log("group"),
            new ConsumerRebalanceListener() {
              @Override
              public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

              @Override
              public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                throw new IllegalStateException("no commit");
              }
            });
    failing.onPartitionsAssigned(partitions(0));
    assertThatThrownBy(() -> failing.onPartitionsRevoked(partitions(0))).hasMessage("no commit");

    assertThat(recorded())
        .last()
        .isEqualTo(Map.of("owns", set(), "rebalance", Value.of("revoked")));
  }

  private List<Map<String, Value>> recorded() {
    assertThat(recorder.flush(Duration.ofSeconds(30))).isTrue();
    return sink.events().stream()
        .filter(event -> event.log().equals("group"))
        .map(event -> ((StateChange) event.body()).changes())
        .map(changes -> changes.stream().collect(Collectors.toMap(Change::variable, Change::value)))
        .toList();
  }

  private static List<TopicPartition> partitions(int... numbers) {
    return Arrays.stream(numbers).mapToObj(n -> new TopicPartition("orders", n)).toList();
  }

  private static SetValue set(int... numbers) {
    return new SetValue(
        Arrays.stream(numbers).mapToObj(n -> (Value) Value.of("orders-" + n)).toList());
  }
}
