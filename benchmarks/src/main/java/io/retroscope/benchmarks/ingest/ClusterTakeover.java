// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.ingest;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.instrumentation.kafka.KafkaSink;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.RqlClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The effects of the end of one of three servers of a cluster, each in a process, while twelve
 * nodes write twenty times a second: how long the watermark stands still, when its partitions have
 * owners again, and how many of those had no store before. The watermark is the lowest last stamp
 * of the nodes in a query, which another server answers every 50 ms.
 */
public final class ClusterTakeover {
  private static final int PARTITIONS = 9;
  private static final int NODES = 12;
  private static final String TOPIC = "takeover";
  private static final Duration WRITE_INTERVAL = Duration.ofMillis(50);

  /** The shortest watch of a fault. */
  private static final Duration WATCH = Duration.ofSeconds(20);

  /** The longest wait until the partitions have other owners. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Path folder;
  private final KafkaBroker broker;
  private final List<ClusterProcess> servers = new ArrayList<>();

  private ClusterTakeover(Path folder, KafkaBroker broker) {
    this.folder = folder;
    this.broker = broker;
  }

  /** Runs the measurement. The argument is the number of rounds, each with a kill and a stop. */
  public static void main(String[] args) throws Exception {
    Arguments given = new Arguments(args, "rounds");
    int rounds = given.number(0, 3);
    try (ScratchFolder scratch = ScratchFolder.create("takeover");
        KafkaBroker broker =
            KafkaBroker.in(scratch.path().resolve("broker"))
                .setting("log.cleaner.enable", "false")
                .start()) {
      new ClusterTakeover(scratch.path(), broker).run(rounds);
    }
  }

  private void run(int rounds) throws Exception {
    broker.createTopic(TOPIC, PARTITIONS, ClusterProcess.TOPIC_SETTINGS);
    Thread writing = new Thread(this::write, "writer");
    writing.setDaemon(true);
    try {
      for (int i = 0; i < 3; i++) {
        servers.add(start(i));
      }
      ClusterProcess.awaitPlaced(servers, PARTITIONS);
      writing.start();
      TimeUnit.SECONDS.sleep(5);
      System.out.println("without a fault:  " + watch(1, servers.get(1), () -> {}));
      for (int round = 0; round < rounds; round++) {
        ClusterProcess killed = servers.get(0);
        System.out.println("killed:           " + watch(1, killed, killed::kill));
        servers.set(0, start(0));
        awaitPlaced();
        ClusterProcess stopped = servers.get(2);
        System.out.println("stopped orderly:  " + watch(1, stopped, stopped::stop));
        servers.set(2, start(2));
        awaitPlaced();
      }
    } finally {
      writing.interrupt();
      servers.forEach(ClusterProcess::close);
    }
  }

  /** Partitions move to a server that is back when its stores have caught up. */
  private void awaitPlaced() throws InterruptedException {
    long start = System.nanoTime();
    ClusterProcess.awaitPlaced(servers, PARTITIONS);
    System.out.printf(
        Locale.ROOT,
        "started again:    partitions are with all servers after %.0f s%n",
        (System.nanoTime() - start) / 1e9);
  }

  private ClusterProcess start(int number) throws IOException {
    return ClusterProcess.start(folder.resolve("server" + number), broker.address(), TOPIC);
  }

