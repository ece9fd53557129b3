// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.Directive;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.FencedTopic;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.lines.Arrivals;
import io.retroscope.server.live.LateLog;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.store.EventIntake;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.EventStore.Doubts;
import io.retroscope.server.store.EventStore.Figures;
import io.retroscope.server.store.QuarantineAccess;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.SuspectInputs;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.Incarnation;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.CloseOptions.GroupMembershipOperation;
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
  private static final Duration NEWS_TIMEOUT = Duration.ofSeconds(2);

  /** The bits of the topic's identity that distinguish its streams from others. */
  private static final long RUN_BITS = 0x7fffff;

  private static final long HOUSEKEEPING_PERIOD_MILLIS = 1_000;
  private static final long TOPIC_PERIOD_SECONDS = 60;

  /** The pause before the topic is read again after a failure. */
  private static final long RETRY_MILLIS = 1_000;

  private final ClusterOptions options;
  private final Path data;
  private final StoreOptions storeOptions;
  private final EventTopic topic;
  private final Partitions partitions;
  private final KafkaStreams streams;
  private final EventProducer producer;
  private final ClusterSource source;
  private final Readings readings;
  private final Slices slices;
  private final ScheduledExecutorService sealing = Executors.newSingleThreadScheduledExecutor();

  /** Waits for the topic, for which nothing else may wait. */
  private final ScheduledExecutorService retention = Executors.newSingleThreadScheduledExecutor();

  private final Times times;
  private final WatermarkTracker watermarks;
  private final LateLog late;
  private final FollowedPartitions followed;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile Optional<String> stopped = Optional.empty();
  private volatile Optional<String> unsuitable = Optional.empty();
  private volatile BooleanSupplier listens = () -> false;

  /** The servers when this one began to leave; empty before. */
  private volatile Collection<StreamsMetadata> left = Set.of();

  /** Why the last thread that read the topic ended; empty since partitions are read again. */
  private volatile Optional<String> failure = Optional.empty();

  /**
   * What one server of the cluster has.
   *
   * @param owned the partitions that it reads and answers
   * @param copies the partitions that it would take over
   */
  public record Instance(String host, int port, Set<Integer> owned, Set<Integer> copies) {}

  /** The answer of another server to the request of a client. */
  @SuppressWarnings("ArrayRecordComponent") // Handed over without copying; never compared.
  public record Passed(int status, String mediaType, byte[] body) {}

  /**
   * How time passes.
   *
   * @param clock of the machine
   * @param idleTimeout the silence from which on live queries do not wait for a node
   * @param alignment of the nodes' clocks
   */
  public record Times(
      PhysicalClock clock,
      MonotonicClock stopwatch,
      Duration idleTimeout,
      AlignmentSettings alignment) {}

  private Cluster(
      ClusterOptions options, Path data, EventTopic topic, StoreOptions storeOptions, Times times) {
    this.options = options;
    this.data = data;
    this.storeOptions = storeOptions;
    this.topic = topic;
    this.times = times;
    MonotonicClock stopwatch = times.stopwatch();
    partitions = new Partitions(topic.id().toString(), storeOptions.memory());
    PartitionStore.Settings settings =
        new PartitionStore.Settings(topic, partitions, storeOptions, times.clock(), stopwatch);
    Properties properties = StreamsSettings.of(options, data.resolve("partitions"));
    streams = new KafkaStreams(EventTopology.of(settings), properties);
    streams.setUncaughtExceptionHandler(this::handle);
    streams.setStateListener(this::noteState);
    producer = new EventProducer(topic, SuspectInputs.in(data));
    source =
        new ClusterSource(options, topic, partitions, this::holders, times.alignment(), stopwatch);
    slices = source.slices();
    readings = new Readings(partitions, options.token(), stopwatch);
    watermarks =
        new WatermarkTracker(stopwatch, times.clock(), times.idleTimeout().toNanos(), List.of());
    late =
        LateLog.shared(
            watermarks,
            topic.id().getLeastSignificantBits() & RUN_BITS,
            new ArrivalTimes(times.clock(), stopwatch, this::completeNanos));
    followed =
        new FollowedPartitions(
            new FollowedPartitions.Sources(
                topic, this::servers, this::news, () -> listens.getAsBoolean()),
            watermarks,
            late,
            stopwatch);
  }

  private long completeNanos() {
    return followed.completeNanos();
  }

  /** News of this server do not need the network. */
  private NewsAnswer news(URI server, NewsRequest request)
      throws IOException, InterruptedException {
    return isOwn(server)
        ? partitions.await(request, times.stopwatch())
        : source.server(server).ask(Readings.NEWS_PATH, request, NewsAnswer.class, NEWS_TIMEOUT);
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
      ClusterOptions options, Path data, StoreOptions storeOptions, Times times) {
    EventTopic topic = EventTopic.open(options.kafka(), times.stopwatch());
    Cluster cluster;
    try {
      Files.createDirectories(data);
      TopicMark.check(data, topic);
      StoreOptions shared = storeOptions.sharedBy(topic.partitionCount());
      cluster = new Cluster(options, data, topic, shared, times);
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
            new Housekeeping(partitions::all, readings::closeUnused, times.clock()),
            HOUSEKEEPING_PERIOD_MILLIS,
            HOUSEKEEPING_PERIOD_MILLIS,
            TimeUnit.MILLISECONDS);
    ScheduledFuture<?> unusedToo =
        retention.scheduleWithFixedDelay(
            this::checkTopic, TOPIC_PERIOD_SECONDS, TOPIC_PERIOD_SECONDS, TimeUnit.SECONDS);
    options.keepFor().ifPresent(this::beginRetention);
    followed.begin();
    logger.info("joined the cluster: {}", options);
  }

  /** The topic's settings may be changed, which would be noticed only when records miss. */
  private void checkTopic() {
    try {
      unsuitable = topic.unsuitable();
      unsuitable.ifPresent(logger::error);
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.debug("the settings of the topic are not known", e);
    }
  }

  /**
   * The setting of the topic that must be changed back, in one sentence; empty if none is known.
   */
  public Optional<String> unsuitable() {
    return unsuitable;
  }

  private void beginRetention(Duration age) {
    RetentionTask task = new RetentionTask(age, times.clock(), this::direct);
    ScheduledFuture<?> unused =
        retention.scheduleWithFixedDelay(
            task, HOUSEKEEPING_PERIOD_MILLIS, HOUSEKEEPING_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Writes to each partition that is owned here what its stores need not keep any longer. */
  private void direct(Directive.Trim trim) {
    partitions
        .all()
        .forEach(
            (partition, store) -> {
              if (owner(partition).filter(this::isOwn).isPresent()) {
                store
                    .overdue(trim, watermarks::isHeardFrom)
                    .forEach(directive -> producer.direct(partition, directive));
              }
            });
  }

  private StreamThreadExceptionResponse handle(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null && !(cause instanceof KafkaIngestException)) {
      cause = cause.getCause();
    }
    FatalErrors.check(cause);
    if (closing.getCount() == 0) {
      logger.debug("reading the topic has ended", thrown);
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }
    if (isLasting(cause)) {
      stopped = Optional.of(String.valueOf(cause.getMessage()));
      logger.error("this server does not read the topic any more: {}", cause.getMessage());
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }
    String sentence = sentence(cause);
    failure = Optional.of(sentence);
    logger.error("reading the topic begins again after a failure: {}", sentence, thrown);
    pause();
    return StreamThreadExceptionResponse.REPLACE_THREAD;
  }

  private String sentence(Throwable cause) {
    return cause instanceof KafkaIngestException || cause instanceof StoreException
        ? String.valueOf(cause.getMessage())
        : topic.explainReading(cause);
  }

  /** A missing right would end one thread after another. */
  private void pause() {
    try {
      boolean unused = closing.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void noteState(KafkaStreams.State now, KafkaStreams.State before) {
    if (now == KafkaStreams.State.RUNNING) {
      failure = Optional.empty();
    }
  }

  /** Whether reading cannot continue until an operator changes something. */
  static boolean isLasting(Throwable cause) {
    return cause instanceof KafkaIngestException failure && failure.isLasting();
  }

  /** The events of all partitions. */
  public EventSource source() {
    return source;
  }

  /** The events of all partitions; a view fails within seconds if one cannot be read. */
  public EventSource status() {
    return source::openSoon;
  }

  /** The watermark of all partitions. */
  public WatermarkTracker watermarks() {
    return watermarks;
  }

  /** What live queries follow: they wait by themselves, because they share a thread. */
  public StreamingQuery.Parts following(QueryEngine engine) {
    return new StreamingQuery.Parts(engine, present(), watermarks, late, times.stopwatch());
  }

  /** The events that this server knows of; a view fails at once if they cannot be read. */
  public EventSource present() {
    return () -> source.openPresent(followed.offsets());
  }

  /** The offsets of the nodes' clocks, as this server knows them now or knew them just before. */
  public ClockOffsets clocks() {
    return source.presentClocks(followed.offsets());
  }

  /** The log lines and messages that are not in views of {@link #present} yet. */
  public Arrivals arrivals() {
    return followed.arrivals(present());
  }

  /** Why no live query can begin here yet, in one sentence; empty if one can. */
  public Optional<String> incompleteness() {
    return followed.incompleteness();
  }

  /** Sets whether anything is followed here, of which other servers learn within a second. */
  public void listens(BooleanSupplier isAnyone) {
    listens = isAnyone;
  }

  /** Whether anything is followed at another server, so that nodes should send without delay. */
  public boolean othersListen() {
    return readings.isAnyoneListening();
  }

  /** The quarantined events of all partitions. */
  public QuarantineAccess quarantine() {
    return new ClusterQuarantine(source, producer);
  }

  /** The way of events into the topic. */
  public EventIntake intake() {
    return producer;
  }

  /**
   * Closes all runs of a node for good, on every server.
   *
   * @return the runs that this closed, as this server knows them
   * @throws StoreException if the topic cannot be written
   */
  public List<Incarnation> forget(String node) {
    List<Incarnation> open =
        watermarks.lanes().stream()
            .map(WatermarkTracker.LaneStatus::incarnation)
            .filter(run -> run.name().node().equals(node))
            .sorted(Comparator.comparingLong(Incarnation::lastHeardHlc))
            .toList();
    producer.forget(node);
    return open;
  }

  /** The server that evaluates alerts: the owner of the first partition; empty if it is moving. */
  public Optional<URI> alertServer() {
    return owner(0);
  }

  /** Whether this is the server that evaluates alerts. */
  public boolean evaluatesAlerts() {
    return alertServer().filter(this::isOwn).isPresent();
  }

  /**
   * Takes the records of alerts over: no server that had them can write them any more.
   *
   * @throws KafkaIngestException if their topic cannot be used; the message names the setting
   * @throws StoreException if they cannot be stored here, or are about other events
   */
  public AlertTopic takeAlerts() {
    FencedTopic records = topic.takeOver("-alerts");
    EventStore copy = null;
    try {
      copy = EventStore.open(data.resolve("alerts"), storeOptions, times.clock());
      return AlertTopic.open(records, copy, topic.id().toString());
    } catch (RuntimeException e) {
      records.close();
      if (copy != null) {
        copy.close();
      }
      throw e;
    }
  }

  /**
   * Passes the request of a client on to another server.
   *
   * @param path with the query
   * @param request the method, the headers and the body
   * @throws IOException if the server does not answer
   */
  public Passed pass(URI server, String path, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return source.server(server).pass(path, request);
  }

  /** The answers to the other servers. */
  public Readings readings() {
    return readings;
  }

  /** The slices that this server walks for the queries of others. */
  public Slices slices() {
    return slices;
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

  /** What this server has. */
  public Instance here() {
    URI own = options.advertised();
    return instances().stream()
        .filter(instance -> isOwn(address(instance)))
        .findFirst()
        .orElseGet(() -> new Instance(own.getHost(), own.getPort(), Set.of(), Set.of()));
  }

  /** The figures of each store here, of an owned partition or of a copy. */
  public List<Figures> storeFigures() {
    return partitions.all().values().stream().flatMap(store -> store.figures().stream()).toList();
  }

  /** The records of the partitions here that are not stored yet; 0 while their ends are unknown. */
  public long lagRecords() {
    Map<Integer, Long> ends = followed.ends();
    return offsets().entrySet().stream()
        .mapToLong(
            stored -> Math.max(0, ends.getOrDefault(stored.getKey(), 0L) - stored.getValue()))
        .sum();
  }

  private Collection<StreamsMetadata> metadata() {
    try {
      return streams.metadataForAllStreamsClients();
    } catch (IllegalStateException e) {
      return left; // Streams has not begun, or has ended.
    }
  }

  private static Set<Integer> numbers(Set<TopicPartition> partitions) {
    Set<Integer> numbers = new TreeSet<>();
    partitions.forEach(partition -> numbers.add(partition.partition()));
    return numbers;
  }

  /** Whether this server owns the partition of a node. */
  public boolean owns(String node) {
    return owner(EventTopic.partition(node, topic.partitionCount()))
        .filter(this::isOwn)
        .isPresent();
  }

  private Optional<URI> owner(int partition) {
    return instances().stream()
        .filter(instance -> instance.owned().contains(partition))
        .map(this::address)
        .findFirst();
  }

  /** The offset after the last stored record of each partition here. */
  public Map<Integer, Long> offsets() {
    return partitions.offsets();
  }

  /**
   * A tile of the timeline of all partitions.
   *
   * @param logs all if empty
   * @param variables those with extremes; all if empty
   * @throws TileMaker.TooLargeException if it has too many nodes
   * @throws StoreException if a partition cannot be read
   */
  public Tile tile(
      TileAddress address, Set<String> logs, Set<String> variables, TileMaker.Limits limits) {
    try (MergedView all = source.open()) {
      return all.tile(new TileRequest(address, logs, variables, limits));
    }
  }

  /** Figures of all stores here, owned or copies. */
  public Figures figures() {
    return storeFigures().stream().reduce(Figures.NONE, Figures::plus);
  }

  /**
   * The numbers of events in quarantine and of lost ones in all partitions, as this server knows
   * them.
   *
   * @throws PartitionException if no server has one of them now
   */
  public Doubts doubts() {
    try (MergedView all = source.open(followed.offsets(), Duration.ZERO, ViewClocks.NONE)) {
      return new Doubts(all.quarantinedCount(), all.lostCount());
    }
  }

  /** Sentences about lost stored events here. */
  public List<String> losses() {
    return partitions.all().values().stream().flatMap(store -> store.losses().stream()).toList();
  }

  /** The number of inputs that were kept here because they cannot be stored; it never falls. */
  public long rejectedCount() {
    return partitions.rejectedCount();
  }

  /** Why a store here cannot be written at present, in one sentence; empty if all can. */
  public Optional<String> writeTrouble() {
    return partitions.all().values().stream()
        .flatMap(store -> store.writeTrouble().stream())
        .findFirst();
  }

  /** The number of stores here whose writing threads have ended. */
  public long endedThreadCount() {
    return partitions.all().values().stream().filter(PartitionStore::hasEnded).count();
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
    if (storing.isPresent() || failure.isPresent()) {
      return storing.or(() -> failure);
    }
    KafkaStreams.State state = streams.state();
    return state == KafkaStreams.State.RUNNING
        ? Optional.empty()
        : Optional.of("partitions are being distributed or restored (%s)".formatted(state));
  }

  private List<Optional<URI>> holders(int partition) {
    return servers().getOrDefault(partition, List.of()).stream()
        .map(server -> isOwn(server) ? Optional.<URI>empty() : Optional.of(server))
        .toList();
  }

  private boolean isOwn(URI server) {
    return server.getHost().equals(options.advertised().getHost())
        && server.getPort() == options.advertised().getPort();
  }

  /** The servers of each partition, the owner first. */
  private Map<Integer, List<URI>> servers() {
    Map<Integer, List<URI>> servers = new TreeMap<>();
    List<Instance> instances = instances();
    for (Instance instance : instances) {
      instance.owned().forEach(partition -> add(servers, partition, instance));
    }
    for (Instance instance : instances) {
      instance.copies().forEach(partition -> add(servers, partition, instance));
    }
    return servers;
  }

  private void add(Map<Integer, List<URI>> servers, int partition, Instance instance) {
    servers.computeIfAbsent(partition, number -> new ArrayList<>()).add(address(instance));
  }

  private URI address(Instance instance) {
    return URI.create(
        "%s://%s:%d".formatted(options.advertised().getScheme(), instance.host(), instance.port()));
  }

  /**
   * Gives up the partitions here, so that their copies take over. Until {@link #close}, events can
   * still be sent to the topic, and queries read what other servers have.
   */
  public void leave() {
    left = metadata();
    closing.countDown();
    sealing.shutdownNow();
    retention.shutdownNow();
    // Otherwise the others would wait for it as for a server that was killed.
    boolean unused =
        streams.close(
            CloseOptions.groupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP)
                .withTimeout(CLOSE_TIMEOUT));
    // Those of tasks that never began.
    partitions.all().values().forEach(PartitionStore::close);
    partitions.openings().close();
  }

  /** Leaves the cluster; the stores remain for the next start. */
  @Override
  public void close() {
    followed.close();
    source.close();
    leave();
    readings.close();
    producer.close();
    topic.close();
  }
}
