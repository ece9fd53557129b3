// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.kafka.ReadBatch.Reached;
import io.retroscope.server.live.Inflow;
import io.retroscope.server.live.MonotonicClock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Uuid;

/** The positions up to which each partition has been read, stored and published. Thread-safe. */
/*
 * The end of each partition is queried periodically. Once everything up to an end is stored, the
 * partition is complete as of the instant before that query. While that instant is longer ago than
 * the idle timeout, records are waiting, and their content is bounded only by the records read
 * before them: a node's blocks, and so roughly all blocks, are in the order of their stamps.
 */
final class Progress implements Inflow {
  private final MonotonicClock clock;
  private final long idleNanos;
  private Uuid topicId = Uuid.ZERO_UUID;
  private Map<Integer, Partition> partitions = Map.of();
  private Optional<TopicState> latest = Optional.empty();

  private static final class Partition {
    private final ReadProgress read;
    private long lastStamp = HlcTimestamp.MIN_PACKED;

    Partition(long next, long completeNanos) {
      read = new ReadProgress(next, completeNanos);
    }
  }

  Progress(MonotonicClock clock, long idleNanos) {
    this.clock = clock;
    this.idleNanos = idleNanos;
  }

  /** These partitions are read from now on, each from an offset. */
  synchronized void assigned(TopicState state, Map<Integer, Reached> starts) {
    // A new partition did not exist when the ends of the others were queried.
    long completeNanos = completeAsOfNanos();
    Map<Integer, Long> current = next(state.id());
    Map<Integer, Partition> assigned = new HashMap<>();
    starts.forEach(
        (partition, start) ->
            assigned.put(
                partition,
                Long.valueOf(start.next()).equals(current.get(partition))
                    ? partitions.get(partition)
                    : new Partition(start.next(), completeNanos)));
    partitions = assigned;
    topicId = state.id();
    probed(state);
  }

  /** The result of a query of the topic. The progress of other topics and partitions is kept. */
  synchronized void probed(TopicState state) {
    latest = Optional.of(state);
    if (isAssigned(state)) {
      partitions.forEach(
          (number, partition) -> partition.read.ends(state.end(number), state.queriedNanos()));
    }
  }

  /** The last known state of the topic; empty until it was reached for the first time. */
  synchronized Optional<TopicState> latest() {
    return latest;
  }

  /** Whether all partitions of exactly this topic are being read. */
  synchronized boolean isAssigned(TopicState state) {
    return topicId.equals(state.id()) && partitions.keySet().equals(state.ends().keySet());
  }

  /** Everything before an offset is stored and published. */
  synchronized void stored(int partition, long next) {
    Partition known = partitions.get(partition);
    if (known != null) {
      known.read.stored(next);
    }
  }

  /** The latest promise, packed, that was read from a partition. */
  synchronized void promised(int partition, long hlc) {
    Partition known = partitions.get(partition);
    if (known != null) {
      known.lastStamp = hlc;
    }
  }

  /** The offsets to continue at, by partition; empty if a different topic is being read. */
  synchronized Map<Integer, Long> next(Uuid id) {
    Map<Integer, Long> next = new HashMap<>();
    if (topicId.equals(id)) {
      partitions.forEach((number, partition) -> next.put(number, partition.read.next()));
    }
    return next;
  }

  /** The topic that is read. */
  synchronized Uuid topicId() {
    return topicId;
  }

  synchronized int partitionCount() {
    return partitions.size();
  }

  /** The known number of unread records. */
  synchronized long lagCount() {
    return partitions.values().stream().mapToLong(p -> p.read.lagCount()).sum();
  }

  @Override
  public synchronized long completeAsOfNanos() {
    return partitions.values().stream().mapToLong(p -> p.read.completeNanos()).min().orElse(NEVER);
  }

  @Override
  public synchronized long bound() {
    if (partitions.isEmpty()) {
      return HlcTimestamp.MIN_PACKED;
    }
    long now = clock.nanos();
    return partitions.values().stream()
        .filter(p -> isLate(p.read.completeNanos(), now))
        .mapToLong(p -> p.lastStamp)
        .min()
        .orElse(HlcTimestamp.MAX_PACKED);
  }

  private boolean isLate(long completeNanos, long now) {
    return completeNanos == NEVER || now - completeNanos > idleNanos;
  }
}
