// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.json.RowJson;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * A run of a cluster whose servers and broker are killed, stopped for a while, replaced, joined by
 * another one, or lose their data, while events arrive and queries run.
 */
final class FaultRun {
  private static final int NODES = 5;
  private static final int VERSIONS = 60;
  private static final long BATCH_MICROS = 1_000_000;
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** While the broker is away, nothing is acknowledged, and each server is queried for a minute. */
  private static final Duration SENDING_PATIENCE = Duration.ofMinutes(15);

  private final Path folder;
  private final long seed;
  private final Map<String, Long> eventsOf = new HashMap<>();
  private final Map<String, Long> lastOf = new HashMap<>();
  private final Map<URI, Long> watermarkOf = new HashMap<>();
  private int answers;
  private int refusals;

  /**
   * A run that has not begun.
   *
   * @param folder for the store that a single server would have
   */
  FaultRun(Path folder, long seed) {
    this.folder = folder;
    this.seed = seed;
  }

  /** What happens to a process while events arrive. */
  enum Fault {
    KILL,
    KILL_TWO,
    PAUSE,
    EMPTY,
    RESTART,
    REPLACE,
    JOIN,
    BROKER_KILL,
    BROKER_PAUSE;

    boolean isOfBroker() {
      return this == BROKER_KILL || this == BROKER_PAUSE;
    }

    /** Whether a server ends by itself, as an operator wants it. */
    boolean isOrderly() {
      return this == RESTART || this == REPLACE;
    }

    /** Whether one server is away meanwhile, so that each partition is at another one. */
    boolean leavesACopy() {
      return this == KILL || this == PAUSE || this == EMPTY || this == RESTART || this == REPLACE;
    }
  }

  /** All faults in turn, each turn in an order of its own. */
  static List<Fault> faults(long seed, int count) {
    List<Fault> faults = new ArrayList<>();
    for (int turn = 0; faults.size() < count; turn++) {
      List<Fault> all = new ArrayList<>(List.of(Fault.values()));
      Collections.shuffle(all, new Random(seed + turn));
      faults.addAll(all);
    }
    return faults.subList(0, count);
  }

  /** Injects faults one after another, and stops all servers at the end. */
  void run(ClusterChildren cluster, List<Fault> faults) throws Exception {
    try (EventStore one =
        EventStore.open(folder.resolve("one"), StoreOptions.DEFAULT, PhysicalClock.system())) {
      cluster.awaitPlaced(PATIENCE);
      send(cluster, 0, store(one, 0), new Random(seed));
      for (int i = 0; i < faults.size(); i++) {
        String when = "seed %d, fault %d: %s".formatted(seed, i + 1, faults.get(i));
        inject(cluster, one, faults.get(i), i + 1, when);
        cluster.awaitPlaced(PATIENCE);
        for (int server : cluster.running()) {
          assertThat(isAnswered(cluster, one, server, i + 1, when)).as(when).isTrue();
        }
        System.out.printf("%s: %d answers, %d refused so far%n", when, answers, refusals);
      }
      assertStoredOnce(cluster, one);
      System.out.printf(
          "%d faults, %d answers equal to those of one store, %d refused with a reason%n",
          faults.size(), answers, refusals);
    }
  }

  /** Events arrive before, during and after a fault, and queries run meanwhile. */
  private void inject(ClusterChildren cluster, EventStore one, Fault fault, int batch, String when)
      throws Exception {
    // The first numbers of generators whose seeds are near each other are alike.
    Random random = new Random(new SplittableRandom(seed + batch).nextLong());
    List<Integer> victims =
        new ArrayList<>(fault.isOrderly() ? cluster.stoppable() : cluster.victims());
    Collections.shuffle(victims, random);
    boolean isLong = random.nextBoolean();
    Map<Integer, Set<Integer>> stores = cluster.stores();
    List<EncodedFrame> frames = store(one, batch);
    CompletableFuture<Void> sending =
        CompletableFuture.runAsync(() -> send(cluster, batch, frames, random));
    begin(cluster, fault, victims);
    for (int server : cluster.running()) {
      boolean unused = isAnswered(cluster, one, server, batch - 1, when);
    }
    if (fault == Fault.JOIN) {
      cluster.awaitPlaced(PATIENCE);
    } else if (isLong && fault.leavesACopy()) {
      assertTakenOver(cluster, stores, when);
    }
    if (!fault.isOfBroker()) {
      sending.join();
    }
    end(cluster, fault, victims);
    sending.join();
  }

