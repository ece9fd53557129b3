// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.recordings.file.LazyEventSource;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.app.RawHttp;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Tests of the API over files. */
@Timeout(60)
class FileApiTest {
  private static final String EVENTS =
      """
      {"node":"a","log":"app","hlc":"1795200000000001.0","set":{"x":1}}
      {"node":"a","hlc":"1795200000000010.0","lost":{"from":"1795200000000002.0","events":3}}
      {"node":"b","log":"app","hlc":"1795200000000011.0","set":{"x":2}}
      """;

  private static final Path ERRORS = Path.of("../rql/src/test/resources/errors");
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @TempDir private Path folder;
  private @Nullable LazyEventSource source;
  private @Nullable FileApi opened;

  @BeforeEach
  void open() throws IOException {
    Path file = folder.resolve("events.ndjson");
    Files.writeString(file, EVENTS);
    LazyEventSource events =
        new EventFileSet(List.of(file), new EventFileSet.Settings(all -> ClockOffsets.UNKNOWN))
            .source();
    source = events;
    FileApi api =
        new FileApi(List.of("events.ndjson"), events, events::openTimeline, QueryLimits.DEFAULT);
    opened = api;
    api.listen(0);
  }

  private FileApi api() {
    return Objects.requireNonNull(opened);
  }

  @AfterEach
  void close() throws IOException {
    api().close();
    Objects.requireNonNull(source).close();
  }

  private String get(String path) throws Exception {
    URI address = api().uri().resolve(path);
    HttpResponse<String> reply =
        CLIENT.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    return reply.body();
  }

  @Test
  void routes_onlyRead() {
    assertThat(api().routes())
        .allMatch(r -> r.access() == Access.READ || r.access() == Access.OPEN);
    assertThat(api().routes()).noneMatch(Route.Socket.class::isInstance);
  }

  /** As for the server: a page of another site must not even find it. */
  @TestFactory
  Stream<DynamicTest> foreignHostOriginAndSimplePost_areRefused() {
    return api().routes().stream()
        .map(
            route ->
                dynamicTest(
                    route.name(),
                    () -> {
                      RawHttp http = new RawHttp(api().uri().getPort());
                      String path = route.path().replaceAll("[{<]\\w+[}>]", "1");
                      String type = "Content-Type: application/json";
                      String method = route.method();
                      assertThat(http.send(method, path, "", type, "Host: evil.example").status())
                          .isEqualTo(421);
                      String origin = "Origin: https://evil.example";
                      assertThat(http.send(method, path, "", type, origin).status()).isEqualTo(403);
                      if (method.equals("POST")) {
                        assertThat(
                                http.send("POST", path, "{}", "Content-Type: text/plain").status())
                            .isEqualTo(415);
                      }
                    }));
  }

  @Test
  void session_isReadOnlyAndHasTheFilesWithTheirLosses() throws Exception {
    assertThat(get("/v1/session"))
        .contains("\"source\":\"files\"", "\"files\":[\"events.ndjson\"]", "\"may\":[\"read\"]");
    assertThat(get("/v1/recording")).contains("\"count\":2", "events of node a are lost");
    assertThat(get("/v1/cut?at=1795200000000005.0")).contains("are lost");
  }

  @Test
  void query_hasTheWarningsOfTheShell() throws Exception {
    assertThat(get("/v1/query?query=SELECT%20x%20FROM%20app"))
        .contains("\"x\":{\"a\":1,\"b\":2}", "{\"warning\":\"3 events of node a are lost");
  }

  /** The golden files of the language have each error exactly as the shell prints it. */
  @Test
  void checkStatement_ofEachErrorOfTheGoldenFiles_hasTheTextOfTheShell() throws Exception {
    Path file = Files.writeString(folder.resolve("golden.ndjson"), goldenCatalog());
    EventFileSet files =
        new EventFileSet(List.of(file), new EventFileSet.Settings(all -> ClockOffsets.UNKNOWN));
    int count = 0;
    try (LazyEventSource events = files.source();
        FileApi golden =
            new FileApi(
                List.of("golden.ndjson"), events, events::openTimeline, QueryLimits.DEFAULT)) {
      golden.listen(0);
      for (String name : List.of("names", "several", "syntax", "types")) {
        for (String written :
            Files.readString(ERRORS.resolve(name + ".txt")).split("(?m)^====\n", -1)) {
          int errors = written.indexOf("error[RQL");
          String statement = written.substring(0, errors - 1);
          assertThat(checkedText(golden.uri(), statement))
              .as(statement)
              .isEqualTo(written.substring(errors));
          count++;
        }
      }
    }
    assertThat(count).isGreaterThan(150);
  }

  /** The logs, the variables and the nodes of the golden files. */
  private static String goldenCatalog() {
    Map<String, List<String>> logs =
        Map.of(
            "setd", List.of("r1", "version", "znode"),
            "raft", List.of("role", "term", "version"),
            "clocks", List.of("hlc"),
            "wide", IntStream.range(0, 30).mapToObj(i -> "w" + i).toList());
    StringBuilder lines = new StringBuilder();
    long micros = 1_795_200_000_000_000L;
    for (Map.Entry<String, List<String>> log : logs.entrySet()) {
      for (String variable : log.getValue()) {
        lines.append(
            "{\"node\":\"zk%d\",\"log\":\"%s\",\"hlc\":\"%d.0\",\"set\":{\"%s\":1}}%n"
                .formatted(1 + micros % 2, log.getKey(), ++micros, variable));
      }
    }
    return lines.toString();
  }

  private static String checkedText(URI server, String statement) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve("/v1/check-statement"))
            .header("Content-Type", "application/rql")
            .POST(HttpRequest.BodyPublishers.ofString(statement))
            .build();
    HttpResponse<String> reply = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(reply.body()).get("text").asString();
  }

  @Test
  void timeline_countsTheEventsOfMemory() throws Exception {
    long tile = 1_795_200_000_000_000L >> 20;
    assertThat(get("/v1/timeline/10/" + tile))
        .contains("\"complete\":true", "\"unsummarised\":[]", "\"log\":\"app\"", "\"a\":[[");
    assertThat(get("/v1/nodes")).contains("\"name\":\"b\"");
    assertThat(get("/")).contains("<title>Retroscope</title>");
  }
}
