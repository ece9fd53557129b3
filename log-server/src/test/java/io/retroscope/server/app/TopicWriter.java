// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** A writer of records to a topic, including ones that no sink would write. */
final class TopicWriter implements AutoCloseable {
  static final int BLOCK_EVENTS = 10;
  private static final long START_MICROS = 1_795_200_000_000_000L;

  private final KafkaProducer<String, byte[]> producer;
  private final String topic;

  TopicWriter(String brokers, String topic) {
    this.topic = topic;
    this.producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers, "acks", "all"),
            new StringSerializer(),
            new ByteArraySerializer());
  }

  /** Writes a record; returns when the broker has acknowledged it. */
  long write(int partition, byte @Nullable [] value) throws Exception {
    return producer.send(new ProducerRecord<>(topic, partition, "n", value)).get().offset();
  }

  void writeBlocks(int partition, String node, int from, int to) throws Exception {
    for (int number = from; number <= to; number++) {
      write(partition, block(node, number, 0));
    }
  }

  /** A node's block, with one event per millisecond. */
  static byte[] block(String node, int number, int firstValue) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", number);
    long hlc = 0;
    for (int i = 0; i < BLOCK_EVENTS; i++) {
      hlc = HlcTimestamp.pack(START_MICROS + 1_000L * (number * BLOCK_EVENTS + i));
      Change change = new Change(Operation.SET, "x", Value.of(firstValue + i));
      builder.add(new Event(node, "l", hlc, new StateChange(List.of(change))));
    }
    return EventBlockCodec.encode(builder.promise(hlc, 0).build());
  }

  /**
   * Writes blocks of a node, with events whose texts are distinct; returns when the broker has
   * acknowledged them.
   */
  void writeTexts(int partition, String node, int blocks, int eventsPerBlock) {
    String filling = "x".repeat(150);
    for (int number = 1; number <= blocks; number++) {
      EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", number);
      long hlc = 0;
      for (int i = 0; i < eventsPerBlock; i++) {
        long place = (long) number * eventsPerBlock + i;
        hlc = HlcTimestamp.pack(START_MICROS + place);
        Change change = new Change(Operation.SET, "x", Value.of(filling + node + place));
        builder.add(new Event(node, "l", hlc, new StateChange(List.of(change))));
      }
      byte[] block = EventBlockCodec.encode(builder.promise(hlc, 0).build());
      var unused = producer.send(new ProducerRecord<>(topic, partition, node, block));
    }
    producer.flush();
  }

  @Override
  public void close() {
    producer.close();
  }
}
