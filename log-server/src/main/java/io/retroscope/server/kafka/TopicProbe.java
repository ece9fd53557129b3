// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.live.MonotonicClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * A periodic query of the topic's state: a consumer alone notices neither that a broker is gone,
 * nor that a topic of the same name is a different one. Thread-safe.
 */
final class TopicProbe implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  private final KafkaOptions options;
  private final MonotonicClock clock;
  private final Admin admin;

  /** A failure with an explanation for operators. */
  static final class ProbeException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient KafkaFault fault;

    ProbeException(KafkaFault fault, Throwable cause) {
      super(fault.sentence(), cause);
      this.fault = fault;
    }

    KafkaFault fault() {
      return fault;
    }
  }

  TopicProbe(KafkaOptions options, MonotonicClock clock) {
    this.options = options;
    this.clock = clock;
    this.admin = Admin.create(options.probeSettings());
  }

  /** A probe of another topic of the same brokers. */
  TopicProbe at(KafkaOptions other) {
    return new TopicProbe(other, clock);
  }

  /** The present ends of a topic, and what identifies it. */
  record Ends(Uuid id, Map<Integer, Long> ends) {}

  TopicState query(long timeoutMillis) throws ProbeException, InterruptedException {
    long queriedNanos = clock.nanos();
    try {
      TopicDescription description = described(timeoutMillis);
      var begins = offsets(description, OffsetSpec.earliest());
      var ends = offsets(description, OffsetSpec.latest());
      return new TopicState(
          description.topicId(),
          offsets(await(begins, timeoutMillis)),
          offsets(await(ends, timeoutMillis)),
          queriedNanos);
    } catch (ExecutionException | TimeoutException e) {
      throw new ProbeException(fault(e, KafkaFault.Use.READ), e);
    }
  }

  /** A part of {@link #query}, with a request less, for what is needed all the time. */
  Ends ends(long timeoutMillis) throws ProbeException, InterruptedException {
    try {
      TopicDescription description = described(timeoutMillis);
      var ends = offsets(description, OffsetSpec.latest());
      return new Ends(description.topicId(), offsets(await(ends, timeoutMillis)));
    } catch (ExecutionException | TimeoutException e) {
      throw new ProbeException(fault(e, KafkaFault.Use.READ), e);
    }
  }

  private TopicDescription described(long timeoutMillis)
      throws ProbeException, ExecutionException, InterruptedException, TimeoutException {
    TopicDescription description = await(description(), timeoutMillis);
    checkRight(description);
    return description;
  }

  private KafkaFuture<Map<TopicPartition, ListOffsetsResultInfo>> offsets(
      TopicDescription topic, OffsetSpec which) {
    Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
    for (TopicPartitionInfo partition : topic.partitions()) {
      wanted.put(new TopicPartition(options.topic(), partition.partition()), which);
    }
    return admin.listOffsets(wanted).all();
  }

  /** One of the topic's settings; empty if the broker does not know it. */
  String setting(String name, long timeoutMillis) throws ProbeException, InterruptedException {
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, options.topic());
    try {
      Config all =
          Objects.requireNonNull(
              await(admin.describeConfigs(List.of(topic)).all(), timeoutMillis).get(topic));
      ConfigEntry entry = all.get(name);
      return entry == null ? "" : entry.value();
    } catch (ExecutionException | TimeoutException e) {
      throw new ProbeException(fault(e, KafkaFault.Use.SETTINGS), e);
    }
  }

  /**
   * Creates the topic with one partition, as many replicas as another topic, and some settings.
   * Nothing happens if there is one.
   */
  void createLike(TopicProbe other, Map<String, String> settings, long timeoutMillis)
      throws ProbeException, InterruptedException {
    try {
      int replicas =
          await(other.description(), timeoutMillis).partitions().get(0).replicas().size();
      NewTopic own = new NewTopic(options.topic(), 1, (short) replicas).configs(settings);
      await(admin.createTopics(List.of(own)).all(), timeoutMillis);
    } catch (ExecutionException | TimeoutException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw new ProbeException(fault(e, KafkaFault.Use.CREATE), e);
      }
    }
  }

  private KafkaFuture<TopicDescription> description() {
    DescribeTopicsOptions withRights =
        new DescribeTopicsOptions().includeAuthorizedOperations(true);
    return Objects.requireNonNull(
        admin
            .describeTopics(List.of(options.topic()), withRights)
            .topicNameValues()
            .get(options.topic()));
  }

  private KafkaFault fault(Exception e, KafkaFault.Use use) {
    return e instanceof TimeoutException
        ? KafkaFault.of(new org.apache.kafka.common.errors.TimeoutException(), options)
        : KafkaFault.of(e, options, use);
  }

  private void checkRight(TopicDescription description) throws ProbeException {
    Set<AclOperation> allowed = description.authorizedOperations();
    // Brokers that do not know the permissions omit them.
    if (allowed != null && !allowed.isEmpty() && !allowed.contains(AclOperation.READ)) {
      KafkaFault fault = KafkaFault.noRight(options, KafkaFault.Use.READ);
      throw new ProbeException(fault, new IllegalStateException(allowed.toString()));
    }
  }

  private static <T> T await(KafkaFuture<T> future, long timeoutMillis)
      throws ExecutionException, InterruptedException, TimeoutException {
    return future.get(timeoutMillis, TimeUnit.MILLISECONDS);
  }

  private static Map<Integer, Long> offsets(Map<TopicPartition, ListOffsetsResultInfo> found) {
    Map<Integer, Long> offsets = new HashMap<>();
    found.forEach((partition, info) -> offsets.put(partition.partition(), info.offset()));
    return offsets;
  }

  @Override
  public void close() {
    admin.close(CLOSE_TIMEOUT);
  }
}
