// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.streams.StreamsConfig;

/** The settings of Kafka Streams for a cluster. */
/*
 * HAZARD: each of these protects the stores.
 * - Streams' exactly_once deletes a store when retention has overtaken it. With at_least_once the
 *   stores are exactly once by themselves.
 * - A partition must not move to an empty store, which Streams' own assignor allows if it lacks no
 *   more records than its recovery lag: a record may be a block of thousands of events. Without
 *   such a lag it moves partitions that others own, too, when a server ends. So there is our own.
 * - Folders of partitions that have left must not be deleted: they may come back.
 * - A partition that is read for the first time must be read from its first record.
 * - The new group protocol notices a killed server only after 45 s.
 */
final class StreamsSettings {
  private static final int SESSION_MILLIS = 6_000;

  /** A server notices by its next heartbeat that another one has left. */
  private static final int HEARTBEAT_MILLIS = 250;

  /** Copies that are made at a time, so that partitions can move to them later. */
  private static final int WARM_UPS = 4;

  private static final int COMMIT_MILLIS = 1_000;
  private static final int POLL_MILLIS = 20;
  private static final int MAX_FETCH_BYTES = 8 << 20;
  private static final int MAX_PARTITION_FETCH_BYTES = 2 << 20;
  private static final int MAX_POLL_RECORDS = 200;

  private StreamsSettings() {}

  static Properties of(ClusterOptions options, Path folder) {
    Properties all = new Properties();
    all.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, MAX_FETCH_BYTES);
    all.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, MAX_PARTITION_FETCH_BYTES);
    all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
    all.put(StreamsConfig.POLL_MS_CONFIG, POLL_MILLIS);
    all.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_MILLIS);
    all.putAll(options.kafka().settings());
    Map<String, Object> fixed = fixed(options, folder);
    // Streams gives "main.consumer." and the like precedence.
    all.keySet()
        .removeIf(
            key -> fixed.keySet().stream().anyMatch(own -> key.toString().endsWith("." + own)));
    all.putAll(fixed);
    return all;
  }

  private static Map<String, Object> fixed(ClusterOptions options, Path folder) {
    Map<String, Object> all = new HashMap<>();
    all.put(StreamsConfig.APPLICATION_ID_CONFIG, "retroscope-" + options.kafka().topic());
    all.put(
        StreamsConfig.APPLICATION_SERVER_CONFIG,
        options.advertised().getHost() + ":" + options.advertised().getPort());
    all.put(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    all.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, options.copies());
    all.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.AT_LEAST_ONCE);
    all.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "classic");
    all.put(StreamsConfig.TASK_ASSIGNOR_CLASS_CONFIG, StoreAssignor.class.getName());
    all.put(StreamsConfig.MAX_WARMUP_REPLICAS_CONFIG, WARM_UPS);
    all.put(StreamsConfig.STATE_CLEANUP_DELAY_MS_CONFIG, Duration.ofDays(3_650).toMillis());
    all.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    all.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_MILLIS);
    all.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MILLIS);
    return all;
  }
}
