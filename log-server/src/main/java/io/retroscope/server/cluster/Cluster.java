// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.EventIntake;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.SuspectInputs;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsMetadata;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of this process in a cluster: the stores of its partitions and copies, the way to those
 * of other servers, and the way of events into the topic. Thread-safe.
 */
public final class Cluster implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(Cluster.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
  private static final long SEAL_PERIOD_MILLIS = 1_000;

  /** The age at which blocks are sealed; few events are later than that. */
  private static final long SEAL_AGE_MICROS = TimeUnit.SECONDS.toMicros(30);

  private final ClusterOptions options;
  private final EventTopic topic;
  private final Partitions partitions;
  private final KafkaStreams streams;
  private final EventProducer producer;
  private final ClusterSource source;
  private final Readings readings;
  private final ScheduledExecutorService sealing = Executors.newSingleThreadScheduledExecutor();
  private final PhysicalClock clock;
  private volatile Optional<String> stopped = Optional.empty();

  /**
   * What one server of the cluster has.
   *
   * @param owned the partitions that it reads and answers
   * @param copies the partitions that it would take over
   */
  public record Instance(String host, int port, Set<Integer> owned, Set<Integer> copies) {}

  private Cluster(
      ClusterOptions options,
      Path data,
      EventTopic topic,
      StoreOptions storeOptions,
      PhysicalClock clock,
      MonotonicClock stopwatch) {
    this.options = options;
    this.topic = topic;
    this.clock = clock;
    partitions = new Partitions(topic.id().toString());
    PartitionStore.Settings settings =
        new PartitionStore.Settings(topic, partitions, storeOptions, clock, stopwatch);
    Properties properties = StreamsSettings.of(options, data.resolve("partitions"));
    streams = new KafkaStreams(EventTopology.of(settings), properties);
    streams.setUncaughtExceptionHandler(this::handle);
    producer = new EventProducer(topic, SuspectInputs.in(data));
    source = new ClusterSource(options, topic, partitions, this::holders, stopwatch);
    readings = new Readings(partitions, options.token(), stopwatch);
  }

  /**
   * Joins a cluster.
   *
   * @param data the folder of the stores
   * @param storeOptions of all stores together, in one budget of memory
   * @throws KafkaIngestException if the topic cannot be used; the message names the setting
   * @throws StoreException if the folder is of another topic, or cannot be used
   */
  public static Cluster join(
      ClusterOptions options,
      Path data,
      StoreOptions storeOptions,
      PhysicalClock clock,
      MonotonicClock stopwatch) {
    EventTopic topic = EventTopic.open(options.kafka(), stopwatch);
    Cluster cluster;
    try {
      Files.createDirectories(data);
      TopicMark.check(data, topic);
      StoreOptions shared = storeOptions.sharedBy(topic.partitionCount());
      cluster = new Cluster(options, data, topic, shared, clock, stopwatch);
    } catch (IOException e) {
      topic.close();
      throw new StoreException("the folder " + data + " cannot be used: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      topic.close();
      throw e;
    }
    try {
      cluster.start();
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw explained(e);
    }
  }

  /** Streams wraps what a store reports. */
  private static RuntimeException explained(RuntimeException failure) {
    Throwable cause = failure;
    while (cause != null
        && !(cause instanceof KafkaIngestException || cause instanceof StoreException)) {
      cause = cause.getCause();
    }
    return cause == null
        ? new StoreException("Kafka Streams cannot start: " + failure.getMessage(), failure)
        : (RuntimeException) cause;
  }

  private void start() {
    streams.start();
    ScheduledFuture<?> unused =
        sealing.scheduleWithFixedDelay(
            this::keepHouse, SEAL_PERIOD_MILLIS, SEAL_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    logger.info("joined the cluster: {}", options);
  }

  private StreamThreadExceptionResponse handle(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && !(cause instanceof KafkaIngestException)) {
      cause = cause.getCause();
    }
    FatalErrors.check(cause);
    if (isLasting(cause)) {
      stopped = Optional.of(String.valueOf(cause.getMessage()));
      logger.error("this server does not read the topic any more: {}", cause.getMessage());
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }
    logger.error("reading the topic begins again after a failure", failure);
    return StreamThreadExceptionResponse.REPLACE_THREAD;
  }

  /** Whether reading cannot continue until an operator changes something. */
  static boolean isLasting(Throwable cause) {
    return cause instanceof KafkaIngestException failure && failure.isLasting();
  }

  private void keepHouse() {
    readings.closeUnused();
    try {
      long horizon = HlcTimestamp.pack(Math.max(0, clock.micros() - SEAL_AGE_MICROS));
      partitions.all().values().forEach(store -> store.seal(horizon));
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.warn("blocks could not be sealed: {}", e.toString());
    }
  }

  /** The events of all partitions. */
  public EventSource source() {
    return source;
  }

  /** The way of events into the topic. */
  public EventIntake intake() {
    return producer;
  }

  /** The answers to the other servers. */
  public Readings readings() {
    return readings;
  }

  /** The servers of the cluster as this one knows them, by address. */
  public List<Instance> instances() {
    List<Instance> instances = new ArrayList<>();
    for (StreamsMetadata server : metadata()) {
      instances.add(
          new Instance(
              server.host(),
              server.port(),
              numbers(server.topicPartitions()),
              numbers(server.standbyTopicPartitions())));
    }
    instances.sort(
        (a, b) ->
            a.host().equals(b.host())
                ? Integer.compare(a.port(), b.port())
                : a.host().compareTo(b.host()));
    return instances;
  }

  private Collection<StreamsMetadata> metadata() {
    try {
      return streams.metadataForAllStreamsClients();
    } catch (IllegalStateException e) {
      return Set.of(); // Streams has not begun, or has ended.
    }
  }

  private static Set<Integer> numbers(Set<TopicPartition> partitions) {
    Set<Integer> numbers = new TreeSet<>();
    partitions.forEach(partition -> numbers.add(partition.partition()));
    return numbers;
  }

  /** The offset after the last stored record of each partition here. */
  public Map<Integer, Long> offsets() {
    return partitions.offsets();
  }

  /** The number of partitions of the topic. */
  public int partitionCount() {
    return topic.partitionCount();
  }

  /** The reason why this server does not read the topic, in one sentence; empty if it does. */
  public Optional<String> trouble() {
    if (stopped.isPresent()) {
      return stopped;
    }
    Optional<String> storing =
        partitions.all().values().stream().flatMap(store -> store.trouble().stream()).findFirst();
    return storing.isPresent() || streams.state() == KafkaStreams.State.RUNNING
        ? storing
        : Optional.of(
            "partitions are being distributed or restored (%s)".formatted(streams.state()));
  }

  private List<URI> holders(int partition) {
    List<URI> owners = new ArrayList<>();
    List<URI> copies = new ArrayList<>();
    for (Instance server : instances()) {
      URI address =
          URI.create(
              "%s://%s:%d"
                  .formatted(options.advertised().getScheme(), server.host(), server.port()));
      boolean isOwn =
          server.host().equals(options.advertised().getHost())
              && server.port() == options.advertised().getPort();
      if (server.owned().contains(partition) && !isOwn) {
        owners.add(address);
      } else if (server.copies().contains(partition) && !isOwn) {
        copies.add(address);
      }
    }
    owners.addAll(copies);
    return owners;
  }

  /** Leaves the cluster; the stores remain for the next start. */
  @Override
  public void close() {
    source.close();
    sealing.shutdownNow();
    boolean unused = streams.close(CLOSE_TIMEOUT);
    // Those of tasks that never began.
    partitions.all().values().forEach(PartitionStore::close);
    readings.close();
    producer.close();
    topic.close();
  }
}
