// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.RetriableException;

/** The group as its coordinator, the broker, sees it: the oracle's source. Thread-safe. */
final class GroupView implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);

  private final Admin admin;

  GroupView(String brokers) {
    this.admin = Admin.create(Map.of("bootstrap.servers", brokers));
  }

  /** Waits until both consumers own the same number of partitions. */
  void awaitShared() throws StageException, InterruptedException {
    await("share the partitions", Map.of("c1", 2, "c2", 2));
  }

  /** Waits until one consumer owns all partitions. */
  void awaitSole(String consumer) throws StageException, InterruptedException {
    await("leave all partitions to " + consumer, Map.of(consumer, KafkaScene.PARTITION_COUNT));
  }

  private void await(String what, Map<String, Integer> counts)
      throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (true) {
      Map<String, Integer> found = new TreeMap<>();
      partitionsByConsumer().forEach((consumer, owned) -> found.put(consumer, owned.size()));
      if (found.equals(counts)) {
        return;
      }
      if (deadline.hasPassed()) {
        throw new StageException(
            "the consumers did not %s within %d s; the broker knows %s"
                .formatted(what, Deadline.PATIENCE.toSeconds(), found));
      }
      Deadline.sleep(POLL);
    }
  }

  /** Waits until the consumers have committed this many records of all partitions together. */
  void awaitCommitted(long count) throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (committed() < count) {
      if (deadline.hasPassed()) {
        throw new StageException(
            "of %d orders, only %d were handled within %d s"
                .formatted(count, committed(), Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private long committed() throws StageException, InterruptedException {
    try {
      return admin
          .listConsumerGroupOffsets(OrderConsumer.GROUP)
          .partitionsToOffsetAndMetadata()
          .get()
          .values()
          .stream()
          .mapToLong(OffsetAndMetadata::offset)
          .sum();
    } catch (ExecutionException e) {
      throw new StageException("the broker does not know the commits: " + e.getCause(), e);
    }
  }

  /** The partitions of each consumer; empty while the group is not stable. */
  Map<String, Set<String>> partitionsByConsumer() throws StageException {
    try {
      ConsumerGroupDescription group =
          admin.describeConsumerGroups(Set.of(OrderConsumer.GROUP)).all().get().values().stream()
              .findFirst()
              .orElseThrow(() -> new StageException("the broker does not know the group"));
      if (group.groupState() != GroupState.STABLE) {
        return Map.of();
      }
      return group.members().stream()
          .collect(
              Collectors.toMap(
                  MemberDescription::clientId,
                  member ->
                      member.assignment().topicPartitions().stream()
                          .map(TopicPartition::toString)
                          .collect(Collectors.toCollection(TreeSet::new)),
                  (old, young) -> young,
                  TreeMap::new));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException
          || e.getCause() instanceof RetriableException) {
        return Map.of();
      }
      throw new StageException("the broker does not describe the group: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StageException("interrupted while asking the broker for the group", e);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(1));
  }
}
