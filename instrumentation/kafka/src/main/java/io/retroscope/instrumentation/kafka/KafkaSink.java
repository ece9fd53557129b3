package io.retroscope.instrumentation.kafka;

import io.retroscope.sink.DeliveringSink;

/**
 * Sends blocks to one Kafka topic, from which log servers read them. See {@link DeliveringSink} for
 * what it does while the broker is away. Thread-safe.
 *
 * <p>A record is one encoded frame, as it is. Its key is the node, so that a node's frames stay in
 * order in one partition; its headers name node, incarnation and block number. A frame may be in
 * the topic twice, for a send whose answer was lost is repeated; whoever reads it knows it by its
 * number.
 */
public final class KafkaSink extends DeliveringSink {
  /** The topic unless told otherwise. */
  public static final String DEFAULT_TOPIC = "retroscope";

  KafkaSink(KafkaSinkBuilder builder, KafkaTransport transport) {
    super(transport, builder);
  }

  /**
   * A builder.
   *
   * @param brokers what Kafka calls {@code bootstrap.servers}: {@code host:port}, separated by
   *     commas
   */
  public static KafkaSinkBuilder builder(String brokers) {
    return new KafkaSinkBuilder(brokers);
  }
}
