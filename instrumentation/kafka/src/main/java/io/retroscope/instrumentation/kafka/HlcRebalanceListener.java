// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.recorder.EventLog;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/**
 * A rebalance listener that records which partitions its consumer owns: the set {@code owns}, with
 * elements such as {@code orders-3}, and in the same event {@code rebalance} = {@code assigned},
 * {@code revoked} or {@code lost}.
 *
 * <p>Each consumer needs one of its own, whose methods Kafka calls in the thread that polls; it is
 * not thread-safe. Each rebalance costs one or two events; nothing waits, and recording does not
 * throw. An exception of the next listener reaches Kafka unchanged, after the recording.
 *
 * <p>A consumer that Kafka has excluded because it did not poll in time does not know that yet, and
 * acts as owner until its next {@code poll}: that is recorded. The set is empty when {@code close}
 * has revoked all.
 *
 * <p>HAZARD: the protocol of consumer groups carries no stamp. The end of one ownership and the
 * begin of the next, at another node, are ordered by the physical clocks, or by records that pass
 * between the nodes.
 */
public final class HlcRebalanceListener implements ConsumerRebalanceListener {
  private final EventLog log;
  private final Optional<ConsumerRebalanceListener> next;
  private final Set<TopicPartition> owned = new HashSet<>();

  /** A listener that only records. */
  public HlcRebalanceListener(EventLog log) {
    this(log, Optional.empty());
  }

  /**
   * A listener that records, and calls another one.
   *
   * @param next called after the recording of assigned and lost partitions, and before that of
   *     revoked ones, because it may still commit for these
   */
  public HlcRebalanceListener(EventLog log, ConsumerRebalanceListener next) {
    this(log, Optional.of(next));
  }

  private HlcRebalanceListener(EventLog log, Optional<ConsumerRebalanceListener> next) {
    this.log = log;
    this.next = next;
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    owned.addAll(partitions);
    record("assigned");
    next.ifPresent(listener -> listener.onPartitionsAssigned(partitions));
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    try {
      next.ifPresent(listener -> listener.onPartitionsRevoked(partitions));
    } finally {
      owned.removeAll(partitions);
      record("revoked");
    }
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    owned.removeAll(partitions);
    record("lost");
    next.ifPresent(listener -> listener.onPartitionsLost(partitions));
  }

  private void record(String rebalance) {
    SetValue owns =
        new SetValue(
            owned.stream().map(partition -> (Value) Value.of(partition.toString())).toList());
    log.event(event -> event.set("owns", owns).set("rebalance", rebalance));
  }
}
