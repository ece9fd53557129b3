// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.sink.DeliveringSinkBuilder;
import io.retroscope.sink.SinkProvider;
import java.net.URI;

/**
 * The provider of a {@link KafkaSink} for {@code kafka://broker1:9092,broker2:9092/topic}; the
 * default topic is {@value KafkaSink#DEFAULT_TOPIC}. Thread-safe.
 */
public final class KafkaSinkProvider implements SinkProvider {
  /** For the service loader. */
  public KafkaSinkProvider() {}

  @Override
  public String scheme() {
    return "kafka";
  }

  @Override
  public DeliveringSinkBuilder<?> builder(URI address) {
    String brokers = address.getRawAuthority();
    if (brokers == null) {
      throw new IllegalArgumentException(
          "no broker in \"" + address + "\": use the form kafka://broker1:9092,broker2:9092/topic");
    }
    KafkaSinkBuilder builder = KafkaSink.builder(brokers);
    String path = address.getPath();
    String topic = path.startsWith("/") ? path.substring(1) : path;
    return topic.isEmpty() ? builder : builder.topic(topic);
  }
}
