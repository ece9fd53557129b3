// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.sink.ClientSettings;
import io.retroscope.sink.DeliveringSinkBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * The settings of a {@link KafkaSink}. Kafka's own settings, such as those for TLS and SASL, come
 * from {@link #settings}, otherwise from the environment, the system properties or a file, as
 * described in {@link ClientSettings} for the library {@code kafka}. Not thread-safe.
 */
public final class KafkaSinkBuilder extends DeliveringSinkBuilder<KafkaSinkBuilder> {
  private static final int MAX_RECORD_BYTES = 16 << 20;

  private final String brokers;
  private final Map<String, Object> settings = new HashMap<>();
  private String topic = KafkaSink.DEFAULT_TOPIC;
  private Duration deliveryTimeout = Duration.ofSeconds(10);

  KafkaSinkBuilder(String brokers) {
    this.brokers = brokers;
  }

  @Override
  protected KafkaSinkBuilder self() {
    return this;
  }

  /**
   * The topic, {@value KafkaSink#DEFAULT_TOPIC} by default. It must exist, or the broker must
   * create topics automatically.
   */
  public KafkaSinkBuilder topic(String topic) {
    this.topic = topic;
    return this;
  }

  /**
   * Settings for Kafka's producer, such as those for TLS and SASL; the sink's own guarantees cannot
   * be disabled.
   */
  public KafkaSinkBuilder settings(Map<String, ?> producerSettings) {
    settings.putAll(producerSettings);
    return this;
  }

  /** The timeout of one attempt, 1 ms or more; 10 s by default. */
  public KafkaSinkBuilder deliveryTimeout(Duration timeout) {
    positive("deliveryTimeout in ms", timeout.toMillis());
    this.deliveryTimeout = timeout;
    return this;
  }

  /**
   * Starts the sink. The broker need not be available yet.
   *
   * @throws IllegalArgumentException if Kafka refuses a setting; the message names it
   * @throws java.io.UncheckedIOException if the spill directory cannot be used
   */
  @Override
  public KafkaSink build() {
    Map<String, Object> all = new HashMap<>();
    all.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_RECORD_BYTES);
    all.putAll(ClientSettings.ofProcess("kafka"));
    all.putAll(settings);
    KafkaTransport transport = KafkaTransport.to(all, brokers, topic, deliveryTimeout);
    try {
      return new KafkaSink(this, transport);
    } catch (RuntimeException e) {
      transport.close();
      throw e;
    }
  }
}
