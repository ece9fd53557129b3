// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.sink.DeliveringSink;

/**
 * A sink that sends blocks to one Kafka topic, from which log servers read them. See {@link
 * DeliveringSink} for its behaviour while the broker is unavailable. Thread-safe.
 *
 * <p>A record is one encoded frame, unchanged. Its key is the node, so that a node's frames remain
 * in order in one partition; its headers name node, incarnation and block number. A frame may be in
 * the topic twice, because a send whose acknowledgement was lost is retried; readers identify it by
 * its number.
 */
public final class KafkaSink extends DeliveringSink {
  /** The default topic. */
  public static final String DEFAULT_TOPIC = "retroscope";

  KafkaSink(KafkaSinkBuilder builder, KafkaTransport transport) {
    super(transport, builder);
  }

  /**
   * A builder.
   *
   * @param brokers Kafka's {@code bootstrap.servers}: {@code host:port}, separated by commas
   */
  public static KafkaSinkBuilder builder(String brokers) {
    return new KafkaSinkBuilder(brokers);
  }
}
