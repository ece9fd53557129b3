// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.retroscope.cli.process.CommandException;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.client.Reconnect;
import io.retroscope.rql.client.ServerConnection;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.server.lines.AlignedLine;
import io.retroscope.server.lines.LineJson;
import io.retroscope.sink.Credentials;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests with a server that gives scripted answers, disconnects, or becomes silent. */
@Timeout(60)
class ReconnectingLinesTest {
  private static final long MICROS = 1_795_200_000_000_000L;
  private static final Reconnect QUICK =
      new Reconnect(Duration.ofMillis(1), Duration.ofMillis(5), 3, Duration.ofSeconds(2));
  private static final String END = "";
  private static final String BREAK = "break";
  private static final String SILENCE = "silence";

  private final Queue<List<String>> answers = new ConcurrentLinkedQueue<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> given = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private HttpServer server;
  private URI address;
  private long nowNanos;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/lines", this::answer);
    server.start();
    address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    requests.add(exchange.getRequestURI().getQuery());
    List<String> answer = answers.remove();
    String last = answer.get(answer.size() - 1);
    String body = String.join("\n", answer.subList(0, answer.size() - 1)) + "\n";
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, bytes.length + (last.equals(END) ? 0 : 10));
    exchange.getResponseBody().write(bytes);
    exchange.getResponseBody().flush();
    if (!last.equals(SILENCE)) {
      exchange.close();
    }
  }

  private static String line(String node, long millis) {
    EventBody body = new EventBody.LogLine(node + millis, Map.of());
    long micros = MICROS + 1_000 * millis;
    return LineJson.text(
        new AlignedLine(
            new Event(node, "l", HlcTimestamp.pack(micros), body),
            new CutTime(micros, OptionalLong.empty()),
            Optional.empty(),
            false));
  }

  private ServerClient client() {
    return new ServerClient(new ServerConnection(address, Credentials.NONE));
  }

  private void follow(Map<String, List<String>> parameters, OptionalLong limitMicros)
      throws IOException {
    new ReconnectingLines(
            new LineDownload(client(), warnings::add),
            new TreeMap<>(parameters),
            limitMicros,
            QUICK,
            () -> nowNanos,
            warnings::add)
        .read(line -> given.add(line.line().message()));
  }

  @Test
  void read_connectionBreaksOrFallsSilent_givesEachLineOnce() throws IOException {
    String down = ProblemJson.text(ProblemJson.GOING_DOWN, "The lines end", "it goes down");
    answers.add(List.of(line("a", 1), line("b", 70_000), BREAK));
    answers.add(List.of(line("b", 70_000), line("a", 70_001), SILENCE));
    answers.add(List.of("{\"problem\":" + down + "}", END));
    answers.add(List.of(line("b", 70_000), line("c", 70_000), line("a", 70_001), END));

    follow(Map.of("follow", List.of("true"), "last", List.of("2")), OptionalLong.empty());

    assertThat(given).containsExactly("a1", "b70000", "a70001", "c70000");
    assertThat(requests)
        .containsExactly(
            "follow=true&last=2",
            "follow=true&since=2026-11-20T18:40:10.000000Z",
            "follow=true&since=2026-11-20T18:40:10.001000Z",
            "follow=true&since=2026-11-20T18:40:10.001000Z");
    assertThat(warnings).hasSize(2).allMatch(text -> text.endsWith("; connecting again"));
  }

  @Test
  void read_brokenSoonAfterTheFirstLine_asksForNoneBeforeIt() throws IOException {
    answers.add(List.of(line("a", 5), line("a", 6), BREAK));
    answers.add(List.of(line("a", 5), line("a", 7), END));

    follow(Map.of("follow", List.of("true")), OptionalLong.empty());

    assertThat(given).containsExactly("a5", "a6", "a7");
    assertThat(requests.get(1)).isEqualTo("follow=true&since=2026-11-20T18:40:00.005000Z");
  }

  @Test
  void read_brokenBeforeTheFirstLine_asksForWhatCameSinceItBegan() throws IOException {
    answers.add(List.of("", BREAK));
    answers.add(List.of(line("a", 7), END));

    nowNanos = 1_000_000;
    ReconnectingLines lines =
        new ReconnectingLines(
            new LineDownload(client(), warnings::add),
            new TreeMap<>(Map.of("follow", List.of("true"), "for", List.of("10s"))),
            OptionalLong.of(10_000_000),
            QUICK,
            () -> nowNanos += 1_000_000,
            warnings::add);
    lines.read(line -> given.add(line.line().message()));

    assertThat(given).containsExactly("a7");
    assertThat(requests.get(1)).matches("follow=true&for=99\\d{5}us&since=\\d000us");
  }

  @Test
  void read_serverGoneForGood_endsAfterSomeAttempts() {
    answers.add(List.of(line("a", 5), BREAK));
    for (int i = 0; i < QUICK.attemptCount(); i++) {
      answers.add(List.of("", BREAK));
    }

    assertThatThrownBy(() -> follow(Map.of("follow", List.of("true")), OptionalLong.empty()))
        .isInstanceOf(CommandException.class)
        .hasMessage("the connection to " + address + " broke");
    assertThat(requests).hasSize(1 + QUICK.attemptCount());
  }

  @Test
  void read_neverConnected_saysSoAtOnce() {
    server.stop(0);

    assertThatThrownBy(() -> follow(Map.of("follow", List.of("true")), OptionalLong.empty()))
        .isInstanceOf(CommandException.class)
        .hasMessage("no connection to " + address + ": is the server running?");
  }
}
