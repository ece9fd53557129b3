// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * The topic that a log server reads, and the options of reading it.
 *
 * @param settings Kafka's own client settings, including {@code bootstrap.servers}; values may be
 *     secrets, so nothing here prints one
 * @param from the position to begin at
 * @param batchBytes memory of the records that are stored together; twice as much is used
 */
public record KafkaOptions(
    Map<String, String> settings, String topic, StartFrom from, long batchBytes) {
  /** The default topic of the server and of the sink. */
  public static final String DEFAULT_TOPIC = "retroscope";

  private static final int MAX_FETCH_BYTES = 8 << 20;
  private static final int MAX_PARTITION_FETCH_BYTES = 2 << 20;
  private static final int MAX_POLL_RECORDS = 200;
  private static final int REQUEST_TIMEOUT_MILLIS = 10_000;
  private static final int PROBE_TIMEOUT_MILLIS = 5_000;

  /** Checks the ranges. */
  public KafkaOptions {
    settings = Map.copyOf(settings);
    if (topic.isBlank()) {
      throw new IllegalArgumentException("the topic's name is empty");
    }
    if (batchBytes < 1) {
      throw new IllegalArgumentException("a batch of " + batchBytes + " bytes");
    }
  }

  /** The defaults. */
  public static KafkaOptions of(Map<String, String> settings, String topic) {
    return new KafkaOptions(settings, topic, StartFrom.STORED, 32 << 20);
  }

  /** A copy that begins at another position. */
  public KafkaOptions from(StartFrom start) {
    return new KafkaOptions(settings, topic, start, batchBytes);
  }

  /** A copy for another topic. */
  KafkaOptions at(String other) {
    return new KafkaOptions(settings, other, from, batchBytes);
  }

  /** The value of {@code bootstrap.servers}; empty if it is missing. */
  public String brokers() {
    return settings.getOrDefault(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "");
  }

  Map<String, Object> consumerSettings() {
    Map<String, Object> all = new HashMap<>();
    // Waiting for more data would delay live queries: whatever is available is returned
    // immediately.
    all.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    all.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, MAX_FETCH_BYTES);
    all.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, MAX_PARTITION_FETCH_BYTES);
    all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
    all.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MILLIS);
    all.put(ConsumerConfig.CLIENT_ID_CONFIG, "retroscope-log-server");
    all.putAll(settings);
    // The store keeps the positions, and gaps must be detected.
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return all;
  }

  Map<String, Object> probeSettings() {
    Map<String, Object> all = new HashMap<>();
    all.put(AdminClientConfig.CLIENT_ID_CONFIG, "retroscope-log-server-probe");
    all.putAll(settings);
    all.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PROBE_TIMEOUT_MILLIS);
    all.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PROBE_TIMEOUT_MILLIS);
    return all;
  }

  @Override
  public String toString() {
    return "topic \"%s\" at %s, from %s, with %s"
        .formatted(topic, brokers(), from, settings.keySet());
  }
}
