// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.TemporaryFolders;
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
 * A benchmark of the agent's cost: write throughput and latency of an ensemble with the agent
 * relative to one without it, measured alternately in one run.
 *
 * <p>Both ensembles run all the time, and only one at a time is loaded, so that disturbances and
 * warm-up affect both equally.
 */
public final class ThroughputBenchmark {
  private static final int OUTSTANDING_COUNT = 256;
  private static final int ZNODE_COUNT = 16;
  private static final int DATA_BYTES = 128;
  private static final int WARM_UP_ROUNDS = 6;
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
      try (Side tracedSide = new Side(with);
          Side plainSide = new Side(without)) {
        measure(tracedSide, plainSide);
      }
    }
  }

  private void measure(Side traced, Side plain) throws Exception {
    List<Double> throughput = new ArrayList<>();
    List<Double> cpu = new ArrayList<>();
    List<Double> latency = new ArrayList<>();
    out.println("           writes/s            servers' CPU us/write   median latency us");
    out.println("round    plain  traced  ratio   plain traced  ratio   plain traced  ratio");
    for (int round = 1 - WARM_UP_ROUNDS; round <= rounds; round++) {
      boolean tracedFirst = round % 2 == 0;
      Load first = (tracedFirst ? traced : plain).load(slice);
      Load second = (tracedFirst ? plain : traced).load(slice);
      Load with = tracedFirst ? first : second;
      Load without = tracedFirst ? second : first;
      double plainMicros = plain.latencyMicros(slice.dividedBy(2));
      double tracedMicros = traced.latencyMicros(slice.dividedBy(2));
      out.printf(
          Locale.ROOT,
          "%5s %8.0f %7.0f %6.3f %7.1f %6.1f %6.3f %7.0f %6.0f %6.3f%n",
          round < 1 ? "warm" : round,
          without.writesPerSecond(),
          with.writesPerSecond(),
          with.writesPerSecond() / without.writesPerSecond(),
          without.cpuMicrosPerWrite(),
          with.cpuMicrosPerWrite(),
          with.cpuMicrosPerWrite() / without.cpuMicrosPerWrite(),
          plainMicros,
          tracedMicros,
          tracedMicros / plainMicros);
      if (round >= 1) {
        throughput.add(with.writesPerSecond() / without.writesPerSecond());
        cpu.add(with.cpuMicrosPerWrite() / without.cpuMicrosPerWrite());
        latency.add(tracedMicros / plainMicros);
      }
    }
    out.println("with the agent / without it:");
    out.println("  writes per second  " + spread(throughput));
    out.println("  CPU per write      " + spread(cpu));
    out.println("  latency            " + spread(latency));
  }

  /** The result of one load phase of an ensemble. */
  private record Load(double writesPerSecond, double cpuMicrosPerWrite) {}

  /** One of the two ensembles, and its client. */
  private static final class Side implements AutoCloseable {
    private final ZookeeperEnsemble ensemble;
    private final ZooKeeper client;

    Side(ZookeeperEnsemble ensemble) throws Exception {
      this.ensemble = ensemble;
      // The clients connect to the leader, because a follower would forward every write, at a cost.
      this.client = WriteWorkload.connect(ensemble.leader().orElseThrow().address());
      for (int i = 0; i < ZNODE_COUNT; i++) {
        client.create("/r" + i, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      }
    }

    /** Writes with many concurrent requests. */
    Load load(Duration duration) throws InterruptedException {
      Semaphore outstanding = new Semaphore(OUTSTANDING_COUNT);
      AtomicLong written = new AtomicLong();
      byte[] data = new byte[DATA_BYTES];
      long cpuBefore = cpuNanos();
      long start = System.nanoTime();
      Deadline end = Deadline.in(duration);
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
      double count = Math.max(1, written.get());
      long nanos = System.nanoTime() - start;
      return new Load(count * 1e9 / nanos, (cpuNanos() - cpuBefore) / count / 1e3);
    }

    private long cpuNanos() {
      return ensemble.servers().stream()
          .flatMap(server -> server.pid().stream())
          .flatMap(pid -> ProcessHandle.of(pid).stream())
          .flatMap(process -> process.info().totalCpuDuration().stream())
          .mapToLong(Duration::toNanos)
          .sum();
    }

    /** The median latency of sequential writes. */
    double latencyMicros(Duration duration) throws Exception {
      byte[] data = new byte[DATA_BYTES];
      List<Long> nanos = new ArrayList<>();
      Deadline end = Deadline.in(duration);
      while (!end.hasPassed()) {
        long start = System.nanoTime();
        client.setData("/r0", data, ANY_VERSION);
        nanos.add(System.nanoTime() - start);
      }
      nanos.sort(null);
      return nanos.get(nanos.size() / 2) / 1e3;
    }

    @Override
    public void close() {
      try {
        client.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
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
