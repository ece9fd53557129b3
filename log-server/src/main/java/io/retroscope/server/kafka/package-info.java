/**
 * Reads the blocks of services from a Kafka topic into the store, each exactly once, because the
 * store keeps the read positions together with the blocks.
 *
 * <p>{@code KafkaIngest} runs two threads: {@code TopicReader} reads and stores records, and {@code
 * TopicProbe} periodically queries the broker for the state of the topic. {@code StartPlan} decides
 * where reading begins, and {@code Progress} reports to live queries how far it is.
 */
@NullMarked
package io.retroscope.server.kafka;

import org.jspecify.annotations.NullMarked;
