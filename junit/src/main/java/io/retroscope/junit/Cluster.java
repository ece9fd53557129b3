// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.junit.Recording.Recorded;
import io.retroscope.recorder.Recorder;
import io.retroscope.recorder.RecorderStatistics;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.json.NdjsonWriter;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cluster of one test: a recorder for each node in the test's process, and an address for nodes
 * in other processes. A parameter of the test method, or of methods with {@code @BeforeEach} and
 * {@code @AfterEach}. Ends after the test, when the rules are checked over all that was recorded.
 * Thread-safe.
 */
public final class Cluster {
  /** The most nodes in the test's process; each has a thread and a buffer. */
  public static final int MAX_NODES = 64;

  private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(10);

  private final Path file;
  private final PhysicalClock clock;
  private final Recording recording;
  private final Map<String, Recorder> nodes = new LinkedHashMap<>();
  private @Nullable LoopbackServer server;
  private boolean closed;

  Cluster(Path file, PhysicalClock clock, long maxBytes) {
    this.file = file;
    this.clock = clock;
    this.recording = new Recording(maxBytes);
  }

  /**
   * Starts a node with the machine's clock.
   *
   * @param name 1 to 200 characters, new in this test
   * @return its recorder, which this cluster closes; a service may close it before
   * @throws IllegalArgumentException if there is a node of this name
   * @throws IllegalStateException if the test has ended, or has {@link #MAX_NODES} nodes
   */
  public Recorder node(String name) {
    return node(name, Duration.ZERO, 0);
  }

  /**
   * Starts a node whose clock is wrong by a constant.
   *
   * @param skew by which the clock is ahead of the machine's; negative if it is slow
   * @see #node(String)
   */
  public Recorder node(String name, Duration skew) {
    return node(name, skew, 0);
  }

  /**
   * Starts a node whose clock is wrong, and runs too fast or too slow.
   *
   * @param skew by which the clock is ahead of the machine's now; negative if it is slow
   * @param driftPpm the microseconds by which it gains per second, from -500,000 to 500,000
   * @see #node(String)
   */
  public synchronized Recorder node(String name, Duration skew, double driftPpm) {
    Objects.requireNonNull(name, "name");
    checkOpen();
    if (nodes.containsKey(name)) {
      throw new IllegalArgumentException("there is a node \"" + name + "\" already in this test");
    }
    if (nodes.size() == MAX_NODES) {
      throw new IllegalStateException("a test has at most " + MAX_NODES + " nodes in its process");
    }
    long skewMicros = Math.addExact(skew.getSeconds() * 1_000_000, skew.getNano() / 1_000);
    Recorder recorder =
        Recorder.builder()
            .node(name)
            .physicalClock(new SkewedClock(clock, clock.micros(), skewMicros, driftPpm))
            .sink(recording.sink())
            // The settings of the test's process are not those of its nodes.
            .properties(property -> property.equals("retroscope.jmx") ? "false" : null)
            .strict(true)
            .build();
    nodes.put(name, recorder);
    return recorder;
  }

  /**
   * The address for nodes in other processes, such as {@code http://127.0.0.1:43210}: set {@code
   * RETROSCOPE_SERVER} to it, and {@code RETROSCOPE_NODE} to the node's name. Listens on the
   * loopback interface from the first call on. What such a process has not delivered when the test
   * ends is not checked: close its recorder, or end it in order, before.
   *
   * @throws IllegalStateException if the test has ended
   */
  public synchronized URI server() {
    checkOpen();
    if (server == null) {
      server = new LoopbackServer(recording);
    }
    return server.address();
  }

  /** The file that has the recorded events after the test, as lines of JSON. */
  public Path file() {
    return file;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the test of this cluster has ended");
    }
  }

  /**
   * Writes the recorded events, while the nodes still run: their stops are none of the test's.
   *
   * @param problems takes the losses
   */
  synchronized List<Event> write(List<String> problems) throws IOException {
    boolean interrupted = Thread.interrupted();
    for (Recorder recorder : nodes.values()) {
      boolean flushed = recorder.flush(FLUSH_TIMEOUT);
      String losses = losses(recorder.statistics());
      if (!losses.isEmpty() || !flushed) {
        problems.add(
            "node %s discarded events: %s"
                .formatted(recorder.node(), losses.isEmpty() ? "not all were delivered" : losses));
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (server != null) {
      server.refusals().forEach(reason -> problems.add("events were refused: " + reason));
    }
    Recorded recorded = recording.soFar();
    for (Gap gap : recorded.gaps()) {
      problems.add("node %s lost %d events".formatted(gap.node(), gap.eventCount()));
    }
    write(recorded);
    return recorded.events();
  }

  private void write(Recorded recorded) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      NdjsonWriter lines = new NdjsonWriter(out);
      for (Gap gap : recorded.gaps()) {
        lines.gap(gap);
      }
      for (Event event : recorded.events()) {
        lines.event(event);
      }
    }
  }

  /** The numbers of the events that are missing in the recording, by reason. */
  private static String losses(RecorderStatistics counts) {
    Map<String, Long> losses = new LinkedHashMap<>();
    losses.put("found its buffer full", counts.dropped());
    losses.put("could not be recorded as they were", counts.refused());
    losses.put("were not finished in time", counts.abandoned());
    losses.put("were missed by an integration", counts.missed());
    losses.put("came after its recorder was closed", counts.afterClose());
    losses.put("were more than one test records", counts.lostBySink());
    losses.put("were lost by an error of the recorder", counts.lostByError());
    List<String> texts = new ArrayList<>();
    losses.forEach(
        (reason, count) -> {
          if (count > 0) {
            texts.add("%d %s".formatted(count, reason));
          }
        });
    return String.join(", ", texts);
  }

  synchronized void close() {
    closed = true;
    nodes.values().forEach(Recorder::close);
    if (server != null) {
      server.close();
    }
  }
}
