// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a log server while it receives events: everything that it has acknowledged must be stored
 * exactly once. The full number of kills: {@code mvn test -Pslow -pl log-server -am -Dtest=KillTest
 * -Dsurefire.failIfNoSpecifiedTests=false}; another number with {@code -Dretroscope.rounds=N},
 * another seed with {@code -Dretroscope.seed=N}.
 */
@Timeout(14_400)
class KillTest {
  private static final int BATCH_EVENTS = 50;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;

  @Test
  void kill_duringIngest_losesAndDoublesNothing() throws Exception {
    killAndCompare(2);
  }

  @Test
  @Tag("slow")
  void killOften_duringIngest_losesAndDoublesNothing() throws Exception {
    killAndCompare(Integer.getInteger("retroscope.rounds", 1_000));
  }

  private void killAndCompare(int rounds) throws Exception {
    long seed = Long.getLong("retroscope.seed", 20261121);
    Random random = new Random(seed);
    List<Sender> senders =
        List.of(
            new Sender("lines", Way.LINES),
            new Sender("blocks", Way.BLOCKS),
            new Sender("both", Way.BOTH));
    for (int round = 0; round < rounds; round++) {
      try (ServerProcess server = ServerProcess.start(directory)) {
        List<Thread> threads = new ArrayList<>();
        for (Sender sender : senders) {
          sender.server = new HttpProbe(server.uri());
          threads.add(new Thread(sender, sender.node));
        }
        List<Integer> before = senders.stream().map(sender -> sender.acknowledged.get()).toList();
        threads.forEach(Thread::start);
        for (int i = 0; i < before.size(); i++) {
          Sender sender = senders.get(i);
          int acknowledged = before.get(i);
          Awaitility.await().atMost(PATIENCE).until(() -> sender.acknowledged.get() > acknowledged);
        }
        TimeUnit.MILLISECONDS.sleep(random.nextInt(rounds > 100 ? 150 : 700));
        server.kill();
        for (Thread thread : threads) {
          thread.join(PATIENCE.toMillis());
          assertThat(thread.isAlive()).isFalse();
        }
      }
    }
    try (LogServer server = LogServer.start(ServerConfig.in(directory).port(0).build())) {
      for (Sender sender : senders) {
        sender.server = new HttpProbe(server.uri());
        assertThat(sender.send()).as("seed %d: what was not acknowledged", seed).isTrue();
      }
    }
    compare(rounds, seed, senders);
  }

  private void compare(int rounds, long seed, List<Sender> senders) {
    Map<String, Integer> counts = new TreeMap<>();
    try (EventStore store =
            EventStore.open(directory, StoreOptions.DEFAULT, () -> 1_900_000_000_000_000L);
        View view = store.open(ClockOffsets.UNKNOWN)) {
      view.scan(Set.of("l"), HlcRange.ALL)
          .forEachRemaining(event -> counts.merge(event.node() + event.hlc(), 1, Integer::sum));
    }
    assertThat(counts.values()).as("seed %d: events stored twice", seed).containsOnly(1);
    for (Sender sender : senders) {
      assertThat(sender.acknowledged.get()).as("seed %d, %s", seed, sender.node).isGreaterThan(0);
      for (int i = 0; i < sender.acknowledged.get() * BATCH_EVENTS; i++) {
        assertThat(counts).as("seed %d", seed).containsKey(sender.node + Sender.hlc(i));
      }
    }
    int acknowledged = senders.stream().mapToInt(s -> s.acknowledged.get() * BATCH_EVENTS).sum();
    assertThat(counts).hasSize(acknowledged);
    System.out.println(
        "kills: %d rounds from seed %d, %d acknowledged events, 0 lost, 0 doubled"
            .formatted(rounds, seed, acknowledged));
  }

  /** The ways in which a sender sends each batch. */
  private enum Way {
    LINES,
    BLOCKS,
    /** First as a block, then as lines, which are all duplicates. */
    BOTH
  }

  /** Sends batches one after the other, each until it is acknowledged, as a sink does. */
  private static final class Sender implements Runnable {
    private final String node;
    private final Way way;
    private HttpProbe server;
    private final AtomicInteger acknowledged = new AtomicInteger();

    Sender(String node, Way way) {
      this.node = node;
      this.way = way;
    }

    static long hlc(int event) {
      return HlcTimestamp.pack(1_795_200_000_000_000L + 1_000L * event);
    }

    @Override
    public void run() {
      try {
        while (send()) {
          // The server is gone.
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Whether the next batch was acknowledged. */
    boolean send() throws InterruptedException {
      List<Event> events = new ArrayList<>();
      for (int i = 0; i < BATCH_EVENTS; i++) {
        int event = acknowledged.get() * BATCH_EVENTS + i;
        Change change = new Change(Operation.SET, "x", Value.of(event));
        events.add(new Event(node, "l", hlc(event), new StateChange(List.of(change))));
      }
      try {
        HttpProbe.Reply reply = way == Way.LINES ? postLines(events) : postBlock(events);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        if (way == Way.BOTH) {
          HttpProbe.Reply again = postLines(events);
          assertThat(again.body())
              .isEqualTo("{\"accepted\":0,\"duplicates\":" + BATCH_EVENTS + "}");
        }
        acknowledged.incrementAndGet();
        return true;
      } catch (IOException e) {
        return false;
      }
    }

    private HttpProbe.Reply postBlock(List<Event> events) throws IOException, InterruptedException {
      EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", acknowledged.get() + 1L);
      events.forEach(builder::add);
      long promise = events.get(events.size() - 1).hlc();
      return server.post(
          "/v1/events",
          EventBlockCodec.CONTENT_TYPE,
          "",
          EventBlockCodec.encode(builder.promise(promise, 0).build()));
    }

    private HttpProbe.Reply postLines(List<Event> events) throws IOException, InterruptedException {
      StringBuilder text = new StringBuilder();
      events.forEach(event -> text.append(NdjsonWriter.line(event)).append('\n'));
      return server.events(text.toString());
    }
  }
}
