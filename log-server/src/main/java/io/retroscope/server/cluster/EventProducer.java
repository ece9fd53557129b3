// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.Run;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.LostBlocks;
import io.retroscope.server.kafka.Directive;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.ForgottenNode;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventIntake;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.Submission.NumberedEvent;
import io.retroscope.server.store.SuspectInputs;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.StoreConflictException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The intake of a cluster's server, which writes events to the topic; they are acknowledged when
 * all in-sync replicas have them. Thread-safe.
 */
final class EventProducer implements EventIntake, AutoCloseable {
  private static final int MAX_RECORD_BYTES = 32 << 20;
  private static final long BUFFER_BYTES = 32L << 20;
  private static final int DELIVERY_MILLIS = 20_000;
  private static final int REQUEST_MILLIS = 5_000;
  private static final int MAX_BLOCK_MILLIS = 5_000;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  private final EventTopic topic;
  private final SuspectInputs suspects;
  private final KafkaProducer<byte[], byte[]> producer;

  EventProducer(EventTopic topic, SuspectInputs suspects) {
    this.topic = topic;
    this.suspects = suspects;
    producer =
        new KafkaProducer<>(
            settings(topic.options()), new ByteArraySerializer(), new ByteArraySerializer());
  }

  static Map<String, Object> settings(KafkaOptions options) {
    Map<String, Object> all = new HashMap<>();
    all.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    all.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
    all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_RECORD_BYTES);
    all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
    all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
    all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MILLIS);
    all.putAll(options.settings());
    // An acknowledged event must survive, and a node's blocks must keep their order.
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    all.remove(ProducerConfig.PARTITIONER_CLASS_CONFIG);
    all.remove(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG);
    all.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
    return all;
  }

  @Override
  public CompletableFuture<Receipt> append(Submission submission, Charge charge) {
    List<EncodedFrame> frames = frames(submission);
    if (submission instanceof Submission.Lines lines) {
      try {
        state(lines);
      } catch (StoreException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
    List<CompletableFuture<Long>> sent = new ArrayList<>();
    for (EncodedFrame frame : frames) {
      sent.add(send(node(frame.content()), frame.bytes()));
    }
    Receipt receipt = new Receipt(eventCount(submission, frames), 0, 0);
    return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
        .thenApply(unused -> receipt);
  }

  /** The number of events, of which some may be sent repeatedly. */
  private static long eventCount(Submission submission, List<EncodedFrame> frames) {
    return submission instanceof Submission.Lines lines
        ? lines.events().size()
        : frames.stream()
            .mapToLong(frame -> frame.content() instanceof EventBlock block ? block.size() : 0)
            .sum();
  }

  /**
   * Writes what lines state about missing events, and waits: whatever happens, no query finds the
   * events without it.
   */
  private void state(Submission.Lines lines) {
    List<CompletableFuture<Long>> sent = new ArrayList<>();
    StatedLines.directives(lines, topic.partitionCount())
        .forEach(
            (partition, directives) ->
                directives.forEach(directive -> sent.add(begin(partition, directive))));
    await(CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)));
  }

  /**
   * The records with the events of a submission, all of which can be sent.
   *
   * @throws StoreConflictException if there is one that cannot be sent
   */
  static List<EncodedFrame> frames(Submission submission) {
    if (submission instanceof Submission.Frames frames) {
      frames.frames().forEach(frame -> node(frame.content()));
      return frames.frames();
    }
    if (!(submission instanceof Submission.Lines lines)) {
      throw new IllegalArgumentException("neither frames nor lines: " + submission);
    }
    List<EncodedFrame> frames = new ArrayList<>();
    Map<Run, List<Event>> runs = new LinkedHashMap<>();
    for (NumberedEvent line : lines.events()) {
      Event event = line.event();
      if (event.body() instanceof EventBody.Heartbeat heartbeat && heartbeat.promiseMicros() > 0) {
        frames.add(encoded(heartbeat(event, heartbeat.promiseMicros())));
      } else {
        runs.computeIfAbsent(new Run(event.node(), event.incarnation()), run -> new ArrayList<>())
            .add(event);
      }
    }
    runs.forEach(
        (run, own) -> LineBlocks.add(run.incarnation(), own, block -> frames.add(encoded(block))));
    return frames;
  }

  /** Events of a block have no promises of their own: this one has that of its only event. */
  private static EventBlock heartbeat(Event event, long promiseMicros) {
    return new EventBlockBuilder(1)
        .incarnation(event.incarnation(), 0)
        .promise(event.hlc(), 0, promiseMicros)
        .add(event)
        .build();
  }

  private static EncodedFrame encoded(EventBlock block) {
    return new EncodedFrame(block, EventBlockCodec.encode(block));
  }

  private static String node(BlockFrame frame) {
    if (frame instanceof LostBlocks lost) {
      return lost.node();
    }
    List<String> nodes = ((EventBlock) frame).nodes();
    if (nodes.size() != 1) {
      throw new StoreConflictException(
          "a block for a cluster has the events of one node, not of " + nodes.size());
    }
    return nodes.get(0);
  }

  /**
   * Writes to the topic that all runs of a node are closed.
   *
   * @throws StoreException if that is not possible
   */
  void forget(String node) {
    Long unused = await(send(node, ForgottenNode.value()));
  }

  /**
   * Writes to a partition what all of its stores have to do.
   *
   * @return the offset of the record
   * @throws StoreException if that is not possible
   */
  long direct(int partition, Directive directive) {
    return await(begin(partition, directive));
  }

  private CompletableFuture<Long> begin(int partition, Directive directive) {
    String name = topic.options().topic();
    return send(new ProducerRecord<>(name, partition, Directive.key(), directive.value()));
  }

  private static <T extends @Nullable Object> T await(CompletableFuture<T> sent) {
    try {
      return sent.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure ? failure : e;
    }
  }

  private CompletableFuture<Long> send(String node, byte[] bytes) {
    byte[] key = node.getBytes(StandardCharsets.UTF_8);
    return send(new ProducerRecord<>(topic.options().topic(), key, bytes));
  }

  private CompletableFuture<Long> send(ProducerRecord<byte[], byte[]> record) {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    try {
      var unused =
          producer.send(
              record,
              (metadata, failure) ->
                  Optional.ofNullable(failure)
                      .ifPresentOrElse(
                          e -> answer.completeExceptionally(failed(e)),
                          () -> answer.complete(metadata.offset())));
    } catch (KafkaException | IllegalStateException e) {
      answer.completeExceptionally(failed(e));
    }
    return answer;
  }

  private StoreException failed(Exception e) {
    return new StoreException("the topic could not be written: " + topic.explainWriting(e), e);
  }

  @Override
  public SuspectInputs suspects() {
    return suspects;
  }

  @Override
  public void close() {
    producer.close(CLOSE_TIMEOUT);
  }
}
