// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.engine.Present;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.rql.engine.statement.NodeRegister;
import io.retroscope.rql.evaluation.LateLimits;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A random history of some nodes, a log server and clients of live queries that it evaluates
 * together, all of which may fail. The time is the test's.
 */
final class SeamHistory implements AutoCloseable {
  static final long START_MICROS = 1_795_200_000_000_000L;
  static final long BOUND_MICROS = 10_000_000;
  private static final long IDLE_MICROS = 1_000_000;
  private static final int STEPS = 40;

  private final Random random;
  private final Path directory;
  private final Map<String, SeamClient> clients;
  private final List<SeamNode> nodes = new ArrayList<>();
  private EventStore store;
  private WatermarkTracker watermarks;
  private StreamingQuery.Parts parts;
  private LiveFollowers followers;
  private final Map<String, LiveFollower> connected = new HashMap<>();
  private long nowMicros = START_MICROS;
  private int lateCount;
  private int serverRuns;

  /**
   * A history that has not begun.
   *
   * @param clients by their queries, which have %s for STREAM and for ON TIME
   */
  SeamHistory(Random random, Path directory, Map<String, SeamClient> clients) {
    this.random = random;
    this.directory = directory;
    this.clients = clients;
    startServer();
    for (int i = 2 + random.nextInt(3); i > 0; i--) {
      SeamNode node = new SeamNode("n" + i, random);
      node.start(nowMicros);
      nodes.add(node);
    }
    clients.keySet().forEach(this::connect);
  }

  private void startServer() {
    store = EventStore.open(directory, StoreOptions.DEFAULT, () -> nowMicros);
    MonotonicClock clock = () -> TimeUnit.MICROSECONDS.toNanos(nowMicros);
    watermarks =
        new WatermarkTracker(
            clock,
            () -> nowMicros,
            TimeUnit.MICROSECONDS.toNanos(IDLE_MICROS),
            store.incarnations());
    watermarks.awaitKnown(TimeUnit.SECONDS.toNanos(10));
    store.addListener(watermarks);
    EventSource source = () -> store.open(ClockOffsets.UNKNOWN, Map::of);
    QueryLimits limits =
        new QueryLimits(1_000_000, 1_000_000, 100_000, 1_000, IDLE_MICROS)
            .with(new LateLimits(BOUND_MICROS, 1 << 20));
    LateLog late = new LateLog(watermarks, ++serverRuns);
    store.addListener(late);
    parts =
        new StreamingQuery.Parts(
            new QueryEngine(source, limits, present(), forgets()), source, watermarks, late, clock);
    followers = new LiveFollowers(parts);
  }

  private Present present() {
    return new Present() {
      @Override
      public long nowMicros() {
        return nowMicros;
      }

      @Override
      public long completeHlc() {
        return watermarks.current().hlc();
      }
    };
  }

  private static NodeRegister forgets() {
    return node -> {
      throw new UnsupportedOperationException("no node is forgotten");
    };
  }

  private void connect(String query) {
    String text = query.formatted("STREAM", "ON TIME hlc'" + START_MICROS + ".0'");
    LiveStart opening = new LiveStart(watermarks.openingHlc(), clients.get(query).reconnect());
    connected.put(query, followers.open(parts.engine().prepare(text), clients.get(query), opening));
  }

  /** Lets everything happen, and then lets the answer become complete. */
  void run() throws InterruptedException {
    for (int i = 0; i < STEPS; i++) {
      fail();
      pass(random.nextInt(12) == 0 ? random.nextInt(6_000_000) : random.nextInt(700_000));
      if (random.nextInt(10) == 0) {
        sendLate();
      }
      send();
      answer();
    }
    for (int i = 0; i < 20; i++) {
      nowMicros += BOUND_MICROS;
      answer();
    }
  }

  private void fail() throws InterruptedException {
    SeamNode node = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(24)) {
      case 0 -> node.silence(nowMicros + random.nextInt(16_000_000));
      case 1 -> node.start(nowMicros);
      case 2 -> node.step(random.nextInt(6_000_000) - 3_000_000);
      case 3 -> clients.values().forEach(client -> client.cutAfter(1 + random.nextInt(4)));
      case 4 -> restartServer();
      default -> {}
    }
  }

  private void restartServer() throws InterruptedException {
    settle();
    followers.close();
    store.close();
    for (int i = random.nextInt(20); i > 0; i--) {
      pass(500_000);
    }
    startServer();
    clients.keySet().forEach(this::connect);
  }

  /** Lets the server send what late events have changed. */
  private void settle() throws InterruptedException {
    nowMicros += TimeUnit.NANOSECONDS.toMicros(LateArrivals.PAUSE_NANOS);
    answer();
  }

  private void pass(long micros) {
    long from = nowMicros;
    nowMicros += micros + 1;
    nodes.forEach(node -> node.record(from, nowMicros));
  }

  private void send() {
    // One submission for all, because each waits for the disk.
    List<EncodedFrame> frames = new ArrayList<>();
    nodes.forEach(node -> frames.addAll(node.send(nowMicros)));
    if (!frames.isEmpty()) {
      store.append(new Submission.Frames(frames)).join();
    }
  }

  /** A node without a recorder sends an event late, as a span is exported at its end. */
  private void sendLate() {
    long ago = random.nextInt((int) (2 * BOUND_MICROS));
    // A logical part of its own, because the stamps of a run are distinct.
    long hlc = HlcTimestamp.pack(Math.max(START_MICROS, nowMicros - ago), ++lateCount);
    NumberedEvent line = new NumberedEvent(1, SeamNode.set("late", hlc, random));
    store.append(new Submission.Lines(List.of(line), List.of(), 100)).join();
  }

  private void answer() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      followers.step(watermarks.advance());
      clients.forEach(
          (query, client) -> {
            if (client.isCut()) {
              connected.get(query).close();
              connect(query);
            }
          });
    }
  }

  /** The rows of the past that the stream of a query has reached. */
  List<SeamClient.Shown> past(String query) {
    List<SeamClient.Shown> rows = new ArrayList<>();
    HlcRange all = new HlcRange(HlcTimestamp.pack(START_MICROS), watermarks.current().hlc());
    String range =
        "ON TIME hlc'%s' TO hlc'%s'"
            .formatted(HlcTimestamp.text(all.from()), HlcTimestamp.text(all.to()));
    parts.engine().run(parts.engine().prepare(query.formatted("", range)), new Past(rows));
    return rows;
  }

  @Override
  public void close() {
    followers.close();
    store.close();
  }

  /** The rows of the past, without those whose end a live query cannot know. */
  private static final class Past implements RowSink {
    private final List<SeamClient.Shown> rows;
    private List<Column> columns = List.of();

    Past(List<SeamClient.Shown> rows) {
      this.rows = rows;
    }

    @Override
    public void columns(List<Column> all) {
      columns = all;
    }

    @Override
    public boolean row(Row row) {
      SeamClient.Shown shown = SeamClient.Shown.of(columns, row, 0);
      return shown.text().contains("open=BooleanValue[value=true]") || rows.add(shown);
    }

    @Override
    public void warning(String message) {}
  }
}
