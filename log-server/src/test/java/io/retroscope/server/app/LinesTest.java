// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.recorder.Recorder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code GET /v1/lines}, with recorders that send to a real server. */
@Timeout(60)
class LinesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The rounds before the lines are followed. */
  private static final int STORED = 20;

  private static final String LINES =
      """
      {"node":"a","log":"app","hlc":"1795200000000001.0","pt":1795200000000001,"message":"one","fields":{"level":"INFO","n":1}}
      {"node":"a","log":"net","hlc":"1795200000000101.0","pt":1795200000000101,"send":{"to":"b","id":"m1"}}
      {"node":"b","log":"net","hlc":"1795200000000101.1","pt":1795199999961101,"receive":{"from":"a","id":"m1"}}
      {"node":"b","log":"app","hlc":"1795200000000101.2","pt":1795199999961301,"message":"two"}
      {"node":"b","log":"net","hlc":"1795200000000101.3","pt":1795199999962101,"send":{"to":"a","id":"m2"}}
      {"node":"a","log":"net","hlc":"1795200000003101.0","pt":1795200000003101,"receive":{"from":"b","id":"m2"}}
      {"node":"e","log":"app","hlc":"1795200000002000.0","message":"three"}
      """;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server = new ServerExtension(() -> ServerConfig.in(directory));

  private final HttpProbe http = new HttpProbe(server);

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void lines_stored_comeInAlignedOrderWithTheirBounds() throws Exception {
    http.events(LINES);
    HttpProbe.Reply reply = http.get("/v1/lines");
    assertThat(reply.contentType()).startsWith("application/x-ndjson");
    assertThat(reply.body().lines())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .isEqualTo(
                        "{\"time\":\"2026-11-20T18:40:00.000001Z\",\"uncertaintyMicros\":0,"
                            + "\"clock\":\"a\",\"hlc\":\"1795200000000001.0\","
                            + "\"pt\":1795200000000001,\"node\":\"a\",\"log\":\"app\","
                            + "\"message\":\"one\",\"fields\":{\"level\":\"INFO\",\"n\":1}}"),
            line ->
                assertThat(line)
                    .contains("2026-11-20T18:40:00.0013", "\"pt\":1795199999961301", "\"two\""),
            line ->
                assertThat(line)
                    .contains("\"uncertaintyMicros\":null,\"clock\":null", "\"pt\":null", "three"));
    assertThat(http.get("/v1/lines?level=debug&node=a&grep=%5Eo").body()).hasLineCount(1);
    assertThat(http.get("/v1/lines?last=1").body()).contains("three").hasLineCount(1);
  }

  @Test
  void lines_levelsThatCannotBeJudged_areNamedOnce() throws Exception {
    http.events(
        """
        {"node":"a","log":"app","hlc":"1795200000000001.0","message":"one","fields":{"level":"AUDIT"}}
        {"node":"a","log":"app","hlc":"1795200000000002.0","message":"two","fields":{"level":"AUDIT"}}
        {"node":"a","log":"app","hlc":"1795200000000003.0","message":"three","fields":{"level":35}}
        {"node":"a","log":"app","hlc":"1795200000000004.0","message":"four"}
        {"node":"a","log":"app","hlc":"1795200000000005.0","message":"five"}
        {"node":"a","log":"app","hlc":"1795200000000006.0","message":"six","fields":{"level":"info"}}
        """);

    assertThat(http.get("/v1/lines?level=error").body().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("\"one\""),
            line -> assertThat(line).contains("\"two\""),
            line -> assertThat(line).contains("\"three\""),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "{\"warning\":\"the level \\\"AUDIT\\\" is not known: its lines are not left"
                            + " out\"}"),
            line -> assertThat(line).contains("the level \\\"35\\\" is not known"),
            line ->
                assertThat(line).contains("\"warning\":\"lines without a level are left out\""));
    assertThat(http.get("/v1/lines").body()).doesNotContain("warning").hasLineCount(6);
  }

  @Test
  void lines_wrongRequest_isAProblem() throws Exception {
    http.events(LINES);
    assertThat(http.get("/v1/lines?level=loud"))
        .satisfies(
            reply -> {
              assertThat(reply.status()).isEqualTo(400);
              assertThat(reply.body()).contains("no such level: \\\"loud\\\"");
            });
    assertThat(http.get("/v1/lines?node=x").body())
        .contains("nothing is stored for node x; there is a, b, e");
    assertThat(http.get("/v1/lines?nodes=x").status()).isEqualTo(400);
  }

  @Test
  void follow_skewedRecorders_giveEachLineOnceCauseBeforeEffectAndInTime() throws Exception {
    int rounds = 100;
    try (Recorder a = recorder("a", 40_000);
        Recorder b = recorder("b", -25_000)) {
      talk(a, b, 0, STORED);
      assertThat(a.flush(PATIENCE) && b.flush(PATIENCE)).isTrue();
      Future<List<String>> lines = follow("since=1h&follow=true", 2 * rounds);
      talk(a, b, STORED, rounds);
      List<String> found = lines.get();
      assertThat(found).hasSize(2 * rounds).doesNotHaveDuplicates();
      // On a machine that pauses for seconds a line may arrive late, and is marked so.
      List<Integer> places =
          found.stream().filter(line -> !line.contains("\"late\"")).map(LinesTest::place).toList();
      assertThat(places).hasSizeGreaterThan(2 * STORED).isSorted();
    }
  }

  private static int place(String line) {
    Matcher message = Pattern.compile("\"(ask|answer) (\\d+)\"").matcher(line);
    assertThat(message.find()).as(line).isTrue();
    return 2 * Integer.parseInt(message.group(2)) + (message.group(1).equals("ask") ? 0 : 1);
  }

  /** One line at a node, a message, and one line at the other, five milliseconds later. */
  private static void talk(Recorder a, Recorder b, int from, int to) throws InterruptedException {
    for (int i = from; i < to; i++) {
      Recorder sender = i % 2 == 0 ? a : b;
      Recorder receiver = i % 2 == 0 ? b : a;
      long unused = sender.log("app").line("ask " + i).record();
      long stamp = sender.send(receiver.node(), "m" + i);
      unused = receiver.receive(sender.node(), "m" + i, stamp);
      unused = receiver.log("app").line("answer " + i).record();
      Thread.sleep(5);
    }
  }

  @Test
  void follow_nodeThatIsLate_isGivenAndMarked() throws Exception {
    http.events(LINES);
    Future<List<String>> lines = follow("last=1&follow=true", 2);
    awaitRows(1);
    http.events(
        "{\"node\":\"a\",\"log\":\"app\",\"hlc\":\"1795199999000000.0\",\"pt\":1795199999000000,"
            + "\"message\":\"from long ago\"}\n");
    assertThat(lines.get())
        .satisfiesExactly(
            line -> assertThat(line).contains("three").doesNotContain("late"),
            line -> assertThat(line).contains("from long ago", "\"late\":true"));
  }

  @Test
  void follow_forAWhile_endsByItselfWithAllThatCame() throws Exception {
    http.events(LINES);
    assertThat(http.get("/v1/lines?follow=true&for=300ms").body().lines())
        .filteredOn(line -> !line.isBlank())
        .hasSize(3);
  }

  @Test
  void follow_serverStops_reportsIt() throws Exception {
    http.events(LINES);
    Future<List<String>> lines = follow("follow=true", 4);
    awaitRows(3);
    server.close();
    assertThat(lines.get().get(3)).contains("\"problem\"", "\"status\":503", "shutting down");
  }

  private void awaitRows(int count) {
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> http.get("/metrics").body().contains("rows_total " + count));
  }

  private Recorder recorder(String node, long errorMicros) {
    PhysicalClock wrong = PhysicalClock.system().skewedBy(errorMicros);
    return Recorder.builder().node(node).server(server.uri()).physicalClock(wrong).build();
  }

  /** The first {@code count} lines of an answer, without blank ones. */
  private Future<List<String>> follow(String parameters, int count)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri().resolve("/v1/lines?" + parameters)).build();
    var response =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    Callable<List<String>> reading =
        () -> {
          List<String> lines = new ArrayList<>();
          try (BufferedReader in =
              new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine();
                line != null && lines.size() < count;
                line = lines.size() < count ? in.readLine() : null) {
              if (!line.isBlank()) {
                lines.add(line);
              }
            }
          }
          return lines;
        };
    return threads.submit(reading);
  }
}
