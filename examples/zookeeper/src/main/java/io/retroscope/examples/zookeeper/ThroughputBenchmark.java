package io.retroscope.examples.zookeeper;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * Measures what the agent costs: write throughput and latency of an ensemble with it over those of
 * one without, taken in turns in one run.
 *
 * <p>Both ensembles stay up all the time, and only one at a time is loaded, so that the machine's
 * moods and the warming up fall on both alike.
 */
public final class ThroughputBenchmark {
  private static final int OUTSTANDING_COUNT = 256;
  private static final int ZNODE_COUNT = 16;
  private static final int DATA_BYTES = 128;
  private static final int WARM_UP_ROUNDS = 2;
  private static final int ANY_VERSION = -1;
  private static final List<String> SERVER_JVM = List.of("-Xmx512m");

  private final PrintStream out;
  private final int rounds;
  private final Duration slice;

  private ThroughputBenchmark(PrintStream out, int rounds, Duration slice) {
    this.out = out;
    this.rounds = rounds;
    this.slice = slice;
  }

  /**
   * Runs the benchmark and prints its figures.
   *
   * @param args the agents' sink ({@code server=URL} or {@code file=NAME}; a file if there is
   *     none), then the number of rounds (10), then the seconds of each measurement (4)
   */
  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("retroscope-throughput");
    String sink = args.length > 0 ? args[0] : "file=events.blocks";
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 10;
    int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 4;
    try {
      new ThroughputBenchmark(System.out, rounds, Duration.ofSeconds(seconds)).run(folder, sink);
    } finally {
      TemporaryFolders.delete(folder);
    }
  }

  private void run(Path folder, String sink) throws Exception {
    EnsembleOptions traced =
        EnsembleOptions.of(folder.resolve("traced"), sink, List.of("/")).withJvmArgs(SERVER_JVM);
    EnsembleOptions plain =
        EnsembleOptions.of(folder.resolve("plain"), sink, List.of("/"))
            .withJvmArgs(SERVER_JVM)
            .withoutAgentAt(Set.copyOf(EnsembleOptions.NODES));
    try (ZookeeperEnsemble with = ZookeeperEnsemble.start(traced);
        ZookeeperEnsemble without = ZookeeperEnsemble.start(plain)) {
      ZooKeeper tracedClient = WriteWorkload.connect(with.connectString());
      ZooKeeper plainClient = WriteWorkload.connect(without.connectString());
      createZnodes(tracedClient);
      createZnodes(plainClient);
      measure(tracedClient, plainClient);
      tracedClient.close();
      plainClient.close();
    }
  }

  private void measure(ZooKeeper traced, ZooKeeper plain) throws Exception {
    List<Double> throughput = new ArrayList<>();
    List<Double> latency = new ArrayList<>();
    out.println("round  writes/s plain  traced  ratio   latency plain  traced  ratio");
    for (int round = 1 - WARM_UP_ROUNDS; round <= rounds; round++) {
      boolean tracedFirst = round % 2 == 0;
      double first = writesPerSecond(tracedFirst ? traced : plain);
      double second = writesPerSecond(tracedFirst ? plain : traced);
      double withAgent = tracedFirst ? first : second;
      double without = tracedFirst ? second : first;
      double plainMicros = latencyMicros(plain);
      double tracedMicros = latencyMicros(traced);
      out.printf(
          Locale.ROOT,
          "%5s %15.0f %7.0f %6.3f %12.0f us %4.0f us %6.3f%n",
          round < 1 ? "warm" : round,
          without,
          withAgent,
          withAgent / without,
          plainMicros,
          tracedMicros,
          tracedMicros / plainMicros);
      if (round >= 1) {
        throughput.add(withAgent / without);
        latency.add(tracedMicros / plainMicros);
      }
    }
    out.println("throughput with the agent / without: " + spread(throughput));
    out.println("latency with the agent / without:    " + spread(latency));
  }

  private static void createZnodes(ZooKeeper client) throws Exception {
    for (int i = 0; i < ZNODE_COUNT; i++) {
      client.create("/r" + i, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
  }

  private double writesPerSecond(ZooKeeper client) throws InterruptedException {
    Semaphore outstanding = new Semaphore(OUTSTANDING_COUNT);
    AtomicLong written = new AtomicLong();
    byte[] data = new byte[DATA_BYTES];
    long start = System.nanoTime();
    Deadline end = Deadline.in(slice);
    for (int i = 0; !end.hasPassed(); i++) {
      outstanding.acquire();
      client.setData(
          "/r" + i % ZNODE_COUNT,
          data,
          ANY_VERSION,
          (code, path, context, stat) -> {
            outstanding.release();
            if (code == Code.OK.intValue()) {
              written.incrementAndGet();
            }
          },
          null);
    }
    outstanding.acquire(OUTSTANDING_COUNT);
    return written.get() * 1e9 / (System.nanoTime() - start);
  }

  /** The median of writes made one after another. */
  private double latencyMicros(ZooKeeper client) throws Exception {
    byte[] data = new byte[DATA_BYTES];
    List<Long> nanos = new ArrayList<>();
    Deadline end = Deadline.in(slice.dividedBy(2));
    while (!end.hasPassed()) {
      long start = System.nanoTime();
      client.setData("/r0", data, ANY_VERSION);
      nanos.add(System.nanoTime() - start);
    }
    nanos.sort(null);
    return nanos.get(nanos.size() / 2) / 1e3;
  }

  private static String spread(List<Double> ratios) {
    double[] sorted = ratios.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return String.format(
        Locale.ROOT,
        "median %.3f, mean %.3f, from %.3f to %.3f (%d rounds)",
        sorted[sorted.length / 2],
        Arrays.stream(sorted).average().orElseThrow(),
        sorted[0],
        sorted[sorted.length - 1],
        sorted.length);
  }
}
