// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.recorder.Recorder;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.sink.HttpSink;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the messages in both directions of a node's connection. */
@Timeout(120)
class NodeSocketTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String FOLLOW = "SELECT STREAM r1 FROM setd;";

  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server = new ServerExtension(() -> ServerConfig.in(directory));

  private final HttpProbe http = new HttpProbe(server);
  private final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
  private final CompletableFuture<Integer> closeCode = new CompletableFuture<>();

  private final class Texts implements WebSocket.Listener {
    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
      texts.add(text.toString());
      socket.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      closeCode.complete(code);
      return null;
    }
  }

  private WebSocket connect() {
    URI uri = URI.create("ws://127.0.0.1:" + server.port() + "/v1/events/socket");
    return HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(uri, new Texts()).join();
  }

  private String next() throws InterruptedException {
    String text = texts.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(text).isNotNull();
    return text;
  }

  private static void send(WebSocket socket, byte[]... frames) {
    ByteBuffer message = ByteBuffer.allocate(1 << 20);
    for (byte[] frame : frames) {
      message.put(frame);
    }
    socket.sendBinary(message.flip(), true).join();
  }

  static byte[] block(long number, String value) {
    long hlc = HlcTimestamp.pack(1_795_200_000_000_000L + number);
    Event event =
        new Event(
            "zk1",
            "setd",
            hlc,
            HlcTimestamp.micros(hlc),
            number,
            Set.of(),
            new EventBody.StateChange(
                List.of(new EventBody.Change(EventBody.Operation.SET, "r1", Value.of(value)))));
    return EventBlockCodec.encode(
        new EventBlockBuilder()
            .incarnation("5f2c", number)
            .add(event)
            .promise(hlc, number)
            .build());
  }

  private static byte[] heartbeat(long number) {
    long hlc = HlcTimestamp.pack(1_795_200_000_100_000L + number);
    return EventBlockCodec.encode(EventBlock.heartbeat("zk1", "5f2c", 2, hlc, 2, 5_000_000));
  }

  @Test
  void message_batch_isStoredAsAPostWouldBeAndAnsweredByItsNumber() throws Exception {
    WebSocket socket = connect();
    assertThat(next()).isEqualTo("{\"listen\":false}");
    send(socket, block(1, "a"), block(2, "b"));
    assertThat(next()).isEqualTo("{\"batch\":1,\"accepted\":2}");
    assertThat(http.get("/v1/events").body().lines()).hasSize(2);
    assertThat(http.blocks(block(1, "a")).body()).isEqualTo("{\"accepted\":0,\"duplicates\":1}");
    send(socket, block(1, "a"));
    assertThat(next()).isEqualTo("{\"batch\":2,\"accepted\":0,\"duplicates\":1}");
    send(socket, block(1, "another"));
    assertThat(next()).startsWith("{\"batch\":3,").contains("\"status\":409");
    send(socket, "garbage".getBytes(StandardCharsets.UTF_8));
    assertThat(next()).startsWith("{\"batch\":4,").contains("\"status\":400");
    assertThat(http.get("/metrics").body()).contains("retroscope_batches_refused_total 2");
  }

  @Test
  void message_bareHeartbeat_isStoredAndNotAnswered() throws Exception {
    WebSocket socket = connect();
    next();
    send(socket, block(1, "a"), block(2, "b"));
    next();
    send(socket, heartbeat(7));
    send(socket, block(1, "a"));
    assertThat(next()).startsWith("{\"batch\":3,");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(http.get("/v1/nodes").body()).contains("1795200000100007.0"));
  }

  @Test
  void message_text_endsTheConnection() throws Exception {
    WebSocket socket = connect();
    next();
    socket.sendText("hello", true).join();
    assertThat(closeCode.get(60, TimeUnit.SECONDS)).isEqualTo(1003);
  }

  @Test
  void message_tooLong_endsTheConnectionAndTheServerServesOn() throws Exception {
    WebSocket socket = connect();
    next();
    socket.sendBinary(ByteBuffer.allocate(35 << 20), true).handle((sent, failure) -> true).join();
    assertThat(closeCode.get(60, TimeUnit.SECONDS)).isEqualTo(1009);
    assertThat(http.events(LogServerTest.LINES).status()).isEqualTo(200);
  }

  /** Many connections with half a message each must not fill the heap. */
  @Test
  void message_halfSent_isChargedUntilItsConnectionEnds() throws Exception {
    MemoryBudget memory = MemoryBudget.ofProcess();
    long before = memory.usedBytes();
    int sent = 4 << 20;
    try (RawConnection half = new RawConnection(server.uri())) {
      half.send(
          """
          GET /v1/events/socket HTTP/1.1\r
          Host: 127.0.0.1\r
          Connection: Upgrade\r
          Upgrade: websocket\r
          Sec-WebSocket-Version: 13\r
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
          \r
          """);
      // A binary frame of 20 MiB in one piece, with a mask of zeros.
      half.send(
          ByteBuffer.allocate(14).put((byte) 0x82).put((byte) 0xff).putLong(20L << 20).array());
      half.send(new byte[sent]);
      await().atMost(PATIENCE).until(() -> memory.usedBytes() >= before + sent);
    }
    await().atMost(PATIENCE).until(() -> memory.usedBytes() < before + sent);
  }

  @Test
  void message_withoutMemory_isAnsweredSoAndTheNextIsStored() throws Exception {
    WebSocket socket = connect();
    next();
    MemoryBudget memory = MemoryBudget.ofProcess();
    byte[] large = block(1, "x".repeat(700_000));
    try (Charge half = memory.charge();
        Charge rest = memory.charge()) {
      assertThat(half.tryResize(memory.maxChargeBytes())).isTrue();
      assertThat(rest.tryResize(memory.totalBytes() - memory.usedBytes() - 500_000)).isTrue();
      send(socket, large);
      assertThat(next()).startsWith("{\"batch\":1,").contains("\"status\":503");
    }
    send(socket, large);
    assertThat(next()).isEqualTo("{\"batch\":2,\"accepted\":1}");
  }

  @Test
  void wish_liveQueryAndFollowedLog_isSentToAllWhileOneIsOpen() throws Exception {
    connect();
    connect();
    assertThat(List.of(next(), next())).containsOnly("{\"listen\":false}");
    try (InputStream first = http.stream(FOLLOW, "")) {
      assertThat(first.read()).isNotNegative();
      assertThat(List.of(next(), next())).containsOnly("{\"listen\":true,\"millis\":4}");
      connect();
      assertThat(next()).isEqualTo("{\"listen\":true,\"millis\":4}");
    }
    assertThat(List.of(next(), next(), next())).containsOnly("{\"listen\":false}");
    assertThat(http.get("/v1/lines?follow=true&for=200ms").status()).isEqualTo(200);
    assertThat(List.of(next(), next(), next())).containsOnly("{\"listen\":true,\"millis\":4}");
    assertThat(List.of(next(), next(), next())).containsOnly("{\"listen\":false}");
    assertThat(http.get("/v1/lines?last=10").status()).isEqualTo(200);
    assertThat(http.query("SELECT r1 FROM setd;").status()).isBetween(200, 400);
    assertThat(texts).isEmpty();
  }

  @Test
  void wish_alert_isSentWhileOneIsDefined() throws Exception {
    connect();
    assertThat(next()).isEqualTo("{\"listen\":false}");
    for (String name : List.of("high", "higher")) {
      String create = "CREATE ALERT %s AS (NEVER v@n >= 5 FROM m FOR EACH NODE n);";
      assertThat(http.query(create.formatted(name)).status()).isEqualTo(200);
    }
    assertThat(next()).isEqualTo("{\"listen\":true,\"millis\":4}");
    assertThat(http.query("DROP ALERT high;").status()).isEqualTo(200);
    assertThat(texts).isEmpty();
    assertThat(http.query("DROP ALERT higher;").status()).isEqualTo(200);
    assertThat(next()).isEqualTo("{\"listen\":false}");
  }

  /** An idle node slows down, and a new live query soon has the normal latency. */
  @Test
  void recorder_idleThenLiveQuery_isQuickAgain() throws Exception {
    try (Recorder recorder =
        Recorder.builder()
            .node("zk1")
            .sink(HttpSink.builder().server(server.uri()).build())
            .build()) {
      recorder.log("setd").set("r1", 0);
      assertThat(recorder.flush(PATIENCE)).isTrue();
      await().atMost(PATIENCE).until(() -> http.get("/v1/nodes").body().contains("zk1"));
      await()
          .atMost(PATIENCE)
          .pollDelay(Duration.ofMillis(50))
          .until(() -> isStill(Duration.ofMillis(400)));
      try (InputStream rows = http.stream(FOLLOW, "")) {
        BufferedReader in = new BufferedReader(new InputStreamReader(rows, StandardCharsets.UTF_8));
        // If events were collected for 200 ms, or heartbeats sent every 5 s, no five rows one after
        // the other could come as soon.
        long start = System.nanoTime();
        boolean isQuick = false;
        for (int value = 1_001; !isQuick && System.nanoTime() - start < PATIENCE.toNanos(); ) {
          long before = System.nanoTime();
          for (int end = value + 5; value < end; value++) {
            recorder.log("setd").set("r1", value);
            awaitRow(in, String.valueOf(value));
          }
          isQuick = System.nanoTime() - before < TimeUnit.MILLISECONDS.toNanos(700);
        }
        assertThat(isQuick).isTrue();
      }
    }
  }

  private boolean isStill(Duration time) throws Exception {
    String before = nodesWithoutTimes();
    Thread.sleep(time.toMillis());
    return nodesWithoutTimes().equals(before);
  }

  private String nodesWithoutTimes() throws Exception {
    return http.get("/v1/nodes").body().replaceAll("\"(?:silent|lag)Micros\":[0-9]+", "");
  }

  private static void awaitRow(BufferedReader in, String part) throws Exception {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.startsWith("data: ") && line.matches(".*\\b" + part + "\\b.*")) {
        return;
      }
    }
    throw new AssertionError("the stream ended");
  }
}
