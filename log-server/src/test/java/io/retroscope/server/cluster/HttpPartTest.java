// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.cluster.PartView.Facts;
import io.retroscope.server.cluster.PartView.Scan;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the wait for a server that sends nothing, because it is stopped or searches long. */
@Timeout(20)
class HttpPartTest {
  /** The client knows the answer to the first when it tries the server once more. */
  private static final int TRIES = 2;

  private static final long SOME_SECONDS = 15;
  private static final Partitions NONE = new Partitions("topic", MemoryBudget.ofProcess());

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ScheduledThreadPoolExecutor watch = Watch.newThread();
  private final CountDownLatch tried = new CountDownLatch(TRIES);
  private final CountDownLatch over = new CountDownLatch(1);
  private HttpServer server;

  /** What a server does in place of an answer. */
  private interface Handling {
    void handle(HttpExchange exchange) throws IOException, InterruptedException;
  }

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.start();
  }

  @AfterEach
  void stop() {
    over.countDown();
    server.stop(0);
    threads.shutdownNow();
    watch.shutdownNow();
  }

  private void on(String path, Handling handling) {
    server.createContext(
        path,
        exchange -> {
          try {
            handling.handle(exchange);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private void hang(HttpExchange unused) throws InterruptedException {
    boolean isOver = over.await(SOME_SECONDS, TimeUnit.SECONDS);
  }

  /** The server, which is tried after a time. */
  private HttpPart.Server at(Duration time) {
    URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    return new HttpPart.Server(
        HttpClient.newHttpClient(), address, ClusterFixture.TOKEN, time, watch);
  }

  /** An open reading at the server, which is tried after a time. */
  private HttpPart part(Duration time) {
    return new HttpPart(at(time), new Opened("id", Facts.NONE));
  }

  private static @Nullable Piece firstPiece(HttpPart part) throws IOException {
    return part.scan(new Scan(Scan.Kind.EVENTS, Selection.all(Set.of("l")), HlcRange.ALL)).next();
  }

  private record NoPieces() implements PieceFeed {
    @Override
    public @Nullable Piece next() {
      return null;
    }

    @Override
    public void close() {}
  }

  @Test
  void piece_ofAServerThatHangs_endsLongBeforeTheTimeOfAPiece() throws Exception {
    on(Readings.PATH, this::hang);
    on(
        Readings.PATH + "/id",
        exchange -> {
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().flush();
          hang(exchange);
        });
    HttpPart part = part(Duration.ofMillis(200));
    assertThatThrownBy(() -> firstPiece(part))
        .isInstanceOfAny(IOException.class, StoreException.class);
  }

  @Test
  void headOfAnAnswer_ofAServerThatHangs_endsLongBeforeItsTime() throws Exception {
    on(Readings.PATH, this::hang);
    on(Readings.PATH + "/id", this::hang);
    HttpPart part = part(Duration.ofMillis(200));
    assertThatThrownBy(() -> firstPiece(part))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("does not answer");
  }

  @Test
  void answer_ofAnotherVersion_isNotReadAndThatIsSaid() {
    on(
        Readings.PATH,
        exchange -> {
          byte[] facts = ClusterJson.MAPPER.writeValueAsBytes(new Opened("id", Facts.NONE));
          String later = new String(facts, StandardCharsets.UTF_8).replaceFirst("\\{", "{\"a\":1,");
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write(later.getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    assertThatThrownBy(
            () -> HttpPart.open(at(Duration.ofSeconds(10)), new Opening("topic", 0, 0, 0)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another version of Retroscope");
  }

  @Test
  void requests_ofThisVersion_areAdmittedAndNoOthers() throws Exception {
    CompletableFuture<String> sent = new CompletableFuture<>();
    on(
        Readings.PATH,
        exchange -> {
          sent.complete(exchange.getRequestHeaders().getFirst(Readings.VERSION_HEADER));
          exchange.sendResponseHeaders(409, -1);
        });
    assertThatThrownBy(
            () -> HttpPart.open(at(Duration.ofSeconds(10)), new Opening("topic", 0, 0, 0)))
        .hasMessageContaining("409");
    try (Readings readings = new Readings(NONE, ClusterFixture.TOKEN, () -> 0)) {
      String authorization = "Bearer " + ClusterFixture.TOKEN;
      readings.admit(authorization, sent.join());
      for (String other : List.of("", "0", "2")) {
        assertThatThrownBy(() -> readings.admit(authorization, other))
            .isInstanceOf(Readings.RefusedException.class)
            .hasMessageContaining("another version of Retroscope");
      }
    }
  }

  /** The rest of the slice is walked elsewhere then. */
  @Test
  void slice_ofAServerThatHangs_endsLongBeforeItsTime() throws Exception {
    on(Readings.PATH, this::hang);
    on(
        Slices.PATH,
        exchange -> {
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().flush();
          hang(exchange);
        });
    SliceHost host = new SliceHost(at(Duration.ofMillis(200)), "topic", Map.of());
    assertThatThrownBy(
            () -> {
              try (InputStream answer = host.walk(new byte[0])) {
                assertThat(answer.read()).isNegative();
              }
            })
        .isInstanceOf(IOException.class);
  }

  /** The views of a query's slices end before those of the query, and use its reading. */
  @Test
  void close_ofAnotherView_leavesTheReadingOpen() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    on(
        Readings.PATH + "/id",
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write("true".getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    HttpPart part = part(Duration.ofSeconds(10));
    HttpPart another = part.another();
    assertThat(another.mayWrite("n", Set.of())).isTrue();
    another.close();
    assertThat(requests).hasValue(1);
    part.close();
    assertThat(requests).hasValue(2);
  }

  @Test
  void piece_ofAServerThatSearchesLong_isAwaitedWhileItAnswersOtherwise() throws Exception {
    on(
        Readings.PATH,
        exchange -> {
          tried.countDown();
          exchange.sendResponseHeaders(405, -1);
          exchange.close();
        });
    on(
        Readings.PATH + "/id",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().flush();
          assertThat(tried.await(SOME_SECONDS, TimeUnit.SECONDS)).isTrue();
          PieceFormat.write(new NoPieces(), exchange.getResponseBody());
          exchange.close();
        });
    assertThat(firstPiece(part(Duration.ofSeconds(1)))).isNull();
    // One that is just being tried is removed a moment later.
    await("waits that are over").until(watch.getQueue()::isEmpty);
  }

  /** Users read it in answers and notices. */
  @Test
  void refusal_ofAServer_isItsSentence() {
    assertRefusal(
        "{\"type\":\"about:blank\",\"status\":409,\"detail\":\"partition 4 is not here\"}",
        "answers 409: partition 4 is not here");
    assertRefusal("{\"status\":409}", "answers 409: {\"status\":409}");
    assertRefusal("a proxy's page {", "answers 409: a proxy's page {");
    assertRefusal("", "answers 409: ");
  }

  private void assertRefusal(String body, String sentence) {
    String path = Readings.NEWS_PATH + "/" + body.length();
    on(
        path,
        exchange -> {
          byte[] refusal = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(409, refusal.length == 0 ? -1 : refusal.length);
          exchange.getResponseBody().write(refusal);
          exchange.close();
        });
    Duration time = Duration.ofSeconds(10);
    assertThatThrownBy(() -> at(time).ask(path, Map.of(), NewsAnswer.class, time))
        .isInstanceOf(IOException.class)
        .hasMessage("http://127.0.0.1:%d %s", server.getAddress().getPort(), sentence);
  }
}
