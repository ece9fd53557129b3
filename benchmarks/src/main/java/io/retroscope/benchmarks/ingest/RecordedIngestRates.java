// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.ingest;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A measurement of ingest over HTTP: the events per second of the CPU time of the log server's
 * process, with the threads of Java's compiler, collector and of sealing, if recorders send with
 * their own sink and batches over loopback. The recorders are in a process of their own. It is the
 * counterpart of {@code benchmarks.store.IngestRates}, which calls the store itself.
 */
public final class RecordedIngestRates {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int BURST = 1_000;

  private RecordedIngestRates() {}

  /**
   * Takes the number of events in thousands, of nodes, of events per second of all nodes together,
   * and of rounds, of which the first compiles.
   */
  public static void main(String[] args) throws Exception {
    Arguments given = new Arguments(args, "thousands of events, nodes, events per second, rounds");
    if (given.text(0).equals("record")) {
      record(URI.create(given.text(1)), given.number(2), given.number(3), given.number(4));
      return;
    }
    try (ScratchFolder scratch = ScratchFolder.create("recorded");
        LogServer server =
            LogServer.start(ServerConfig.in(scratch.path().resolve("data")).port(0).build())) {
      for (int round = 0; round < given.number(3); round++) {
        long before = storedCount(server);
        long began = CpuTime.ofProcess();
        long beganNanos = System.nanoTime();
        recorders(server.uri(), given);
        long events = storedCount(server) - before;
        double cpuSeconds = (CpuTime.ofProcess() - began) / 1e9;
        double seconds = (System.nanoTime() - beganNanos) / 1e9;
        System.out.printf(
            Locale.ROOT,
            "%d events of %s nodes in %.1f s: %.2f M events per CPU-second of the server%n",
            events,
            given.text(1),
            seconds,
            events / cpuSeconds / 1e6);
      }
    }
  }

  private static long storedCount(LogServer server) {
    try (EventSource.View view = server.events().open()) {
      return view.logs().stream()
          .filter(log -> log.name().equals("setd"))
          .mapToLong(Catalog.LogDescription::eventCount)
          .sum();
    }
  }

  private static void recorders(URI server, Arguments given)
      throws IOException, InterruptedException {
    Process client =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                RecordedIngestRates.class.getName(),
                "record",
                server.toString(),
                given.text(0),
                given.text(1),
                given.text(2))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (client.waitFor() != 0) {
      throw new IOException("the recorders failed");
    }
    System.out.print(said);
  }

  private static void record(URI server, long thousands, int nodes, long perSecond) {
    double perNano = perSecond / 1e9;
    List<Recorder> recorders = new ArrayList<>();
    List<EventLog> logs = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      Recorder recorder = Recorder.builder().node("zk" + node).server(server).build();
      recorders.add(recorder);
      logs.add(recorder.log("setd"));
    }
    long began = System.nanoTime();
    for (long i = 0; i < thousands * 1_000; i++) {
      logs.get((int) (i % nodes)).set("r1", i / nodes);
      if (i % BURST == 0) {
        long due = began + (long) (i / perNano);
        for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
          LockSupport.parkNanos(Math.min(wait, TimeUnit.MILLISECONDS.toNanos(1)));
        }
      }
    }
    for (Recorder recorder : recorders) {
      if (!recorder.flush(PATIENCE)) {
        throw new IllegalStateException("not delivered: " + recorder.statistics());
      }
      System.out.println(recorder.statistics());
      recorder.close();
    }
  }
}
