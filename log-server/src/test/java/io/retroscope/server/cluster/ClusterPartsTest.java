// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NodeFrontier;
import io.retroscope.server.kafka.Directive;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.Submission.NumberedEvent;
import io.retroscope.server.store.run.StoreConflictException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor;
import org.apache.kafka.streams.processor.internals.StateDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the parts of a cluster that need neither brokers nor other servers. */
@Timeout(60)
class ClusterPartsTest {
  private static final long MAX_STREAMS_BYTES = 6_000_000;
  private static final long MICROS = 1_795_200_000_000_000L;
  private static final KafkaOptions KAFKA =
      KafkaOptions.of(
          Map.of(
              "bootstrap.servers", "127.0.0.1:1",
              "auto.offset.reset", "latest",
              "main.consumer.auto.offset.reset", "latest",
              "client.rack", "r1",
              "partitioner.ignore.keys", "true"),
          "events");

  @TempDir Path folder;

  @Test
  void settings_ofAFile_doNotSkipRecordsOrPartitions() {
    ClusterOptions options =
        ClusterOptions.of(KAFKA, URI.create("http://127.0.0.1:1"), ClusterFixture.TOKEN);
    assertThat(StreamsSettings.of(options, folder))
        .containsEntry("auto.offset.reset", "earliest")
        .containsEntry("client.rack", "r1")
        .doesNotContainKey("main.consumer.auto.offset.reset");
    assertThat(EventProducer.settings(KAFKA))
        .containsEntry("client.rack", "r1")
        .doesNotContainKey("partitioner.ignore.keys");
  }

  /** The new group protocol notices a killed server only after 45 s. */
  @Test
  void settings_ofAFile_doNotDelayTheDetectionOfAKilledServer() {
    StreamsConfig config =
        streams(
            Map.of(
                "group.protocol", "streams",
                "session.timeout.ms", "45000",
                "main.consumer.session.timeout.ms", "45000",
                "heartbeat.interval.ms", "15000"));
    assertThat(config.getString(StreamsConfig.GROUP_PROTOCOL_CONFIG)).isEqualTo("classic");
    assertThat(config.getMainConsumerConfigs("group", "client", 0))
        .containsEntry("session.timeout.ms", 6_000)
        .containsEntry("heartbeat.interval.ms", 250);
  }

  /**
   * Streams deletes a store that it takes for corrupt if it writes exactly once by itself, and its
   * own assignors may give a partition to an empty store.
   */
  @Test
  void settings_ofAFile_doNotEndangerStores() {
    StreamsConfig config =
        streams(
            Map.of(
                "processing.guarantee", "exactly_once_v2",
                "task.assignor.class", StickyTaskAssignor.class.getName(),
                "num.standby.replicas", "0"));
    assertThat(config.getString(StreamsConfig.PROCESSING_GUARANTEE_CONFIG))
        .isEqualTo("at_least_once");
    assertThat(config.getString(StreamsConfig.TASK_ASSIGNOR_CLASS_CONFIG))
        .isEqualTo(StoreAssignor.class.getName());
    assertThat(config.getInt(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG)).isEqualTo(1);
  }

  /**
   * Streams deletes the folder of a partition some time after it has left, unless a setting
   * prevents it.
   */
  @Test
  void folderOfAPartitionThatHasLeft_afterAYear_isKept() throws Exception {
    StreamsConfig config = streams(Map.of("state.cleanup.delay.ms", "1000"));
    AtomicLong now = new AtomicLong(TimeUnit.DAYS.toMillis(20_000));
    try (StateDirectory directory = new StateDirectory(config, time(now), true, false)) {
      assertThat(directory.initializeProcessId()).isNotNull();
      Path left = directory.getOrCreateDirectoryForTask(new TaskId(0, 3)).toPath();
      Files.writeString(left.resolve("events"), "stored");
      Files.setLastModifiedTime(left, FileTime.fromMillis(now.get()));
      now.addAndGet(TimeUnit.DAYS.toMillis(365));
      directory.cleanRemovedTasks(config.getLong(StreamsConfig.STATE_CLEANUP_DELAY_MS_CONFIG));
      assertThat(left.resolve("events")).hasContent("stored");

      directory.cleanRemovedTasks(1_000);
      assertThat(left).as("with the delay of the file").doesNotExist();
    }
  }

