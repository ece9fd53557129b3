package io.retroscope.server.kafka;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.kafka.ReadBatch.Reached;
import io.retroscope.server.live.Inflow;
import io.retroscope.server.live.MonotonicClock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Uuid;

/** How far each partition has been read, stored and published. Thread-safe. */
/*
 * The end of a partition is asked for every so often. Once everything up to an end is stored, the
 * partition is complete as of the instant before that end was asked for. While that instant is
 * longer ago than the idle timeout, records wait, and what they hold is known only by what was read
 * before them: a node's blocks, and so roughly all blocks, stand in the order of their stamps.
 */
final class Progress implements Inflow {
  private final MonotonicClock clock;
  private final long idleNanos;
  private Uuid topicId = Uuid.ZERO_UUID;
  private Map<Integer, Partition> partitions = Map.of();
  private Optional<TopicState> latest = Optional.empty();

  private static final class Partition {
    private long next;
    private long end;
    private long targetEnd;
    private long targetNanos = NEVER;
    private long completeNanos;
    private long lastStamp = HlcTimestamp.MIN_PACKED;

    Partition(long next, long completeNanos) {
      this.next = next;
      this.completeNanos = completeNanos;
    }

    void ends(long end, long askedNanos) {
      this.end = end;
      if (next >= end) {
        completeNanos = Math.max(completeNanos, askedNanos);
        targetNanos = NEVER;
      } else if (targetNanos == NEVER) {
        targetEnd = end;
        targetNanos = askedNanos;
      }
    }

    void stored(long next) {
      this.next = next;
      if (targetNanos != NEVER && next >= targetEnd) {
        completeNanos = Math.max(completeNanos, targetNanos);
        targetNanos = NEVER;
      }
    }
  }

  Progress(MonotonicClock clock, long idleNanos) {
    this.clock = clock;
    this.idleNanos = idleNanos;
  }

  /** These partitions are read from now on, each from an offset on. */
  synchronized void assigned(TopicState state, Map<Integer, Reached> starts) {
    // A partition that is new was not there when the others were asked for their ends.
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

  /** The topic has been asked for. What is said of another topic or other partitions is kept. */
  synchronized void probed(TopicState state) {
    latest = Optional.of(state);
    if (isAssigned(state)) {
      partitions.forEach(
          (number, partition) -> partition.ends(state.end(number), state.askedNanos()));
    }
  }

  /** What is known of the topic; empty until it was reached for the first time. */
  synchronized Optional<TopicState> latest() {
    return latest;
  }

  /** Whether all of this very topic is being read. */
  synchronized boolean isAssigned(TopicState state) {
    return topicId.equals(state.id()) && partitions.keySet().equals(state.ends().keySet());
  }

  /** What is before an offset is stored and published. */
  synchronized void stored(int partition, long next) {
    Partition known = partitions.get(partition);
    if (known != null) {
      known.stored(next);
    }
  }

  /** A promise, packed, that was read last from a partition. */
  synchronized void promised(int partition, long hlc) {
    Partition known = partitions.get(partition);
    if (known != null) {
      known.lastStamp = hlc;
    }
  }

  /** The offsets to go on at, by partition; none if another topic is read than this one. */
  synchronized Map<Integer, Long> next(Uuid id) {
    Map<Integer, Long> next = new HashMap<>();
    if (topicId.equals(id)) {
      partitions.forEach((number, partition) -> next.put(number, partition.next));
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

  /** Records that wait, as far as is known. */
  synchronized long lagCount() {
    return partitions.values().stream().mapToLong(p -> Math.max(0, p.end - p.next)).sum();
  }

  @Override
  public synchronized long completeAsOfNanos() {
    return partitions.values().stream().mapToLong(p -> p.completeNanos).min().orElse(NEVER);
  }

  @Override
  public synchronized long bound() {
    if (partitions.isEmpty()) {
      return HlcTimestamp.MIN_PACKED;
    }
    long now = clock.nanos();
    return partitions.values().stream()
        .filter(p -> p.completeNanos == NEVER || now - p.completeNanos > idleNanos)
        .mapToLong(p -> p.lastStamp)
        .min()
        .orElse(HlcTimestamp.MAX_PACKED);
  }
}
