// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.alert.AlertOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares each piece of JSON on {@code docs/format/http.md} with what a server really answers to
 * that call, in its members and types, and sends the bodies that the page shows.
 */
@Timeout(120)
class HttpPageTest {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Path PAGE = Path.of("../docs/format/http.md");
  private static final Pattern SAMPLE =
      Pattern.compile(
          "`(\\{\"[^`]*?\\})`|(?m)^    (?:data: )?((?:\\{\"|\"trail)(?:.*\n(?:    +.*\n)*))");
  private static final Pattern NAMES = Pattern.compile("\\{(\"\\w+\",?)+\\}");
  private static final String JSON_TYPE = "application/json";

  /** A stream sends a line at least every two seconds. */
  private static final int MAX_LINES = 60;

  private static final long NOW_MICROS = 1_795_200_002_000_000L;

  /** Samples that need faults or more servers, with the tests that check them. */
  private static final Map<String, String> ELSEWHERE =
      Map.of(
          "{\"partitions\":6", "ClusterTest",
          "{\"row\":\"9f3c02d1\"", "StreamSinkTest",
          "{\"rule\":\"1 wood\",\"notes\"", "NoteStreamTest",
          "{\"warning\":\"...\"}", "StreamSinkTest");

  private static final String EVENTS =
      """
      {"node":"a","log":"app","hlc":"1795200000000001.0","pt":1795200000000001,"set":{"role":"leader","term":1,"x":7}}
      {"node":"b","log":"app","hlc":"1795200000000011.0","pt":1795200000000011,"set":{"role":"follower","members":[1]}}
      {"node":"a","log":"app","hlc":"1795200000000101.0","pt":1795200000000101,"send":{"to":"b","id":"m1"}}
      {"node":"b","log":"app","hlc":"1795200000000201.1","pt":1795200000000201,"receive":{"from":"a","id":"m1"}}
      {"node":"b","log":"app","hlc":"1795200000000301.0","pt":1795200000000301,"receive":{"from":"a","id":"m2"}}
      {"node":"b","log":"app","hlc":"1795200000000401.2","pt":1795200000000401,"set":{"role":"leader","term":2}}
      {"node":"a","log":"app","hlc":"1795200000003101.0","pt":1795200000003101,"message":"stepping down","fields":{"level":"WARN"}}
      {"node":"eu","log":"m","hlc":"1795200001000000.0","pt":1795200001000000,"set":{"v":1}}
      {"node":"eu","log":"m","hlc":"1795200001100000.0","pt":1795200001100000,"set":{"v":0}}
      """;

  private static final String LATER =
      """
      {"node":"a","log":"app","hlc":"1795200000004000.0","pt":1795200000004000,"set":{"term":1}}
      """;

  @TempDir static Path folder;
  private static LogServer server;
  private static HttpProbe http;