  /** The nodes write until this thread is interrupted. */
  private void write() {
    PhysicalClock clock = PhysicalClock.system();
    List<KafkaSink> sinks = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      sinks.add(KafkaSink.builder(broker.address()).topic(TOPIC).build());
    }
    try {
      for (long number = 1; ; number++) {
        for (int node = 0; node < NODES; node++) {
          long hlc = HlcTimestamp.pack(clock.micros());
          Change change = new Change(Operation.SET, "r1", Value.of(number));
          sinks
              .get(node)
              .accept(
                  new EventBlockBuilder()
                      .incarnation("i" + node, number)
                      .add(new Event("n" + node, "setd", hlc, new StateChange(List.of(change))))
                      .promise(hlc, 0)
                      .build());
        }
        TimeUnit.NANOSECONDS.sleep(WRITE_INTERVAL.toNanos());
      }
    } catch (InterruptedException e) {
      sinks.forEach(KafkaSink::close);
    }
  }

  private interface Fault {
    void happen() throws InterruptedException;
  }

  private record Effect(double stillSeconds, double placedSeconds, int moved, int withoutStore) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "the watermark stands still for %.2f s; %d partitions have another owner after %.2f s, %d of them from an empty store",
          stillSeconds,
          moved,
          placedSeconds,
          withoutStore);
    }
  }

  /** Watches a fault of a server through another one. */
  private Effect watch(int askedNumber, ClusterProcess victim, Fault fault) throws Exception {
    ClusterProcess asked = servers.get(askedNumber);
    Set<Integer> lost = asked.partitions(victim, "owned");
    Map<ClusterProcess, Set<Integer>> before = new HashMap<>();
    for (ClusterProcess server : servers) {
      before.put(server, server.folders());
    }
    long start = System.nanoTime();
    Thread failing = new Thread(() -> run(fault), "fault");
    failing.start();
    long watermark = watermark(asked, HlcTimestamp.MIN_PACKED);
    long moved = start;
    long longest = 0;
    long placed = 0;
    while (isWatched(System.nanoTime() - start, placed > 0 || victim == asked)) {
      long next = watermark(asked, watermark);
      long now = System.nanoTime();
      if (next > watermark) {
        longest = Math.max(longest, now - moved);
        watermark = next;
        moved = now;
      }
      if (placed == 0 && isTakenOver(asked, victim)) {
        placed = now - start;
      }
      TimeUnit.NANOSECONDS.sleep(WRITE_INTERVAL.toNanos());
    }
    failing.join();
    longest = Math.max(longest, System.nanoTime() - moved);
    int empty = 0;
    int taken = 0;
    for (ClusterProcess server : servers) {
      if (placed != 0 && server != victim) {
        Set<Integer> owned = asked.partitions(server, "owned");
        owned.retainAll(lost);
        taken += owned.size();
        owned.removeAll(before.get(server));
        empty += owned.size();
      }
    }
    if (placed == 0 && victim != asked) {
      throw new IllegalStateException("the partitions have no other owners after " + PATIENCE);
    }
    return new Effect(longest / 1e9, placed / 1e9, taken, empty);
  }

  private static boolean isWatched(long nanos, boolean isPlaced) {
    return nanos < (isPlaced ? WATCH : PATIENCE).toNanos();
  }

  private boolean isTakenOver(ClusterProcess asked, ClusterProcess victim)
      throws InterruptedException {
    try {
      int owned = 0;
      for (ClusterProcess server : servers) {
        owned += asked.partitions(server, "owned").size();
      }
      return owned == PARTITIONS && asked.partitions(victim, "owned").isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  private static void run(Fault fault) {
    try {
      fault.happen();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The lowest last stamp of the nodes; the earlier one if the server does not answer. */
  private static long watermark(ClusterProcess asked, long earlier) {
    long[] lowest = {Long.MAX_VALUE};
    try (RqlClient client = new RqlClient(asked.uri())) {
      client.run(
          "SHOW NODES;",
          new RowSink() {
            private int last;

            @Override
            public void columns(List<Column> columns) {
              last = columns.stream().map(Column::name).toList().indexOf("last");
            }

            @Override
            public boolean row(Row row) {
              if (row.values().get(last) instanceof TimestampValue stamp) {
                lowest[0] = Math.min(lowest[0], stamp.packed());
              }
              return true;
            }

            @Override
            public void warning(String message) {}
          });
    } catch (IOException | ProblemException e) {
      return earlier;
    }
    return lowest[0] == Long.MAX_VALUE ? earlier : lowest[0];
  }
}
