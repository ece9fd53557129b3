// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a client of a live query sees when nodes, events or the server fail. */
@Timeout(300)
class LiveFaultsTest {
  private static final String QUERY = "SELECT STREAM x FROM t";

  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server =
      new ServerExtension(
          () -> ServerConfig.in(directory.resolve("data")).restartGrace(Duration.ofMillis(100)));

  private final HttpProbe http = new HttpProbe(server);
  private final long now = PhysicalClock.system().micros();

  @Test
  void stream_afterAKillWithANodeThatReturnsLater_losesNoRow() throws Exception {
    String whole = QUERY + " ON TIME hlc'" + now + ".0'";
    String id;
    Path data = directory.resolve("killed");
    try (ServerProcess first = ServerProcess.start(data)) {
      HttpProbe client = new HttpProbe(first.uri());
      try (StreamEvents stream = StreamEvents.open(client, whole, "")) {
        post(client, event("a", 1, 1), event("b", 1, 1), event("a", 2, 2), event("b", 2, 2));
        await(() -> stream.of("row").size() == 2);
        id = stream.lastId();
      }
    }
    // The second waits for nodes for longer than any pause of the machine.
    ServerConfig patient =
        ServerConfig.in(data).port(0).restartGrace(Duration.ofMinutes(10)).build();
    try (LogServer second = LogServer.start(patient)) {
      HttpProbe client = new HttpProbe(second.uri());
      try (StreamEvents stream = StreamEvents.open(client, whole, id)) {
        post(client, event("a", 3, 3), event("a", 5, 5));
        await(
            () -> stream.of("notice").stream().anyMatch(text -> text.contains("rows wait for b")));
        post(client, event("b", 4, 4), event("b", 6, 6), event("a", 6, 6));
        await(() -> stream.of("row").size() == 4);
        assertThat(Stream.of("late", "retracted", "lost").flatMap(type -> stream.of(type).stream()))
            .isEmpty();
        assertThat(stream.of("row").get(1)).contains("\"x\":{\"a\":3,\"b\":4}");
        AtomicInteger later = new AtomicInteger(6);
        await(
            () -> {
              // Again, because on a machine that pauses the nodes may be silent by then.
              int at = later.incrementAndGet();
              post(client, event("a", at, at), event("b", at, at));
              return stream.of("notice").stream().anyMatch(t -> t.contains("up to date again"));
            });
        assertThat(stream.of("notice").get(0)).contains("\"kind\":\"silent\"", "\"nodes\":[\"b\"]");
      }
    }
  }

  @Test
  void stream_openedAfterARestartWhileNoNodeSends_beginsNow() throws Exception {
    post(http, event("a", 1, 1), event("b", 2, 2), event("a", 3, 3), event("b", 4, 4));
    server.restart();
    try (StreamEvents stream = StreamEvents.open(http, QUERY, "")) {
      await(() -> !stream.of("progress").isEmpty());
      post(http, event("a", 1_000_000, 5), event("b", 1_000_000, 6));
      await(() -> !stream.of("row").isEmpty());
      assertThat(stream.of("row")).hasSize(1);
      assertThat(stream.of("row").get(0)).contains("\"x\":{\"a\":5,\"b\":6}");
    }
  }

  @Test
  void stream_withALateEventOfAnActiveNode_marksWhatItChanges() throws Exception {
    try (StreamEvents stream = StreamEvents.open(http, QUERY + " ON TIME hlc'" + now + ".0'", "")) {
      post(http, event("a", 1, 1), event("a", 3_000_000, 3));
      await(() -> stream.of("row").size() == 2);
      post(http, event("b", 1_000_000, 7));
      await(() -> stream.of("retracted").size() == 1);
      assertThat(stream.of("late")).hasSize(2);
      assertThat(stream.of("late").get(0)).contains("\"x\":{\"a\":1,\"b\":7}");
      assertThat(stream.of("late").get(1)).contains("\"x\":{\"a\":3,\"b\":7}");
      assertThat(stream.of("retracted").get(0)).contains("\"hlc\":\"" + (now + 3_000_000) + ".0\"");
    }
  }

  @Test
  void stream_whenAllNodesFallSilent_hasTheLastRow() throws Exception {
    try (StreamEvents stream = StreamEvents.open(http, QUERY + " ON TIME hlc'" + now + ".0'", "")) {
      post(http, event("a", 9, 9), event("b", 1, 1));
      post(http, event("b", 2, 2));
      await(() -> stream.of("row").size() == 3);
      assertThat(stream.of("row").get(2)).contains("\"x\":{\"a\":9,\"b\":2}");
      await(() -> stream.of("notice").stream().anyMatch(text -> text.contains("from a, b")));
      assertThat(stream.of("notice"))
          .anySatisfy(text -> assertThat(text).contains("not up to date since", "from a, b"));
    }
  }

  @Test
  void stream_ofAMisspeltVariable_saysSoAtOnce() throws Exception {
    post(http, event("a", 1, 1).replace("\"x\"", "\"inflight\"").replace("\"t\"", "\"shop\""));
    try (StreamEvents stream = StreamEvents.open(http, "SELECT STREAM inflihgt FROM shop", "")) {
      await(() -> !stream.of("notice").isEmpty());
      assertThat(stream.of("notice").get(0))
          .contains("no variable inflihgt in shop so far; did you mean inflight?");
    }
  }

  @Test
  void killQuery_ofALiveQueryThatWaits_endsItWithoutAnEvent() throws Exception {
    post(http, event("a", 1, 1));
    try (StreamEvents stream = StreamEvents.open(http, QUERY, "")) {
      await(() -> !stream.of("progress").isEmpty());
      String id = http.query("SHOW QUERIES").body().replaceAll("(?s).*?\"id\":([0-9]+).*", "$1");
      assertThat(http.query("KILL QUERY " + id).status()).isEqualTo(200);
      await(() -> !stream.of("problem").isEmpty());
      assertThat(stream.of("row")).isEmpty();
    }
  }

  private String event(String node, long afterMicros, int x) {
    return "{\"node\":\"%s\",\"log\":\"t\",\"hlc\":\"%s\",\"set\":{\"x\":%d}}\n"
        .formatted(node, HlcTimestamp.text(HlcTimestamp.pack(now + afterMicros)), x);
  }

  private static void post(HttpProbe http, String... events)
      throws IOException, InterruptedException {
    HttpProbe.Reply reply = http.events(String.join("", List.of(events)));
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }

  private static void await(java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await().atMost(Duration.ofSeconds(120)).until(condition);
  }
}