  /** The only library that a server has for clusters alone. */
  @Test
  void streams_isSmall() throws Exception {
    Path jar =
        Path.of(KafkaStreams.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    assertThat(jar.getFileName().toString()).startsWith("kafka-streams");
    assertThat(Files.size(jar)).isLessThanOrEqualTo(MAX_STREAMS_BYTES);
  }

  private static Time time(AtomicLong millis) {
    return (Time)
        Proxy.newProxyInstance(
            ClusterPartsTest.class.getClassLoader(),
            new Class<?>[] {Time.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "milliseconds" -> millis.get();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private StreamsConfig streams(Map<String, String> file) {
    Map<String, String> settings = new HashMap<>(file);
    settings.put("bootstrap.servers", "127.0.0.1:1");
    ClusterOptions options =
        ClusterOptions.of(
            KafkaOptions.of(settings, "events"),
            URI.create("http://127.0.0.1:1"),
            ClusterFixture.TOKEN);
    return new StreamsConfig(StreamsSettings.of(options, folder));
  }

  @Test
  void failure_ofTheBrokers_doesNotEndReading() {
    KafkaException cause = new KafkaException("no broker answers");
    assertThat(Cluster.isLasting(new KafkaIngestException("no broker", cause))).isFalse();
    assertThat(Cluster.isLasting(new KafkaIngestException("created again"))).isTrue();
  }

  /** As one server has them that the same lines were sent to. */
  @Test
  void heartbeatsAmongLines_keepTheirPromises() throws CorruptBlockException {
    Change change = new Change(Operation.SET, "x", Value.of(1));
    Event event =
        new Event("n", "l", HlcTimestamp.pack(MICROS), new StateChange(List.of(change))).of("run");
    Event heartbeat =
        new Event("n", "", HlcTimestamp.pack(MICROS + 5), new EventBody.Heartbeat(100_000))
            .of("run");
    Submission lines =
        new Submission.Lines(
            List.of(new NumberedEvent(1, event), new NumberedEvent(2, heartbeat)), List.of(), 100);
    List<NodeFrontier> expected = frontiers("lines", lines);
    assertThat(expected).singleElement().matches(frontier -> frontier.assuredMicros() > 0);
    assertThat(frontiers("frames", new Submission.Frames(read(lines)))).isEqualTo(expected);
  }

  /** A node that started again without a stop, and one of which two processes ran at a time. */
  @Test
  void restartsAmongLines_areWhatOneServerFinds() throws CorruptBlockException {
    Submission lines =
        new Submission.Lines(
            numbered(
                started("n", "first", 1),
                written("n", 2),
                started("n", "second", 10),
                written("n", 11),
                started("m", "third", 1),
                written("m", 20),
                started("m", "fourth", 5),
                written("m", 15)),
            List.of(),
            100);
    List<Object> expected = doubts("lines", lines);
    assertThat(expected).asString().contains("Overlapping");
    assertThat(doubts("frames", new Submission.Frames(read(lines)))).isEqualTo(expected);
  }

  /**
   * Lines of a run that are not in order, or more than a block has, belong to the run before them.
   */
  @Test
  void linesAfterAStart_areOfItsRun_howeverManyAndInWhateverOrder() throws CorruptBlockException {
    List<Event> events =
        new ArrayList<>(
            List.of(
                started("n", "first", 15),
                written("n", 18),
                started("n", "second", 10),
                written("n", 12),
                written("n", 11),
                written("n", 17),
                written("n", 5),
                started("m", "third", 9_001),
                written("m", 9_901),
                started("m", "fourth", 1)));
    for (int i = 2; i < 9_500; i += 2) {
      events.add(written("m", i));
    }
    Submission lines = new Submission.Lines(numbered(events.toArray(new Event[0])), List.of(), 100);
    List<Object> expected = doubts("lines", lines);
    assertThat(expected).asString().contains("Overlap[node=m", "Overlap[node=n");
    List<EncodedFrame> frames = read(lines);
    assertThat(frames.stream().flatMap(ClusterPartsTest::events))
        .as("starts may be there repeatedly, and no line is lost")
        .containsOnlyOnceElementsOf(events.stream().filter(e -> !isStart(e)).toList())
        .containsAll(events);
    assertThat(doubts("together", new Submission.Frames(frames))).isEqualTo(expected);
    Submission[] apart =
        frames.stream()
            .map(frame -> new Submission.Frames(List.of(frame)))
            .toArray(Submission[]::new);
    assertThat(doubts("apart", apart)).isEqualTo(expected);
  }

  private static Stream<Event> events(EncodedFrame frame) {
    return ((EventBlock) frame.content()).events().stream();
  }

  private static boolean isStart(Event event) {
    return event.body() instanceof EventBody.Start;
  }

  /** A node that started twice, stopped once and continued, in more lines than a block has. */
  @Test
  void stopsFarFromTheirStarts_showOverlappingRuns() throws CorruptBlockException {
    List<Event> events = new ArrayList<>(List.of(started("n", "first", 1)));
    events.add(started("n", "second", 2));
    for (int i = 3; i < 9_000; i++) {
      events.add(written("n", i));
    }
    events.add(new Event("n", "", HlcTimestamp.pack(MICROS + 9_000), new EventBody.Stop()));
    events.add(written("n", 9_001));
    Submission lines = new Submission.Lines(numbered(events.toArray(new Event[0])), List.of(), 100);
    List<Object> expected = doubts("lines", lines);
    assertThat(expected).asString().contains("Overlap[node=n");
    assertThat(doubts("frames", new Submission.Frames(read(lines)))).isEqualTo(expected);
  }

  private static List<NumberedEvent> numbered(Event... events) {
    List<NumberedEvent> numbered = new ArrayList<>();
    for (Event event : events) {
      numbered.add(new NumberedEvent(numbered.size() + 1L, event));
    }
    return numbered;
  }

  private static Event started(String node, String run, long micros) {
    EventBody.Start start =
        new EventBody.Start(run, HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE);
    return new Event(node, "", HlcTimestamp.pack(MICROS + micros), start);
  }

  private static Event written(String node, long micros) {
    Change change = new Change(Operation.SET, "x", Value.of(micros));
    return new Event(
        node, "l", HlcTimestamp.pack(MICROS + micros), new StateChange(List.of(change)));
  }

  private List<Object> doubts(String name, Submission... submissions) {
    try (EventStore store =
        EventStore.open(folder.resolve(name), StoreOptions.DEFAULT, PhysicalClock.system())) {
      for (Submission submission : submissions) {
        Receipt unused = store.append(submission).join();
      }
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        return List.of(view.reasons(HlcRange.ALL), view.overlaps(HlcRange.ALL), view.frontiers());
      }
    }
  }

  /** The records of lines as a store reads them. */
  private static List<EncodedFrame> read(Submission lines) throws CorruptBlockException {
    List<EncodedFrame> read = new ArrayList<>();
    for (EncodedFrame sent : EventProducer.frames(lines)) {
      read.add(new EncodedFrame(EventBlockCodec.decodeBlock(sent.bytes()), sent.bytes()));
    }
    return read;
  }

  /** Nothing of a refused batch is sent. */
  @Test
  void frames_oneOfNoNode_areRefusedTogether() {
    EncodedFrame good = frame(EventBlock.heartbeat("n", "run", 0, HlcTimestamp.pack(MICROS), 0));
    EncodedFrame ofNoNode = frame(EventBlock.of(List.of()));
    assertThat(EventProducer.frames(new Submission.Frames(List.of(good)))).containsExactly(good);
    Submission both = new Submission.Frames(List.of(good, ofNoNode));
    assertThatThrownBy(() -> EventProducer.frames(both))
        .isInstanceOf(StoreConflictException.class)
        .hasMessageContaining("of one node, not of 0");
  }

  /** Each loss is stored with its node's events; together with others only up to a size. */
  @Test
  void directives_ofLines_areOfTheNodesPartitionsAndOfLimitedSize() {
    List<Gap> gaps = new ArrayList<>();
    for (int i = 0; i < 2_500; i++) {
      gaps.add(new Gap(i < 2_400 ? "n" : "m", new HlcRange(i, i), 1));
    }
    List<Incompleteness> reasons = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      reasons.add(new Incompleteness.Reported(i + "x".repeat(600_000)));
    }
    Map<Integer, List<Directive.Stated>> directives =
        StatedLines.directives(
            new Submission.Lines(List.of(), List.of(), gaps, reasons, 0),
            ClusterFixture.PARTITIONS);
    int ofN = EventTopic.partition("n", ClusterFixture.PARTITIONS);
    int ofM = EventTopic.partition("m", ClusterFixture.PARTITIONS);
    assertThat(directives).containsOnlyKeys(0, ofN, ofM);
    assertThat(directives.get(ofN))
        .flatMap(Directive.Stated::gaps)
        .isEqualTo(gaps.subList(0, 2_400));
    assertThat(directives.get(ofM)).flatMap(Directive.Stated::gaps).hasSize(100);
    assertThat(directives.get(0)).flatMap(Directive.Stated::reasons).hasSize(3);
    assertThat(directives.values().stream().flatMap(List::stream))
        .hasSize(7)
        .allSatisfy(each -> assertThat(each.value()).hasSizeLessThan(1 << 21));
  }

  private static EncodedFrame frame(EventBlock block) {
    return new EncodedFrame(block, EventBlockCodec.encode(block));
  }

  private List<NodeFrontier> frontiers(String name, Submission submission) {
    try (EventStore store =
        EventStore.open(folder.resolve(name), StoreOptions.DEFAULT, PhysicalClock.system())) {
      var unused = store.append(submission).join();
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        return view.frontiers();
      }
    }
  }

  private static void open(String address) throws IOException, InterruptedException {
    ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor();
    try {
      HttpPart.Server server =
          new HttpPart.Server(
              HttpClient.newHttpClient(),
              URI.create(address),
              ClusterFixture.TOKEN,
              Duration.ofMillis(200),
              watch);
      HttpPart.open(server, new Opening("t", 0, 0, 0)).close();
    } finally {
      watch.shutdownNow();
    }
  }

  @Test
  void places_afterAFailure_beginWithTheNextServer() {
    Optional<URI> here = Optional.empty();
    Optional<URI> owner = Optional.of(URI.create("http://127.0.0.1:1"));
    Optional<URI> copy = Optional.of(URI.create("http://127.0.0.1:2"));
    List<Optional<URI>> others = List.of(owner, copy);
    assertThat(ClusterSource.places(others, 0)).containsExactly(here, owner, copy);
    assertThat(ClusterSource.places(others, 2)).containsExactly(copy, here, owner);
    assertThat(ClusterSource.places(others, 3)).containsExactly(here, owner, copy);
    assertThat(ClusterSource.places(List.of(owner, here), 0)).containsExactly(here, owner);
  }

  /** An address that is reserved for documentation, so that nothing would answer. */
  @Test
  void token_farServerWithoutTls_isNotSent() {
    assertThatThrownBy(() -> open("http://192.0.2.1:7340"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the token of the cluster is not sent to http://192.0.2.1:7340")
        .hasMessageContaining("https");
  }

  /** A stopped process has sent the head of its answer, and closes no connection. */
  @Timeout(60)
  @Test
  void open_answerStandsStill_endsAfterTheTime() throws Exception {
    Thread answering;
    try (ServerSocket stopped = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      answering =
          new Thread(
              () -> {
                try {
                  Socket socket = stopped.accept();
                  socket
                      .getOutputStream()
                      .write(
                          "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
                              .getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                  // On a busy machine the time is over before anything is accepted.
                }
              });
      answering.start();
      assertThatThrownBy(() -> open("http://127.0.0.1:" + stopped.getLocalPort()))
          .isInstanceOf(IOException.class);
    }
    answering.join();
  }
}