  /** No partition with records has an owner that must restore it from the beginning. */
  private static void assertTakenOver(
      ClusterChildren cluster, Map<Integer, Set<Integer>> stores, String when) throws Exception {
    cluster.awaitPlaced(PATIENCE);
    for (Map.Entry<Integer, List<Integer>> partition : cluster.holders().entrySet()) {
      int owner = partition.getValue().get(0);
      if (cluster.offset(owner, partition.getKey()) > 0) {
        assertThat(stores.get(owner))
            .as("%s: stores of server %d before", when, owner)
            .contains(partition.getKey());
      }
    }
  }

  private static void begin(ClusterChildren cluster, Fault fault, List<Integer> victims)
      throws Exception {
    int victim = victims.get(0);
    switch (fault) {
      case KILL, EMPTY -> cluster.kill(victim);
      case KILL_TWO -> {
        for (int each : two(victims)) {
          cluster.kill(each);
        }
      }
      case PAUSE -> cluster.pause(victim);
      case RESTART, REPLACE -> cluster.stop(victim);
      case JOIN -> cluster.start();
      case BROKER_KILL -> cluster.killBroker();
      case BROKER_PAUSE -> cluster.pauseBroker();
    }
  }

  private static List<Integer> two(List<Integer> victims) {
    return victims.subList(0, Math.min(2, victims.size()));
  }

  private static void end(ClusterChildren cluster, Fault fault, List<Integer> victims)
      throws Exception {
    int victim = victims.get(0);
    switch (fault) {
      case KILL, RESTART -> cluster.start(victim);
      case KILL_TWO -> {
        for (int each : two(victims)) {
          cluster.start(each);
        }
      }
      case EMPTY -> {
        cluster.deleteData(victim);
        cluster.start(victim);
      }
      case PAUSE -> cluster.resume(victim);
      case REPLACE -> cluster.startLike(victim);
      case JOIN -> cluster.stop(victim);
      case BROKER_KILL -> cluster.startBroker();
      case BROKER_PAUSE -> cluster.resumeBroker();
    }
  }

  private static long start(int batch) {
    return ClusterFixture.START_MICROS + batch * BATCH_MICROS;
  }

  /** Stores a batch in the only store of one process; returns its frames. */
  private List<EncodedFrame> store(EventStore one, int batch) throws Exception {
    List<EncodedFrame> frames = new ArrayList<>();
    for (List<byte[]> own :
        ClusterFixture.staleness(seed + batch, NODES, VERSIONS, "b" + batch + "n", start(batch))
            .values()) {
      for (byte[] frame : own) {
        frames.add(new EncodedFrame(EventBlockCodec.decodeBlock(frame), frame));
      }
    }
    Receipt unused = one.append(new Submission.Frames(frames)).join();
    return frames;
  }

  /** Sends each frame until it is acknowledged, and then once more. */
  private void send(ClusterChildren cluster, int batch, List<EncodedFrame> frames, Random random) {
    long until = System.nanoTime() + SENDING_PATIENCE.toNanos();
    for (EncodedFrame frame : frames) {
      for (int acknowledged = 0; acknowledged < 2; ) {
        assertThat(System.nanoTime()).as("batch %d is not acknowledged", batch).isLessThan(until);
        List<Integer> targets = cluster.running();
        int target = targets.get(random.nextInt(targets.size()));
        if (cluster.send(target, frame.bytes())) {
          acknowledged++;
        }
      }
    }
  }

  /**
   * Queries a server for all rows of the batches up to one. Whether they are those of one store: if
   * not, the answer must be a beginning of them with an error that says what is missing.
   */
  private boolean isAnswered(
      ClusterChildren cluster, EventStore one, int server, int batch, String when)
      throws Exception {
    assertNothingFalls(cluster, server, when);
    String question =
        "SELECT r1, SPREAD(r1) AS s FROM setd ON TIME hlc'%s' TO hlc'%s' WHEN EXISTS a, b IN r1 : (a - b >= 2)"
            .formatted(
                HlcTimestamp.text(HlcTimestamp.pack(start(0))),
                HlcTimestamp.text(HlcTimestamp.pack(start(batch + 1))));
    List<String> expected = rowsOf(one, question);
    assertThat(expected).as(when).isNotEmpty();
    HttpResponse<String> reply;
    try {
      reply = cluster.ask(server, question);
    } catch (IOException e) {
      refusals++;
      return false; // No answer is none that is wrong.
    }
    List<String> rows = reply.body().lines().filter(line -> line.startsWith("{\"hlc\"")).toList();
    if (reply.statusCode() == 200 && !reply.body().contains("{\"problem\"")) {
      assertThat(rows).as("%s, server %d: %s", when, server, reply.body()).isEqualTo(expected);
      answers++;
      return true;
    }
    assertThat(rows)
        .as(when)
        .isEqualTo(expected.subList(0, Math.min(rows.size(), expected.size())));
    assertThat(reply.body()).as(when).containsPattern("partition \\d|--kafka");
    refusals++;
    return false;
  }

