// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the same query, followed while events arrive and run afterwards, has the same answer
 * in every column except the aligned times, which later evidence may refine.
 */
@Timeout(120)
class LiveHistoryTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final int NODES = 3;
  private static final int BLOCKS = 60;
  private static final int BLOCK_EVENTS = 10;
  private static final List<String> QUESTIONS =
      List.of(
          "SELECT %s r1, SPREAD(r1) AS s FROM setd WHEN SPREAD(r1) >= 2 %s",
          "SELECT %s r1, SPREAD(r1) AS s FROM setd WHEN SPREAD(r1) >= 2 %s EMIT EDGES",
          "SELECT %s r1, SPREAD(r1) AS s FROM setd WHEN SPREAD(r1) >= 2 %s EMIT INTERVALS",
          "SELECT %s r1 FROM setd WHEN EXISTS a, b IN r1 : (a - b >= 3) FOR 1ms %s",
          "SELECT %s COUNT(r1) AS n FROM setd COMPUTE GLOBAL g AND g := MAX(r1) WHEN g > 3 %s");

  private static final List<String> INTERRUPTED =
      Stream.concat(
              QUESTIONS.stream(),
              Stream.of(
                  "SELECT %s v FROM setd FOR EACH VARIABLE v WHEN SPREAD(v) >= 2 %s EMIT INTERVALS",
                  "SELECT %s r1 FROM setd WHEN SPREAD(r1) >= 2 FOR 1ms %s EMIT EDGES"))
          .toList();

  private final long seed = Long.getLong("retroscope.seed", 20261121);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  @TempDir Path directory;

  /** The timeout is much longer than any pause of the machine, so that no node becomes silent. */
  @RegisterExtension
  final ServerExtension server =
      new ServerExtension(() -> ServerConfig.in(directory).idleTimeout(Duration.ofSeconds(30)));

  private final HttpProbe http = new HttpProbe(server);
  private List<List<byte[]>> blocks;
  private long lastMicros;

  @BeforeEach
  void createBlocks() {
    blocks = randomBlocks(new Random(seed));
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void stream_overHistoryAndLive_givesTheRowsOfTheQuery() throws Exception {
    sendAll(0, BLOCKS / 2);
    List<Future<List<String>>> followed = new ArrayList<>();
    for (String question : QUESTIONS) {
      followed.add(threads.submit(() -> follow(question, Integer.MAX_VALUE)));
    }
    sendAll(BLOCKS / 2, BLOCKS);
    for (int i = 0; i < QUESTIONS.size(); i++) {
      List<String> live = followed.get(i).get();
      assertThat(live).as("seed %d, live: %s", seed, QUESTIONS.get(i)).isNotEmpty();
      assertThat(live).as("seed %d: %s", seed, QUESTIONS.get(i)).isEqualTo(ask(QUESTIONS.get(i)));
    }
  }

  @Test
  void stream_interruptedAndResumed_losesAndDoublesNothing() throws Exception {
    sendAll(0, BLOCKS / 2);
    List<Future<List<String>>> followed = new ArrayList<>();
    for (String question : INTERRUPTED) {
      followed.add(threads.submit(() -> follow(question, 25)));
    }
    sendAll(BLOCKS / 2, BLOCKS);

    for (int i = 0; i < INTERRUPTED.size(); i++) {
      assertThat(followed.get(i).get())
          .as("seed %d: %s", seed, INTERRUPTED.get(i))
          .isEqualTo(ask(INTERRUPTED.get(i)));
    }
  }

  /** Follows to the last event, with a new connection after every few rows. */
  private List<String> follow(String question, int rowsPerConnection) throws Exception {
    String stream = question.formatted("STREAM", "ON TIME hlc'" + START_MICROS + ".0'");
    List<String> rows = new ArrayList<>();
    String lastId = "";
    while (true) {
      int wanted = rows.size() + Math.min(rowsPerConnection, 1_000_000);
      try (BufferedReader in =
          new BufferedReader(
              new InputStreamReader(http.stream(stream, lastId), StandardCharsets.UTF_8))) {
        String type = "";
        while (rows.size() < wanted) {
          String line = in.readLine();
          if (line == null) {
            throw new AssertionError("the stream ended after " + rows.size() + " rows");
          }
          if (line.startsWith("event: ")) {
            type = line.substring(7);
          } else if (line.startsWith("id: ")) {
            lastId = line.substring(4);
          } else if (line.startsWith("data: ")) {
            String data = line.substring(6);
            assertThat(type).as(data).isIn("row", "edge", "progress");
            if (type.equals("progress")) {
              if (isComplete(data)) {
                return rows;
              }
            } else {
              rows.add(withoutTimes(data));
            }
          }
        }
      }
    }
  }

  private boolean isComplete(String progress) {
    String hlc = progress.replaceAll(".*\"hlc\":\"([0-9.]+)\".*", "$1");
    return HlcTimestamp.parse(hlc) >= HlcTimestamp.pack(lastMicros);
  }

  private List<String> ask(String question) throws Exception {
    String range = "ON TIME hlc'%d.0' TO hlc'%d.0'".formatted(START_MICROS, lastMicros);
    HttpProbe.Reply reply = http.query(question.formatted("", range));
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    return reply
        .body()
        .lines()
        .filter(row -> !row.contains("\"open\":true")) // a live query does not know its end yet
        .map(LiveHistoryTest::withoutTimes)
        .toList();
  }

  private static String withoutTimes(String row) {
    return row.replaceAll("\"(time|endTime|uncertaintyMicros)\":(\"[^\"]*\"|[0-9]+|null),?", "");
  }

  /** Each node sends over two connections, so that blocks overtake each other. */
  private void sendAll(int from, int to) throws Exception {
    List<Callable<Void>> senders = new ArrayList<>();
    for (List<byte[]> own : blocks) {
      for (int connection = 0; connection < 2; connection++) {
        int first = from + connection;
        senders.add(
            () -> {
              for (int i = first; i < to; i += 2) {
                post(own.get(i));
              }
              return null;
            });
      }
    }
    for (Future<Void> sender : threads.invokeAll(senders)) {
      sender.get();
    }
  }

  private void post(byte[] block) throws IOException, InterruptedException {
    HttpProbe.Reply reply = http.post("/v1/events", EventBlockCodec.CONTENT_TYPE, "", block);
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }

  /** Versions that all nodes apply one after the other, each with delays of its own. */
  private List<List<byte[]>> randomBlocks(Random random) {
    List<List<byte[]>> all = new ArrayList<>();
    long last = 0;
    for (int node = 0; node < NODES; node++) {
      long micros = START_MICROS;
      List<byte[]> own = new ArrayList<>();
      for (int number = 1; number <= BLOCKS; number++) {
        EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", number);
        for (int i = 0; i < BLOCK_EVENTS; i++) {
          micros += 1 + random.nextInt(random.nextInt(10) == 0 ? 3_000 : 900);
          long version = (number - 1L) * BLOCK_EVENTS + i;
          Change change = new Change(Operation.SET, "r1", Value.of(version));
          builder.add(
              new Event(
                  "n" + node, "setd", HlcTimestamp.pack(micros), new StateChange(List.of(change))));
        }
        own.add(EventBlockCodec.encode(builder.promise(HlcTimestamp.pack(micros), 0).build()));
      }
      last = Math.max(last, micros);
      all.add(own);
    }
    // All nodes agree at the end, so that no match is open, and promise that there are no more
    // events.
    lastMicros = last + 1_000;
    for (int node = 0; node < NODES; node++) {
      Change change = new Change(Operation.SET, "r1", Value.of(1_000_000));
      EventBlock block =
          new EventBlockBuilder()
              .incarnation("i", BLOCKS + 1)
              .add(
                  new Event(
                      "n" + node,
                      "setd",
                      HlcTimestamp.pack(lastMicros),
                      new StateChange(List.of(change))))
              .promise(HlcTimestamp.pack(lastMicros + 1_000_000), 0)
              .build();
      all.get(node).set(BLOCKS - 1, join(all.get(node).get(BLOCKS - 1), block));
    }
    return all;
  }

  private static byte[] join(byte[] first, EventBlock second) {
    byte[] encoded = EventBlockCodec.encode(second);
    byte[] both = Arrays.copyOf(first, first.length + encoded.length);
    System.arraycopy(encoded, 0, both, first.length, encoded.length);
    return both;
  }
}
