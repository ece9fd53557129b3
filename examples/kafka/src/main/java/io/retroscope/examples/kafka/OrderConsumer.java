// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.instrumentation.kafka.HlcConsumerInterceptor;
import io.retroscope.instrumentation.kafka.HlcRebalanceListener;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A service that handles orders: a member of a consumer group, traced. */
public final class OrderConsumer {
  /** The consumer group. */
  static final String GROUP = "shop";

  /** While this file is in the working directory, a batch does not end. */
  static final String SLOW_FILE = "slow";

  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CHECK = Duration.ofMillis(10);

  private OrderConsumer() {}

  /**
   * Handles orders until the process ends.
   *
   * @param args Kafka's {@code bootstrap.servers}, and the topic
   */
  public static void main(String[] args) throws InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    Map<String, Object> settings = settings(args[0], recorder.node());
    settings.put("interceptor.classes", HlcConsumerInterceptor.class.getName());
    run(settings, args[1], recorder, new HlcRebalanceListener(recorder.log("group")));
  }

  /** Handles orders with other hooks. */
  static void run(
      Map<String, Object> settings, String topic, Recorder recorder, ConsumerRebalanceListener hook)
      throws InterruptedException {
    EventLog group = recorder.log("group");
    EventLog shop = recorder.log("shop");
    try (KafkaConsumer<String, Long> consumer = new KafkaConsumer<>(settings)) {
      ConsumerRebalanceListener listener = Loss.noting(recorder.node(), hook);
      consumer.subscribe(List.of(topic), listener);
      long refused = 0;
      group.set("refused", refused);
      while (true) {
        ConsumerRecords<String, Long> batch = consumer.poll(POLL);
        for (ConsumerRecord<String, Long> order : batch) {
          shop.set("handled", order.value());
        }
        if (batch.isEmpty()) {
          continue;
        }
        takeTime();
        try {
          consumer.commitSync();
        } catch (CommitFailedException e) {
          group.set("refused", ++refused); // others own the partitions, and handle the batch again
        } catch (RebalanceInProgressException e) {
          // The next poll completes the rebalance.
        }
      }
    }
  }

  /** The settings of the consumer, but for the hook. */
  static Map<String, Object> settings(String brokers, String node) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", brokers);
    settings.put("group.id", GROUP);
    settings.put("client.id", node);
    settings.put("key.deserializer", StringDeserializer.class.getName());
    settings.put("value.deserializer", LongDeserializer.class.getName());
    settings.put("max.poll.interval.ms", "2000");
    settings.put("session.timeout.ms", "2000");
    settings.put("heartbeat.interval.ms", "200");
    settings.put("auto.offset.reset", "earliest");
    settings.put("enable.auto.commit", "false");
    return settings;
  }

  private static void takeTime() throws InterruptedException {
    while (Files.exists(Path.of(SLOW_FILE))) {
      Thread.sleep(CHECK.toMillis());
    }
  }
}
