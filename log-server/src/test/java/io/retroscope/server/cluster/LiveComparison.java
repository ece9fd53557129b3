// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** A live query at a server of a cluster, and the same one at a single server. */
final class LiveComparison implements AutoCloseable {
  private static final String QUERY =
      "SELECT STREAM r1, SPREAD(r1) AS s FROM setd WHEN EXISTS a, b IN r1 : (a - b >= 2)";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient http = HttpClient.newHttpClient();
  private final String query;
  private final String name;
  private final LogServer single;
  private final LiveClient expected;
  private LiveClient live;
  private int earlierCount;

  /**
   * Begins to follow.
   *
   * @param name of the comparison in failures, such as its seed
   * @param folder for the single server
   * @param servers of the cluster; the first is followed, and all get the first promises
   */
  LiveComparison(String name, Path folder, LiveFrames frames, List<URI> servers) throws Exception {
    this(name, folder, QUERY, new First(frames.first(), frames.knownHlc()), servers);
  }

  /** Promises of all nodes, and the watermark after them. */
  record First(List<byte[]> frames, long hlc) {}

  /** The same with a live query. */
  LiveComparison(String name, Path folder, String query, First first, List<URI> servers)
      throws Exception {
    this.query = query;
    this.name = name;
    ServerConfig config = ServerConfig.in(folder).port(0).idleTimeout(ClusterFixture.IDLE).build();
    single = LogServer.start(config);
    for (URI server : servers) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(get(server, "/v1/cluster")).contains("\"waitsFor\":[]"));
    }
    send(first.frames(), servers);
    awaitWatermark(first.hlc(), servers.get(0));
    awaitNodes(first.frames().size(), servers.get(0));
    expected = new LiveClient(single.uri(), query);
    live = new LiveClient(servers.get(0), query);
  }

  /** A server does not wait for a node of which it has not heard yet. */
  private void awaitNodes(int count, URI server) {
    Pattern live = Pattern.compile("\"state\":\"live\"");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(live.matcher(get(server, "/v1/nodes")).results().count())
                    .isGreaterThanOrEqualTo(count));
  }

  /** Creates an alert at the single server and at another one. */
  void createAlert(String statement, URI server) throws Exception {
    for (URI uri : List.of(single.uri(), server)) {
      HttpResponse<String> reply = http.send(statement(uri, statement), BodyHandlers.ofString());
      assertThat(reply.body()).as(name).contains("created");
    }
  }

  static HttpRequest statement(URI server, String statement) {
    return request(server, statement).build();
  }

  static HttpRequest.Builder request(URI server, String statement) {
    return HttpRequest.newBuilder(server.resolve("/v1/query"))
        .header("Content-Type", "application/rql")
        .POST(BodyPublishers.ofString(statement));
  }

  /** Waits until there are episodes of alerts, and a server has stored those of the single one. */
  void awaitSameEpisodes(Supplier<URI> server) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              String own = get(single.uri(), "/v1/alerts/history?count=10000");
              assertThat(own).as(name).contains("\"state\":\"RESOLVED\"");
              assertThat(get(server.get(), "/v1/alerts/history?count=10000"))
                  .as(name)
                  .isEqualTo(own);
            });
  }

  /** Sends frames to the single server, and to others in turns. */
  void send(List<byte[]> frames, List<URI> servers) throws Exception {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    frames.forEach(body::writeBytes);
    post(single.uri(), body.toByteArray());
    for (int i = 0; i < frames.size(); i++) {
      post(servers.get(i % servers.size()), frames.get(i));
    }
  }

  /** Sends frames that are sent to the cluster in another way. */
  void sendToSingle(List<byte[]> frames) throws Exception {
    for (byte[] frame : frames) {
      post(single.uri(), frame);
    }
  }

  /** What the console draws is the same at all servers. */
  void assertSameHistory(List<URI> servers) throws Exception {
    long micros = ClusterFixture.START_MICROS;
    for (String path :
        List.of(
            "/v1/logs",
            "/v1/nodes",
            "/v1/recording",
            "/v1/messages",
            "/v1/silences",
            "/v1/cut?at=" + (micros + 3_000) + ".0",
            "/v1/timeline/4/" + (micros >> 14),
            "/v1/timeline/20/" + (micros >> 30))) {
      String expected = history(single.uri(), path);
      assertThat(expected).as(path).contains("{");
      for (URI server : servers) {
        assertThat(history(server, path)).as("%s, %s, %s", name, server, path).isEqualTo(expected);
      }
    }
  }

  /** Without what depends on the time of the answer, and the doubts that a cluster adds. */
  private String history(URI server, String path) throws Exception {
    return get(server, path)
        .replaceAll("\"(lagMicros|silentMicros|watermark|until)\":(\"[^\"]*\"|\\d+)", "")
        .replaceAll("\"unknown\":\\[[^]]*],\"unknownCount\":\\d+(,\"stretches\":\\[.*?]])?", "");
  }

  private void post(URI server, byte[] body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve("/v1/events"))
            .header("Content-Type", EventBlockCodec.CONTENT_TYPE)
            .POST(BodyPublishers.ofByteArray(body))
            .build();
    HttpResponse<String> reply = http.send(request, BodyHandlers.ofString());
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
  }

  private String get(URI server, String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(server.resolve(path)).build();
    return http.send(request, BodyHandlers.ofString()).body();
  }

  /** Waits until the single server and another one have a watermark. */
  void awaitWatermark(long hlc, URI server) {
    String reached = "\"watermark\":\"" + HlcTimestamp.text(hlc) + "\"";
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(get(single.uri(), "/v1/server")).as(name).contains(reached);
              assertThat(get(server, "/v1/cluster")).as(name).contains(reached);
            });
  }

  /** Waits until there are new rows, and both servers have sent the same. */
  void awaitSameRows() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(expected.rows()).as(name).hasSizeGreaterThan(earlierCount);
              assertThat(live.rows()).as(name).isEqualTo(expected.rows());
            });
    earlierCount = expected.rows().size();
  }

  /** The same for rows with times of aligned clocks, which may differ. */
  void awaitSameRowsBesidesTimes() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(expected.rows()).as(name).hasSizeGreaterThan(earlierCount);
              TimedAnswer.ofLines(live.rows())
                  .assertIsBesidesTimes(TimedAnswer.ofLines(expected.rows()), name);
            });
    earlierCount = expected.rows().size();
  }

  /** Checks that there are rows after a stamp at both servers, with times that are true. */
  void assertTrueTimes(long hlc, SkewedNodes nodes) {
    assertTrueTimes(hlc, nodes, expected);
    assertTrueTimes(hlc, nodes, live);
  }

  private void assertTrueTimes(long hlc, SkewedNodes nodes, LiveClient client) {
    TimedAnswer rows = TimedAnswer.ofLines(client.rows());
    assertThat(rows.assertTrueTimes(hlc, nodes)).as(name).isPositive();
  }

  /** Waits until both servers have amended their rows in the same way. */
  void awaitSameAmendments() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(amendments(expected)).as(name).isNotEmpty();
              assertThat(amendments(live)).as(name).isEqualTo(amendments(expected));
            });
  }

  private static List<String> amendments(LiveClient client) {
    return client.others().stream()
        .filter(line -> line.startsWith("late ") || line.startsWith("retracted "))
        .toList();
  }

  /** Ends the client of the cluster, and resumes at another server after the rows that it has. */
  void resume(URI server) throws Exception {
    live.close();
    live = live.resumedAt(server, query);
  }

  /** Neither was any row late or retracted, nor is any doubtful that is not at a single server. */
  void assertNothingElse() {
    assertThat(live.others())
        .as(name)
        .filteredOn(
            line -> !line.startsWith("notice ") && !line.contains("the server is shutting down"))
        .isEmpty();
  }

  /** What the servers said about rows that are not up to date. */
  List<String> notices() {
    return live.others().stream().filter(line -> line.startsWith("notice ")).toList();
  }

  @Override
  public void close() throws IOException {
    live.close();
    expected.close();
    single.close();
  }
}
