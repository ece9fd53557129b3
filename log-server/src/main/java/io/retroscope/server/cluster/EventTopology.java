// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.StoreBuilder;
import org.jspecify.annotations.Nullable;

/** The topology of a cluster: the topic of events, and a store per partition that it fills. */
final class EventTopology {
  private static final String SOURCE = "topic";
  private static final String WRITER = "writer";

  /** The longest time until a record that came last is being stored. */
  private static final Duration HAND_OVER = Duration.ofMillis(20);

  private EventTopology() {}

  static Topology of(PartitionStore.Settings settings) {
    Topology topology = new Topology();
    return topology.addReadOnlyStateStore(
        new Stores(settings),
        SOURCE,
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer(),
        settings.topic().options().topic(),
        WRITER,
        Writer::new);
  }

  /** Adds the records of a partition that is owned here to its store. */
  private static final class Writer implements Processor<byte[], byte[], Void, Void> {
    private @Nullable ProcessorContext<Void, Void> context;
    private @Nullable PartitionStore store;

    @Override
    public void init(ProcessorContext<Void, Void> context) {
      this.context = context;
      PartitionStore own = context.getStateStore(PartitionStore.NAME);
      store = own;
      context.schedule(HAND_OVER, PunctuationType.WALL_CLOCK_TIME, now -> own.handOver());
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
      if (context == null || store == null) {
        throw new IllegalStateException("the writer is not initialized");
      }
      RecordMetadata from = context.recordMetadata().orElseThrow();
      store.add(
          new ConsumerRecord<>(
              from.topic(),
              from.partition(),
              from.offset(),
              record.timestamp(),
              TimestampType.LOG_APPEND_TIME,
              ConsumerRecord.NULL_SIZE,
              ConsumerRecord.NULL_SIZE,
              record.key(),
              record.value(),
              new RecordHeaders(),
              Optional.empty()));
    }
  }

  /** Makes the stores of partitions, whose topic is their only log. */
  private record Stores(PartitionStore.Settings settings) implements StoreBuilder<PartitionStore> {
    @Override
    public StoreBuilder<PartitionStore> withCachingEnabled() {
      throw new UnsupportedOperationException("the store has a cache of its own");
    }

    @Override
    public StoreBuilder<PartitionStore> withCachingDisabled() {
      return this;
    }

    @Override
    public StoreBuilder<PartitionStore> withLoggingEnabled(Map<String, String> config) {
      throw new UnsupportedOperationException("the store is restored from the topic of events");
    }

    @Override
    public StoreBuilder<PartitionStore> withLoggingDisabled() {
      return this;
    }

    @Override
    public PartitionStore build() {
      return new PartitionStore(settings);
    }

    @Override
    public Map<String, String> logConfig() {
      return Map.of();
    }

    @Override
    public boolean loggingEnabled() {
      return false;
    }

    @Override
    public String name() {
      return PartitionStore.NAME;
    }
  }
}
