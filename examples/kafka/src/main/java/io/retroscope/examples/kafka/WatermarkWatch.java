// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.DemoScreen;
import io.retroscope.examples.stage.Match;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.diagnostic.RqlException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A watch of a cluster through one of its servers: a line per second with the partitions of each
 * server, the watermark W, its lag, and the rate of events. Thread-safe.
 */
final class WatermarkWatch implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration LINE_INTERVAL = Duration.ofSeconds(1);
  private static final Duration END_PATIENCE = Duration.ofSeconds(5);
  private static final int MICROS_PER_MILLI = 1_000;

  private final ClusterProcesses servers;
  private final int asked;
  private final DemoScreen screen;
  private final PhysicalClock clock = PhysicalClock.system();
  private final Thread thread = new Thread(this::watch, "watermark-watch");
  private final Deadline begun = Deadline.in(Duration.ZERO);

  /* Written by the thread of the watch only. */
  private volatile long watermark = HlcTimestamp.MIN_PACKED;
  private volatile Optional<String> fall = Optional.empty();
  private volatile Duration longestStill = Duration.ZERO;
  private Deadline moved = begun;
  private Deadline nextLine = begun;
  private Deadline lastLine = begun;
  private long lastEvents = -1;
  private Map<String, Long> lastOfNodes = Map.of();

  /**
   * What one poll finds.
   *
   * @param lastOfNodes the last stamp of each node, packed
   */
  private record Seen(Map<String, Long> lastOfNodes, long events) {
    long watermark() {
      return lastOfNodes.values().stream().mapToLong(Long::longValue).min().orElseThrow();
    }
  }

  private WatermarkWatch(ClusterProcesses servers, int asked, DemoScreen screen) {
    this.servers = servers;
    this.asked = asked;
    this.screen = screen;
  }

  /** Begins to watch through a server. */
  static WatermarkWatch begin(ClusterProcesses servers, int asked, DemoScreen screen) {
    WatermarkWatch watch = new WatermarkWatch(servers, asked, screen);
    screen.say(
        "  second  owned (copies)                                       W       lag  events/s");
    watch.thread.setDaemon(true);
    watch.thread.start();
    return watch;
  }

  /** The longest time for which the watermark stood still, as its readers see it. */
  Duration longestStill() {
    return longestStill;
  }

  /** The node that had an earlier last stamp than before at any time, or was missing. */
  Optional<String> fall() {
    return fall;
  }

  /** Forgets how long the watermark stood still so far. */
  void forgetStill() {
    longestStill = Duration.ZERO;
  }

  private void watch() {
    try {
      while (true) {
        Deadline next = Deadline.in(POLL);
        Optional<Seen> seen = poll();
        seen.ifPresent(this::note);
        if (nextLine.hasPassed()) {
          nextLine = Deadline.in(LINE_INTERVAL);
          print(seen);
        }
        next.await();
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private void note(Seen seen) {
    Duration still = moved.remaining().negated();
    if (watermark != HlcTimestamp.MIN_PACKED && still.compareTo(longestStill) > 0) {
      longestStill = still;
    }
    lastOfNodes.forEach((node, last) -> checkNotFallen(node, last, seen));
    lastOfNodes = seen.lastOfNodes();
    if (seen.watermark() != watermark) {
      watermark = seen.watermark();
      moved = Deadline.in(Duration.ZERO);
    }
  }

  private void checkNotFallen(String node, long last, Seen seen) {
    Long now = seen.lastOfNodes().get(node);
    if (now == null || now < last) {
      fall =
          Optional.of(
              "the last stamp of %s was %s, and later %s"
                  .formatted(
                      node, HlcTimestamp.text(last), now == null ? "-" : HlcTimestamp.text(now)));
    }
  }

  /** The lowest last stamp of the nodes is the watermark: up to there each of them is known. */
  private Optional<Seen> poll() {
    Nodes nodes = new Nodes();
    try (RqlClient client = new RqlClient(servers.uri(asked))) {
      client.run("SHOW NODES;", nodes);
      return nodes.last.isEmpty()
          ? Optional.empty()
          : Optional.of(new Seen(nodes.last, nodes.events));
    } catch (IOException | RqlException | ProblemException e) {
      return Optional.empty();
    }
  }

  private static final class Nodes implements RowSink {
    private List<Column> columns = List.of();
    private final Map<String, Long> last = new TreeMap<>();
    private long events;

    @Override
    public void columns(List<Column> named) {
      columns = named;
    }

    @Override
    public boolean row(Row row) {
      Match node = Match.of(columns, row);
      if (node.cells().get("node") instanceof StringValue name
          && node.cells().get("last") instanceof TimestampValue stamp
          && node.cells().get("events") instanceof LongValue count) {
        last.put(name.value(), stamp.packed());
        events += count.value();
      }
      return true;
    }

    @Override
    public void warning(String message) {}
  }

  private void print(Optional<Seen> seen) throws InterruptedException {
    String owners =
        servers.placement(asked).map(this::owners).orElse("server " + (asked + 1) + " is silent");
    double seconds = lastLine.remaining().negated().toNanos() / 1e9;
    String rate = "";
    String mark = "-";
    String lag = "-";
    if (seen.isPresent()) {
      long micros = HlcTimestamp.micros(seen.get().watermark());
      mark = HlcTimestamp.isoMicros(micros).substring(11, 23);
      lag = (clock.micros() - micros) / MICROS_PER_MILLI + " ms";
      rate =
          lastEvents < 0
              ? "-"
              : String.format(Locale.ROOT, "%,.0f", (seen.get().events() - lastEvents) / seconds);
      lastEvents = seen.get().events();
      lastLine = Deadline.in(Duration.ZERO);
    }
    screen.say(
        String.format(
            Locale.ROOT,
            "  %6.1f  %-44s  %12s  %8s  %8s",
            begun.remaining().negated().toMillis() / 1e3,
            owners,
            mark,
            lag,
            rate));
  }

  private String owners(ClusterProcesses.Placement placement) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < ClusterProcesses.COUNT; i++) {
      line.append(i == 0 ? "" : "  ")
          .append(i + 1)
          .append(servers.isRunning(i) ? ": " : " killed: ")
          .append(numbers(placement.owned().get(i)))
          .append(" (")
          .append(numbers(placement.copies().get(i)))
          .append(')');
    }
    return line.toString();
  }

  private static String numbers(Set<Integer> partitions) {
    return partitions.stream().map(String::valueOf).collect(Collectors.joining(" "));
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(END_PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
