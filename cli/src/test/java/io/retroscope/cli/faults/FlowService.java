// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.faults;

import io.retroscope.instrumentation.kafka.KafkaSink;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The service of the fault tests: three nodes record increasing numbers until a file named {@code
 * end} appears in the folder.
 *
 * <p>Two nodes keep everything until it is delivered, and write to the file {@code acknowledged}
 * the number up to which their sink reports delivery. The third has little capacity, and at its end
 * writes to {@code lossy} the numbers of recorded events and of losses reported by its sink.
 */
public final class FlowService {
  /** The nodes that lose nothing. */
  static final List<String> NODES = List.of("ann", "bob");

  /** The node whose sink has little capacity. */
  static final String LOSSY_NODE = "cid";

  /** The log of the nodes that lose nothing, and that of the other. */
  static final String LOG = "flow";

  static final String LOSSY_LOG = "drip";

  /** A run's numbers start at a multiple of this. */
  static final long RUN = 1_000_000;

  private static final int LOSSY_MEMORY_BYTES = 48 << 10;
  private static final Duration STEP = Duration.ofMillis(4);
  private static final String PADDING = "x".repeat(400);

  private final URI topic;
  private final Path folder;
  private final long base;

  private FlowService(URI topic, Path folder, long base) {
    this.topic = topic;
    this.folder = folder;
    this.base = base;
  }

  /** Runs the service. The arguments are the topic's address and the folder. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    append(folder.resolve("runs"), "run\n");
    long run = Files.readAllLines(folder.resolve("runs")).size();
    new FlowService(URI.create(args[0]), folder, run * RUN).run();
    System.exit(0);
  }

  private void run() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (String node : NODES) {
      threads.add(new Thread(() -> guarded(() -> recordAll(node)), node));
    }
    threads.add(new Thread(() -> guarded(this::recordLossy), LOSSY_NODE));
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    Files.writeString(folder.resolve("ended"), "");
  }

  private interface Task {
    void run() throws Exception;
  }

  @SuppressWarnings("SystemExitOutsideMain")
  private static void guarded(Task task) {
    try {
      task.run();
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(3);
    }
  }

  private void recordAll(String node) throws Exception {
    Recorder recorder =
        Recorder.builder().node(node).server(topic).stateDirectory(folder.resolve(node)).build();
    long[] recorded = {base};
    Thread acknowledger =
        new Thread(() -> guarded(() -> acknowledge(node, recorder, recorded)), node + "-ack");
    acknowledger.start();
    EventLog log = recorder.log(LOG);
    while (!isEnding()) {
      synchronized (recorded) {
        recorded[0]++;
      }
      log.set("x", recorded[0]);
      Thread.sleep(STEP.toMillis());
    }
    acknowledger.join();
    recorder.close();
  }

  private void acknowledge(String node, Recorder recorder, long[] recorded) throws Exception {
    while (!isEnding()) {
      long before;
      synchronized (recorded) {
        // The number itself may not have reached the recorder yet.
        before = recorded[0] - 1;
      }
      if (before > base && recorder.flush(Duration.ofMillis(500))) {
        append(folder.resolve("acknowledged"), node + " " + before + "\n");
      }
      Thread.sleep(STEP.toMillis());
    }
  }

  private void recordLossy() throws Exception {
    KafkaSink sink =
        KafkaSink.builder(topic.getAuthority())
            .topic(topic.getPath().substring(1))
            .maxMemoryBytes(LOSSY_MEMORY_BYTES)
            .closeTimeout(Duration.ofSeconds(15))
            .build();
    Recorder recorder = Recorder.builder().node(LOSSY_NODE).sink(sink).build();
    EventLog log = recorder.log(LOSSY_LOG);
    long number = base;
    while (!isEnding()) {
      log.set("x", ++number + PADDING);
      Thread.sleep(STEP.toMillis());
    }
    recorder.close();
    Files.writeString(
        folder.resolve("lossy"), base + " " + (number - base) + " " + sink.lostEventCount());
  }

  private boolean isEnding() {
    return Files.exists(folder.resolve("end"));
  }

  /** Appends with one write, so that a kill leaves a whole line or none. */
  private static synchronized void append(Path file, String line) throws IOException {
    Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
