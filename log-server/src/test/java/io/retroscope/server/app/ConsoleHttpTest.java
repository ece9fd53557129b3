// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests of the endpoints of the console over HTTP. */
@Timeout(60)
class ConsoleHttpTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  private static final String EVENTS =
      """
      {"node":"a","log":"app","hlc":"1795200000000001.0","pt":1795200000000001,"set":{"role":"leader","term":1}}
      {"node":"b","log":"app","hlc":"1795200000000011.0","pt":1795200000000011,"set":{"role":"follower","term":1}}
      {"node":"a","log":"net","hlc":"1795200000000101.0","pt":1795200000000101,"send":{"to":"b","id":"m1"}}
      {"node":"b","log":"net","hlc":"1795200000000201.1","pt":1795200000000201,"receive":{"from":"a","id":"m1"}}
      {"node":"b","log":"net","hlc":"1795200000000301.0","pt":1795200000000301,"receive":{"from":"a","id":"m2"}}
      {"node":"b","log":"app","hlc":"1795200000000401.2","pt":1795200000000401,"set":{"role":"leader","term":2}}
      {"node":"a","log":"app","hlc":"1795200000003101.0","pt":1795200000003101,"message":"<b>stepping down</b>"}
      """;

  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server = new ServerExtension(() -> ServerConfig.in(directory));

  private final HttpProbe http = new HttpProbe(server);

  @BeforeEach
  void store() throws Exception {
    assertThat(http.events(EVENTS).status()).isEqualTo(200);
  }

  private JsonNode get(String path) throws Exception {
    HttpProbe.Reply reply = http.get(path);
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    return JSON.readTree(reply.body());
  }

  private JsonNode post(String path, Map<String, Object> body) throws Exception {
    HttpProbe.Reply reply = http.post(path, "application/json", "", JSON.writeValueAsBytes(body));
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    return JSON.readTree(reply.body());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private HttpResponse<byte[]> raw(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.uri().resolve(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient()
        .send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  @Test
  void page_hasThePolicyAndIsNotSentTwice() throws Exception {
    HttpResponse<byte[]> page = raw("/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .startsWith("default-src 'none'; script-src 'self' 'sha256-");
    assertThat(page.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    String tag = page.headers().firstValue("ETag").orElseThrow();
    assertThat(raw("/", "If-None-Match", tag).statusCode()).isEqualTo(304);

    HttpResponse<byte[]> packed =
        raw("/console/lib/lit-html/3.3.2/lit-html.js", "Accept-Encoding", "br, gzip");
    assertThat(packed.headers().firstValue("Content-Encoding")).hasValue("gzip");
    assertThat(packed.headers().firstValue("Cache-Control").orElse("")).contains("immutable");
    byte[] plain = raw("/console/lib/lit-html/3.3.2/lit-html.js").body();
    assertThat(new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes())
        .isEqualTo(plain);
    assertThat(raw("/console/nothing.js").statusCode()).isEqualTo(404);
  }

  @Test
  void cut_hasValuesWithAgesMessagesInFlightAndNeighbours() throws Exception {
    JsonNode cut = get("/v1/cut?at=1795200000000150.0&log=app");
    assertThat(cut.get("nodes")).hasSize(2);
    JsonNode role = cut.get("nodes").get(0).get("values").get(0);
    assertThat(role.get("variable").asString()).isEqualTo("role");
    assertThat(role.get("value").asString()).isEqualTo("leader");
    assertThat(role.get("hlc").asString()).isEqualTo("1795200000000001.0");
    assertThat(role.get("ageMicros").asInt()).isEqualTo(149);
    assertThat(cut.get("inFlight").toString())
        .isEqualTo("[[\"m1\",\"a\",\"1795200000000101.0\",\"b\",\"1795200000000201.1\",1]]");
    assertThat(cut.get("previous").asString()).isEqualTo("1795200000000011.0");
    assertThat(cut.get("next").asString()).isEqualTo("1795200000000401.2");
    assertThat(get("/v1/cut?at=1795200000000150.0&variable=term").get("nodes").get(0).get("values"))
        .hasSize(1);
    JsonNode values = get("/v1/cut?part=values");
    assertThat(values.get("nodes").toString()).contains("\"role\"").doesNotContain("ageMicros");
    assertThat(values.has("inFlight") || values.has("next")).isFalse();
    assertThat(get("/v1/cut?part=ages").get("nodes").toString()).contains("\"role\"", "ageMicros");
    assertThat(get("/v1/cut?part=messages&part=steps").has("nodes")).isFalse();
    assertThat(http.get("/v1/cut?part=other").status()).isEqualTo(400);
    assertThat(http.get("/v1/cut?at=nonsense").status()).isEqualTo(400);
    assertThat(http.get("/v1/cut?variable=nothing").status()).isEqualTo(400);
    assertThat(http.get("/v1/cut?log=nothing").status()).isEqualTo(400);
  }

  @Test
  void messages_areMatchedOrNamedAsUnmatched() throws Exception {
    JsonNode answer = get("/v1/messages");
    assertThat(answer.get("messagesCount").asInt()).isEqualTo(1);
    assertThat(answer.get("unmatched").toString())
        .isEqualTo("[[\"m2\",\"b\",\"1795200000000301.0\",\"a\"]]");
    assertThat(answer.get("complete").asBoolean()).isTrue();
    assertThat(http.get("/v1/messages?limit=0").status()).isEqualTo(400);
  }

  @Test
  void recording_thatIsTooLong_saysUpToWhichStampItIsComplete() throws Exception {
    JsonNode all = get("/v1/recording");
    assertThat(all.get("count").asInt()).isEqualTo(7);
    assertThat(all.get("complete").asBoolean()).isTrue();
    JsonNode part = get("/v1/recording?limit=2");
    assertThat(part.get("complete").asBoolean()).isFalse();
    assertThat(part.get("count").asInt()).isEqualTo(2);
    assertThat(part.get("until").asString()).isEqualTo("1795200000000011.0");
    JsonNode rest = get("/v1/recording?from=1795200000000011.1");
    assertThat(rest.get("count").asInt()).isEqualTo(5);
    assertThat(rest.get("recording").get("before")).hasSize(12);
    assertThat(get("/v1/recording?log=net").get("count").asInt()).isEqualTo(3);
  }

  @Test
  void checkStatement_isTheMessageOfTheQuery() throws Exception {
    for (String statement : List.of("SELECT x FROM app", "SELECT FROM", "SELECT role FROM ap")) {
      JsonNode checked = post("/v1/check-statement", Map.of("query", statement));
      JsonNode refused = JSON.readTree(http.query(statement).body());
      assertThat(checked.get("text")).isEqualTo(refused.get("text"));
      assertThat(checked.get("diagnostics")).isEqualTo(refused.get("diagnostics"));
    }
    JsonNode fine = post("/v1/check-statement", Map.of("query", "SELECT STREAM role FROM app"));
    assertThat(fine.get("diagnostics")).isEmpty();
    assertThat(fine.get("stream").asBoolean()).isTrue();
  }

  @Test
  void complete_offersTheNamesThatAreStored() throws Exception {
    JsonNode answer = post("/v1/complete", Map.of("query", "SELECT ro FROM app", "cursor", 9));
    assertThat(answer.get("start").asInt()).isEqualTo(7);
    assertThat(answer.get("offers").get(0).get("text").asString()).isEqualTo("role");
    byte[] beyond = "{\"query\":\"SELECT\",\"cursor\":7}".getBytes(StandardCharsets.UTF_8);
    assertThat(http.post("/v1/complete", "application/json", "", beyond).status()).isEqualTo(400);
  }

  @Test
  void language_hasWordsAndFunctions() throws Exception {
    JsonNode language = get("/v1/language");
    assertThat(language.get("keywords").toString()).contains("\"SELECT\"", "\"WITHIN\"");
    assertThat(language.get("functions").toString()).contains("Spread(r)");
    assertThat(language.get("patches")).hasSizeGreaterThan(5);
  }

  @Test
  void examples_areThreeStatementsThatRun() throws Exception {
    JsonNode examples = get("/v1/examples").get("examples");
    assertThat(examples).hasSize(3);
    for (JsonNode example : examples) {
      HttpProbe.Reply reply = http.query(example.get("query").asString());
      assertThat(reply.status()).as(reply.body()).isEqualTo(200);
      assertThat(reply.body()).as(example.toString()).contains("\"hlc\"");
    }
  }

  @Test
  void session_namesTheRolesAndTheRange() throws Exception {
    JsonNode session = get("/v1/session");
    assertThat(session.get("source").asString()).isEqualTo("server");
    assertThat(session.get("from").asString()).isEqualTo("1795200000000001.0");
    assertThat(session.get("until").asString()).isEqualTo("1795200000003101.0");
    assertThat(session.get("may").toString()).contains("read", "write", "admin");
  }

  @Test
  void server_hasItsOwnState() throws Exception {
    JsonNode state = get("/v1/server");
    assertThat(state.get("ready").asBoolean()).isTrue();
    assertThat(state.get("disk").get("freeBytes").asLong()).isPositive();
    assertThat(state.get("memory").get("limitBytes").asLong()).isPositive();
    assertThat(state.get("sealing").get("blocks").asInt()).isPositive();
    assertThat(state.get("running").get("queries").asInt()).isZero();
    JsonNode run = get("/v1/nodes").get("nodes").get(0).get("incarnations").get(0);
    assertThat(run.get("silentMicros").asLong()).isNotNegative();
  }

  @Test
  void alignment_overTime_hasTheBoundsThatCutsHave() throws Exception {
    JsonNode trail = get("/v1/alignment?points=5").get("trail");
    assertThat(trail.get("points").asInt()).isEqualTo(5);
    JsonNode drivers = trail.get("drivers");
    assertThat(drivers.get(drivers.size() - 1).get(0))
        .isEqualTo(get("/v1/alignment").get("driverNode"));
    JsonNode cut = get("/v1/cut");
    assertThat(trail.get("nodes")).hasSize(2);
    for (int i = 0; i < 2; i++) {
      JsonNode offsets = trail.get("nodes").get(i).get("offsets");
      assertThat(offsets).isNotEmpty();
      JsonNode last = offsets.get(offsets.size() - 1);
      JsonNode offset = cut.get("nodes").get(i).get("offset");
      assertThat(last.get(1)).isEqualTo(offset.get("lowMicros"));
      assertThat(last.get(2)).isEqualTo(offset.get("micros"));
      assertThat(last.get(3)).isEqualTo(offset.get("highMicros"));
    }
    assertThat(get("/v1/alignment").has("trail")).isFalse();
    assertThat(http.get("/v1/alignment?points=1").status()).isEqualTo(400);
  }

  @Test
  void query_inTheAddress_hasPointsForSeriesAndChangesNothing() throws Exception {
    JsonNode answer = get("/v1/query?form=series&query=" + encoded("SELECT term FROM app"));
    assertThat(answer.get("complete").asBoolean()).isTrue();
    assertThat(answer.get("series").get(0).get("name").asString()).isEqualTo("term");
    assertThat(answer.get("series").get(0).get("node").asString()).isEqualTo("a");
    assertThat(answer.get("series").get(0).get("value").asInt()).isEqualTo(1);
    assertThat(answer.get("series").get(0).get("time").asString()).startsWith("2026-");
    JsonNode none =
        get("/v1/query?form=series&query=" + encoded("SELECT term FROM app WHEN MAX(term) > 9"));
    assertThat(none.get("series")).isEmpty();
    assertThat(http.get("/v1/query?query=" + encoded("SELECT term FROM app")).body())
        .contains("\"term\":{\"a\":1");
    assertThat(http.get("/v1/query?query=" + encoded("FORGET NODE a")).status()).isEqualTo(400);
    assertThat(http.get("/v1/query?form=other&query=SHOW%20LOGS").status()).isEqualTo(400);
  }

  /** Eight live queries of three tabs leave room for a query. */
  @Test
  void stream_eightQueriesInEachOfThreeTabs_leaveRoomForOthers() throws Exception {
    List<InputStream> tabs = new ArrayList<>();
    List<BufferedReader> readers = new ArrayList<>();
    for (int tab = 0; tab < 3; tab++) {
      InputStream in = stream(8);
      tabs.add(in);
      readers.add(new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
    }
    Map<Integer, String> ids = new TreeMap<>();
    for (BufferedReader reader : readers) {
      awaitBegin(reader, ids, 8);
    }
    assertThat(http.query("SELECT term FROM app LIMIT 1").status()).isEqualTo(200);
    long now = System.currentTimeMillis() * 1_000;
    http.events(
        "{\"node\":\"a\",\"log\":\"app\",\"hlc\":\"%d.0\",\"set\":{\"term\":7}}\n".formatted(now));
    assertThat(rows(readers.get(2), 8)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    for (InputStream tab : tabs) {
      tab.close();
    }
    assertThat(http.get("/v1/stream?" + queries(9)).status()).isEqualTo(400);
    assertThat(raw("/v1/stream?" + queries(2), "Last-Event-ID", "-").statusCode()).isEqualTo(400);
  }

  private static String queries(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "query=" + encoded("SELECT STREAM term FROM app WHEN MAX(term) > " + i / 2))
        .collect(Collectors.joining("&"));
  }

  private InputStream stream(int count) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri().resolve("/v1/stream?" + queries(count))).build();
    return HttpClient.newHttpClient()
        .send(request, HttpResponse.BodyHandlers.ofInputStream())
        .body();
  }

  /** Waits until each query of a stream has sent its first event. */
  private static void awaitBegin(BufferedReader lines, Map<Integer, String> ids, int count)
      throws Exception {
    ids.clear();
    int query = 0;
    while (ids.size() < count) {
      String line = lines.readLine();
      if (line.startsWith("event: progress.")) {
        query = Integer.parseInt(line.substring("event: progress.".length()));
      } else if (line.startsWith("id: ")) {
        ids.put(query, line.substring(4));
      }
    }
  }

  private static List<Integer> rows(BufferedReader lines, int count) throws Exception {
    Map<Integer, String> found = new TreeMap<>();
    while (found.size() < count) {
      String line = lines.readLine();
      if (line.startsWith("event: row.")) {
        found.put(Integer.parseInt(line.substring("event: row.".length())), line);
      }
    }
    return List.copyOf(found.keySet());
  }
}
