// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.kafka.ReadBatch.Reached;
import io.retroscope.server.store.disk.SourcePosition;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides at which offset the reading of each partition begins, from the stored positions and the
 * available records. Used by one thread at a time.
 */
final class StartPlan {
  private static final Logger logger = LoggerFactory.getLogger(StartPlan.class);
  private static final String SOURCE = "kafka/";

  private final String topic;
  private final StartFrom from;

  /** The requested position applies only to the first time that a partition is read. */
  private boolean begun;

  StartPlan(String topic, StartFrom from) {
    this.topic = topic;
    this.from = from;
  }

  /** The prefix of the names under which a topic's partitions are stored. */
  static String sourcePrefix(String topic, Uuid id) {
    return SOURCE + topic + "/" + id + "/";
  }

  /** Whether the topic, or another one of the same name, was read into this store before. */
  static boolean isKnown(String topic, Collection<String> sources) {
    return sources.stream().anyMatch(source -> source.startsWith(SOURCE + topic + "/"));
  }

  /**
   * The offset to begin at, per partition.
   *
   * @param current partitions of exactly this topic that are already read: they continue at their
   *     offsets
   * @throws KafkaIngestException if unread records were removed, or do not exist
   */
  Map<Integer, Reached> starts(
      TopicState state, Map<Integer, Long> current, Map<String, SourcePosition> stored) {
    String prefix = sourcePrefix(topic, state.id());
    if (stored.keySet().stream().noneMatch(source -> source.startsWith(prefix))
        && isKnown(topic, stored.keySet())) {
      logger.warn(
          "topic \"{}\" is not the same as before: it was created again, or is in another cluster."
              + " Reading it from its beginning; unread records of the old topic are missing",
          topic);
    }
    Map<Integer, Reached> starts = new TreeMap<>();
    for (int partition : new TreeMap<>(state.ends()).keySet()) {
      Long now = current.get(partition);
      starts.put(
          partition,
          now != null
              ? new Reached(now, -1)
              : start(state, partition, Optional.ofNullable(stored.get(prefix + partition))));
    }
    begun = true;
    return starts;
  }

  private Reached start(TopicState state, int partition, Optional<SourcePosition> stored) {
    Reached begin = new Reached(state.begin(partition), -1);
    if (!begun && from.kind() == StartFrom.Kind.EARLIEST) {
      return begin;
    }
    Long requested = begun ? null : from.offsets().get(partition);
    if (requested != null) {
      return startAt(state, partition, requested);
    }
    if (stored.isEmpty()) {
      return begin;
    }
    SourcePosition position = stored.get();
    if (position.next() < begin.next()) {
      return afterGap(partition, position.next(), begin);
    }
    if (position.next() > state.end(partition)) {
      return afterTruncation(partition, position.next(), state.end(partition), begin);
    }
    return new Reached(position.next(), position.epoch());
  }

  private Reached startAt(TopicState state, int partition, long offset) {
    if (offset < state.begin(partition) || offset > state.end(partition)) {
      throw new KafkaIngestException(
          "partition %d of topic \"%s\" has no offset %d to start from, only %d to %d: check --kafka-from"
              .formatted(partition, topic, offset, state.begin(partition), state.end(partition)));
    }
    return new Reached(offset, -1);
  }

  /** Handles records that were removed before they were read. */
  Reached afterGap(int partition, long next, Reached begin) {
    String gone =
        "records %d to %d of partition %d of topic \"%s\" were removed before they were read (see retention.ms and retention.bytes of the topic)"
            .formatted(next, begin.next() - 1, partition, topic);
    if (from.kind() != StartFrom.Kind.AVAILABLE
        && (begun || from.kind() != StartFrom.Kind.EARLIEST)) {
      throw new KafkaIngestException(
          gone
              + ": their events are lost; start with --kafka-from available to go on without them");
    }
    logger.warn("{}: their events are lost, reading continues after them", gone);
    return begin;
  }

  /**
   * Handles records that the brokers lost after they were read, so that those offsets may contain
   * other records now.
   */
  Reached afterTruncation(int partition, long next, long end, Reached begin) {
    logger.warn(
        "partition {} of topic \"{}\" was read up to {}, but ends at {} now: the brokers have lost"
            + " records, which are stored here already; it is read again from {}, and nothing"
            + " is stored twice",
        partition,
        topic,
        next,
        end,
        begin.next());
    return begin;
  }
}