  /**
   * A later answer has at least the events of an earlier one, and the stamps of each node; the
   * watermark of a process does not fall.
   */
  private void assertNothingFalls(ClusterChildren cluster, int server, String when)
      throws Exception {
    HttpResponse<String> reply;
    try {
      long watermark = cluster.watermark(server);
      assertThat(watermark)
          .as("%s: watermark of server %d", when, server)
          .isGreaterThanOrEqualTo(
              watermarkOf.getOrDefault(cluster.uri(server), HlcTimestamp.MIN_PACKED));
      watermarkOf.put(cluster.uri(server), watermark);
      reply = cluster.ask(server, "SHOW NODES;");
    } catch (IOException e) {
      return;
    }
    if (reply.statusCode() != 200 || reply.body().contains("{\"problem\"")) {
      return;
    }
    Set<String> nodes = new HashSet<>();
    reply
        .body()
        .lines()
        .filter(line -> line.startsWith("{\"node\""))
        .map(line -> ((StructValue) JsonValues.parse(line)).fields())
        .forEach(row -> nodes.add(assertNotFallen(row, when)));
    assertThat(nodes).as(when).containsAll(eventsOf.keySet());
  }

  private String assertNotFallen(Map<String, Value> row, String when) {
    String node = ((StringValue) row.get("node")).value();
    long events = ((LongValue) row.get("events")).value();
    long last = HlcTimestamp.parse(((StringValue) row.get("last")).value());
    assertThat(events)
        .as("%s: events of %s", when, node)
        .isGreaterThanOrEqualTo(eventsOf.getOrDefault(node, 0L));
    assertThat(last)
        .as("%s: last of %s", when, node)
        .isGreaterThanOrEqualTo(lastOf.getOrDefault(node, HlcTimestamp.MIN_PACKED));
    eventsOf.put(node, events);
    lastOf.put(node, last);
    return node;
  }

  private static List<String> rowsOf(EventStore one, String question) {
    QueryEngine engine = new QueryEngine(() -> one.open(ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
    List<String> rows = new ArrayList<>();
    engine.run(
        engine.prepare(question),
        new RowSink() {
          private List<Column> columns = List.of();

          @Override
          public void columns(List<Column> named) {
            columns = named;
          }

          @Override
          public boolean row(Row row) {
            return rows.add(RowJson.text(columns, row));
          }

          @Override
          public void warning(String message) {}
        });
    return rows;
  }

  /** Owner and copy of each partition have the same events, and all have those of one store. */
  private void assertStoredOnce(ClusterChildren cluster, EventStore one) throws Exception {
    Map<Integer, List<Integer>> holders = cluster.awaitSettled(PATIENCE);
    for (int server : cluster.running()) {
      cluster.stop(server);
    }
    List<String> all = new ArrayList<>();
    for (Map.Entry<Integer, List<Integer>> partition : holders.entrySet()) {
      assertThat(partition.getValue()).as("owner and copy of %s", partition).hasSize(2);
      List<List<String>> stored = new ArrayList<>();
      for (int server : partition.getValue()) {
        try (EventStore store =
            EventStore.open(
                cluster.store(server, partition.getKey()),
                StoreOptions.DEFAULT,
                PhysicalClock.system())) {
          stored.add(events(store));
        }
      }
      assertThat(stored.get(1))
          .as("seed %d: owner and copy of %s", seed, partition)
          .isEqualTo(stored.get(0));
      all.addAll(stored.get(0));
    }
    assertThat(all.stream().sorted().toList())
        .as("seed %d: all partitions", seed)
        .isEqualTo(events(one).stream().sorted().toList());
  }

  private static List<String> events(EventStore store) {
    List<String> events = new ArrayList<>();
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      Set<String> logs = view.logs().stream().map(LogDescription::name).collect(Collectors.toSet());
      view.scanRuns(logs, HlcRange.ALL).forEachRemaining((Event event) -> events.add("" + event));
    }
    return events;
  }
}