  @BeforeAll
  static void start() throws Exception {
    Path rules = Files.createDirectory(folder.resolve("rules"));
    Path receivers = Files.writeString(folder.resolve("receivers"), "pager command /bin/true\n");
    AccessOptions access =
        new AccessOptions(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            false,
            Optional.empty(),
            Optional.of(Files.createDirectory(folder.resolve("backups"))));
    long started = System.nanoTime();
    server =
        LogServer.start(
            ServerConfig.in(folder.resolve("data"))
                .port(0)
                .clock(() -> NOW_MICROS + (System.nanoTime() - started) / 1_000)
                .access(access)
                .alerts(new AlertOptions(Optional.of(rules), Optional.of(receivers)))
                .build());
    http = new HttpProbe(server.uri());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void json_onThePage_isWhatTheServerAnswers() throws Exception {
    Map<String, JsonNode> answers = answers();
    List<String> faults = new ArrayList<>();
    List<String> used = new ArrayList<>();
    for (String sample : samples()) {
      Optional<String> start =
          answers.keySet().stream()
              .filter(sample::startsWith)
              .max(Comparator.comparingInt(String::length));
      if (start.isPresent()) {
        used.add(start.get());
        for (String place : new JsonShape(sample).differences(answers.get(start.get()))) {
          faults.add(sample + place + "\n  really " + answers.get(start.get()));
        }
      } else if (ELSEWHERE.keySet().stream().noneMatch(sample::startsWith)) {
        faults.add(sample + ": no test has its answer");
      }
    }
    assertThat(faults).isEmpty();
    assertThat(used).containsAll(answers.keySet());
  }

  @Test
  void samples_thatOtherTestsCheck_areOnThePageAndInTheseTests() throws IOException {
    List<String> samples = samples();
    for (Map.Entry<String, String> elsewhere : ELSEWHERE.entrySet()) {
      String start = elsewhere.getKey();
      assertThat(samples).anyMatch(sample -> sample.startsWith(start));
      String member = start.substring(0, start.indexOf(':') + 1).replace("\"", "\\\"");
      assertThat(sourceOf(elsewhere.getValue())).content().contains(member);
    }
  }

  private static Path sourceOf(String test) throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
      return files.filter(file -> file.endsWith(test + ".java")).findFirst().orElseThrow();
    }
  }

  private static List<String> samples() throws IOException {
    Matcher found = SAMPLE.matcher(Files.readString(PAGE));
    return found
        .results()
        .map(sample -> sample.group(1) != null ? sample.group(1) : sample.group(2).strip())
        .filter(sample -> !NAMES.matcher(sample).matches())
        .toList();
  }

  /** What the server answers, by the start of the sample; the longest start decides. */
  private static Map<String, JsonNode> answers() throws Exception {
    Map<String, JsonNode> answers = new LinkedHashMap<>();
    ingest(answers);
    socket(answers);
    history(answers);
    statements(answers);
    streams(answers);
    alerts(answers);
    return answers;
  }

  private static void ingest(Map<String, JsonNode> answers) throws Exception {
    String ahead =
        "{\"node\":\"zk1\",\"log\":\"setd\",\"hlc\":\"1795286400000000.0\",\"set\":{\"r1\":1}}\n";
    http.events(EVENTS);
    answers.put("{\"accepted\":", JSON.readTree(http.events(LATER + EVENTS + ahead).body()));
    answers.put("{\"nodes\":[{\"node\":\"zk1\"", get("/v1/admin/quarantine"));
    String selection =
        "{\"nodes\":[\"zk1\"],\"from\":\"1795286400000000.0\",\"until\":\"1795286400000100.0\"}";
    answers.put("{\"released\":", post("/v1/admin/quarantine/release", selection));
    answers.put("{\"nodes\":[\"zk1\"]", JSON.readTree(selection));
    answers.put("{\"purged\":", post("/v1/admin/quarantine/purge", "{}"));
    answers.put("{\"blocks\":", get("/v1/admin/stats"));
    answers.put("{\"name\":", accepted("/v1/admin/backup", "{\"name\":\"nightly\"}"));
  }

  private static void socket(Map<String, JsonNode> answers) throws Exception {
    BlockingQueue<String> texts = new LinkedBlockingQueue<>();
    WebSocket.Listener listener =
        new WebSocket.Listener() {
          @Override
          public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
            texts.add(text.toString());
            socket.request(1);
            return null;
          }
        };
    URI uri = URI.create("ws://127.0.0.1:" + server.port() + "/v1/events/socket");
    WebSocket socket =
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(uri, listener).join();
    answers.put("{\"listen\":false}", next(texts, "{\"listen\":false}"));
    socket.sendBinary(ByteBuffer.wrap(NodeSocketTest.block(1, "a")), true).join();
    answers.put("{\"batch\":1", next(texts, "{\"batch\":1"));
    byte[] garbage = "garbage".getBytes(StandardCharsets.UTF_8);
    socket.sendBinary(ByteBuffer.wrap(garbage), true).join();
    answers.put("{\"batch\":2", next(texts, "{\"batch\":2"));
    try (BufferedReader stream = follow("SELECT STREAM v FROM m")) {
      assertThat(stream.readLine()).isNotNull();
      answers.put("{\"listen\":true", next(texts, "{\"listen\":true"));
    }
    socket.abort();
  }

  /** The next text that begins so; the server repeats whether a query is live. */
  private static JsonNode next(BlockingQueue<String> texts, String start)
      throws InterruptedException {
    String text;
    do {
      text = texts.poll(60, TimeUnit.SECONDS);
      assertThat(text).as("a text that begins with %s", start).isNotNull();
    } while (!text.startsWith(start));
    return JSON.readTree(text);
  }

  private static void history(Map<String, JsonNode> answers) throws Exception {
    answers.put("{\"ready\":", get("/v1/health"));
    answers.put("{\"at\":", get("/v1/cut?at=1795200000000150.0&log=app"));
    String range = "?from=1795200000000001.0&until=1795200060003101.0";
    answers.put("{\"from\":\"1795200000000001.0\"", get("/v1/silences" + range));
    answers.put("{\"version\":", get("/v1/session"));
    answers.put(
        "{\"level\":10", get("/v1/timeline/10/1712036132?log=app&variable=x&variable=members"));
    JsonNode alignment = get("/v1/alignment?points=3");
    answers.put("{\"driverNode\":", get("/v1/alignment"));
    answers.put("{\"node\":\"zk1\",\"driver\"", alignment.get("nodes").get(0));
    answers.put("\"trail\":", JSON.createObjectNode().set("trail", alignment.get("trail")));
    answers.put(
        "{\"time\":", JSON.readTree(http.get("/v1/lines").body().lines().findFirst().get()));
  }

  private static void statements(Map<String, JsonNode> answers) throws Exception {
    answers.put(
        "{\"query\":\"SELECT r1", accepted("/v1/query", "{\"query\":\"SELECT r1 FROM setd\"}"));
    String failing = http.query("SELECT 1 / v@eu AS q FROM m WHEN COUNT(v) = 1").body();
    answers.put("{\"problem\":", line(failing, "problem"));
    answers.put(
        "{\"warning\":...",
        line(http.query("SELECT x FROM app ON TIME '2026-11-20T10:00:00Z'").body(), "warning"));
    answers.put("{\"series\":", get("/v1/query?form=series&query=" + encoded("SELECT x FROM app")));
    answers.put(
        "{\"diagnostics\":", post("/v1/check-statement", "{\"query\":\"SELECT r1 FROM setd\"}"));
    String typed = "{\"query\":\"SELECT ro FROM app\",\"cursor\":9}";
    answers.put("{\"query\":\"SELECT ro", JSON.readTree(typed));
    answers.put("{\"start\":", post("/v1/complete", typed));
  }

  private static JsonNode line(String lines, String member) {
    return lines
        .lines()
        .map(JSON::readTree)
        .filter(line -> line.has(member))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + member + " in " + lines));
  }

  private static void streams(Map<String, JsonNode> answers) throws Exception {
    String past = " ON TIME hlc'1795200000000001.0'";
    answers.put("{\"cuts\":", event("SELECT STREAM v FROM m", "progress"));
    answers.put("{\"notice\":", event("SELECT STREAM unknown_so_far FROM m", "notice"));
    answers.put(
        "{\"hlc\":\"1795200001000000.0\",\"micros\"",
        event("SELECT STREAM v FROM m" + past + " PLAY wood NOTE 60 + MAX(v)", "note"));
  }

  private static BufferedReader follow(String query) throws IOException, InterruptedException {
    return new BufferedReader(
        new InputStreamReader(http.stream(query, ""), StandardCharsets.UTF_8));
  }

  private static JsonNode event(String query, String type) throws Exception {
    List<String> read = new ArrayList<>();
    try (BufferedReader stream = follow(query)) {
      boolean found = false;
      while (read.size() < MAX_LINES) {
        String line = String.valueOf(stream.readLine());
        read.add(line);
        if (found && line.startsWith("data: ")) {
          return JSON.readTree(line.substring("data: ".length()));
        }
        found |= line.equals("event: " + type);
      }
    }
    throw new AssertionError("no " + type + " in " + read);
  }

  private static void alerts(Map<String, JsonNode> answers) throws Exception {
    http.query("CREATE ALERT one_leader AS (SELECT n FROM m FOR EACH NODE n WHEN v@n >= 5)");
    answers.put("{\"alerts\":", get("/v1/alerts"));
    answers.put("{\"episodes\":", get("/v1/alerts/history"));
    String item = "{\"alert\":\"one_leader\",\"item\":\"eu\"}";
    answers.put("{\"alert\":\"one_leader\",\"item\"", accepted("/v1/alerts/acknowledge", item));
    String seconds = "{\"alert\":\"one_leader\",\"seconds\":3600}";
    answers.put("{\"alert\":\"one_leader\",\"seconds\"", accepted("/v1/alerts/mute", seconds));
    String test = "{\"alert\":\"one_leader\"}";
    answers.put(test, accepted("/v1/alerts/test", test));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static JsonNode get(String path) throws Exception {
    HttpProbe.Reply reply = http.get(path);
    assertThat(reply.status()).as("%s: %s", path, reply.body()).isEqualTo(200);
    return JSON.readTree(reply.body());
  }

  private static JsonNode post(String path, String body) throws Exception {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    HttpProbe.Reply reply = http.post(path, JSON_TYPE, "", bytes);
    assertThat(reply.status()).as("%s: %s", path, reply.body()).isEqualTo(200);
    return JSON.readTree(reply.body());
  }

  /** The body, if the server accepts it. */
  private static JsonNode accepted(String path, String body) throws Exception {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    HttpProbe.Reply reply = http.post(path, JSON_TYPE, "", bytes);
    assertThat(reply.status()).as("%s: %s", path, reply.body()).isEqualTo(200);
    return JSON.readTree(body);
  }
}
