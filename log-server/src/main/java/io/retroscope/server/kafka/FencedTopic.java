// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.kafka.TopicProbe.ProbeException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A compacted topic of one partition with the last value of each key, which one process at a time
 * writes: whoever opens it shuts out all that have opened it before, also those that do not notice
 * it. Thread-safe.
 */
/*
 * HAZARD: the brokers shut out by the transactional id, which must be the same in all processes.
 * After a failed write it is not known whether the records are there until the topic is opened
 * again, and all are read.
 */
public final class FencedTopic implements AutoCloseable {
  private static final long TIMEOUT_MILLIS = 6_000;
  private static final int MAX_BLOCK_MILLIS = 10_000;
  private static final int MAX_RECORD_BYTES = 32 << 20;
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  /** The polls in a row without a record after which the broker is taken for silent. */
  private static final int MAX_EMPTY_POLLS = 50;

  /** The attempts to see a topic that was just created. */
  private static final int MAX_ATTEMPTS = 25;

  private static final String CLEANUP = "cleanup.policy";
  private static final String COMPACT = "compact";
  private static final String IN_SYNC = "min.insync.replicas";

  private final KafkaOptions options;
  private final KafkaProducer<String, byte[]> producer;

  private FencedTopic(KafkaOptions options) {
    this.options = options;
    producer =
        new KafkaProducer<>(settings(options), new StringSerializer(), new ByteArraySerializer());
  }

  private static Map<String, Object> settings(KafkaOptions options) {
    Map<String, Object> all = new HashMap<>(options.settings());
    all.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id(options));
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MILLIS);
    all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_RECORD_BYTES);
    return all;
  }

  private static String id(KafkaOptions options) {
    return "retroscope-" + options.topic();
  }

  /**
   * Shuts out all others, and creates the topic with the replicas of another one if there is none.
   *
   * @throws KafkaIngestException if that is not possible; the message names the setting
   */
  static FencedTopic open(KafkaOptions options, TopicProbe beside) throws InterruptedException {
    FencedTopic topic = null;
    try (TopicProbe probe = beside.at(options)) {
      ensure(options, probe, beside);
      topic = new FencedTopic(options);
      topic.producer.initTransactions();
      return topic;
    } catch (ProbeException | KafkaException e) {
      if (topic != null) {
        topic.close();
      }
      throw failed(options, e, KafkaFault.Use.READ);
    }
  }

  private static void ensure(KafkaOptions options, TopicProbe probe, TopicProbe beside)
      throws ProbeException, InterruptedException {
    String inSync = beside.setting(IN_SYNC, TIMEOUT_MILLIS);
    probe.createLike(beside, Map.of(CLEANUP, COMPACT, IN_SYNC, inSync), TIMEOUT_MILLIS);
    int partitions = known(probe).ends().size();
    String policy = probe.setting(CLEANUP, TIMEOUT_MILLIS);
    if (!policy.equals(COMPACT) || partitions != 1) {
      throw new KafkaIngestException(
          "topic \"%s\" has %d partitions and cleanup.policy=%s: it needs 1 and compact"
              .formatted(options.topic(), partitions, policy));
    }
  }

  /** The brokers know a new topic a moment later. */
  private static TopicState known(TopicProbe probe) throws ProbeException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return probe.query(TIMEOUT_MILLIS);
      } catch (ProbeException e) {
        if (e.fault().kind() != KafkaFault.Kind.MISSING || attempt == MAX_ATTEMPTS) {
          throw e;
        }
        Thread.sleep(POLL.toMillis());
      }
    }
  }

  private static KafkaIngestException failed(
      KafkaOptions options, Exception e, KafkaFault.Use use) {
    String reason =
        e instanceof ProbeException probe
            ? probe.fault().sentence()
            : KafkaFault.of(e, options, use).sentence();
    return new KafkaIngestException(
        "%s (topic \"%s\" needs the rights to read, write and describe it, and to use the transactional id \"%s\")"
            .formatted(reason, options.topic(), id(options)),
        e);
  }

  /**
   * Passes all records to a visitor in the order in which they were written; a key may be passed
   * several times, and a value is empty if the record was removed.
   *
   * @throws KafkaIngestException if they cannot be read
   */
  public void read(BiConsumer<String, Optional<byte[]>> visitor) {
    Map<String, Object> settings = options.consumerSettings();
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    TopicPartition only = new TopicPartition(options.topic(), 0);
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(List.of(only));
      consumer.seekToBeginning(List.of(only));
      long end = Objects.requireNonNull(consumer.endOffsets(List.of(only)).get(only));
      for (int empty = 0; consumer.position(only) < end; ) {
        long before = consumer.position(only);
        for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
          visitor.accept(record.key(), Optional.ofNullable(record.value()));
        }
        empty = consumer.position(only) > before ? 0 : empty + 1;
        if (empty == MAX_EMPTY_POLLS) {
          throw new org.apache.kafka.common.errors.TimeoutException("no record came");
        }
      }
    } catch (KafkaException e) {
      throw failed(options, e, KafkaFault.Use.READ);
    }
  }

  /**
   * Writes records, all or none of them, which all in-sync replicas have afterwards.
   *
   * @param records the new values by their keys; empty for a record that is removed
   * @throws KafkaIngestException if that is not possible, or another process has opened the topic;
   *     nothing can be written any more then
   */
  public synchronized void write(Map<String, Optional<byte[]>> records) {
    try {
      producer.beginTransaction();
      records.forEach(
          (key, value) -> {
            // The commit reports a failure.
            var unused =
                producer.send(new ProducerRecord<>(options.topic(), 0, key, value.orElse(null)));
          });
      producer.commitTransaction();
    } catch (ProducerFencedException | InvalidProducerEpochException e) {
      throw new KafkaIngestException("another server has taken over", e);
    } catch (KafkaException | IllegalStateException e) {
      throw failed(options, e, KafkaFault.Use.WRITE);
    }
  }

  @Override
  public void close() {
    producer.close(CLOSE_TIMEOUT);
  }
}
