/**
 * Reads the blocks of services from a Kafka topic into the store, each once.
 *
 * <p>One thread reads ({@code TopicReader}), one asks the broker how the topic is ({@code
 * TopicProbe}); {@code KafkaIngest} is both.
 */
@NullMarked
package io.retroscope.server.kafka;

import org.jspecify.annotations.NullMarked;
