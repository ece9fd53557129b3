// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.StoreOptions;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code GET /v1/timeline} over HTTP. */
@Timeout(60)
class TimelineHttpTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The tile of level 10 with the events below. */
  private static final String TILE = "/v1/timeline/10/" + (1_795_200_000_000_000L >> 20);

  private static final String EVENTS =
      """
      {"node":"a","log":"app","hlc":"1795200000000001.0","message":"one"}
      {"node":"a","log":"net","hlc":"1795200000000101.0","send":{"to":"b","id":"m1"}}
      {"node":"b","log":"net","hlc":"1795200000000201.1","receive":{"from":"a","id":"m1"}}
      {"node":"b","log":"net","hlc":"1795200000000301.0","receive":{"from":"a","id":"m2"}}
      {"node":"b","log":"app","hlc":"1795200000000401.2","set":{"x":7,"members":[1]}}
      {"node":"a","log":"app","hlc":"1795200000003101.0","set":{"x":-5}}
      """;

  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server = new ServerExtension(() -> ServerConfig.in(directory));

  private final HttpProbe http = new HttpProbe(server);

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.uri().resolve(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String tag(HttpResponse<String> response) {
    return response.headers().firstValue("ETag").orElseThrow();
  }

  @Test
  void tile_events_areCountedPerLogAndNode() throws Exception {
    http.events(EVENTS);
    HttpResponse<String> response = get(TILE);

    assertThat(response.statusCode()).isEqualTo(200);
    long first = (1_795_200_000_000_000L >> 10) % 1_024;
    assertThat(response.body())
        .contains("\"binMicros\":1024", "\"unsummarised\":[]", "\"gaps\":[]")
        .contains(
            ("{\"log\":\"app\",\"nodes\":{\"a\":[[%d,1,0,0,1],[%d,1,0,0,0]],\"b\":[[%d,1,0,0,0]]},"
                    + "\"variables\":{\"x\":{\"partial\":false,"
                    + "\"bins\":[[%d,1,7,7,7],[%d,1,-5,-5,-5]],"
                    + "\"nodes\":{\"a\":[[%d,1,-5,-5,-5]],\"b\":[[%d,1,7,7,7]]},"
                    + "\"nodesPartial\":false}},"
                    + "\"uncounted\":[\"members\"],\"messages\":[]}")
                .formatted(first, first + 3, first, first, first + 3, first + 3, first))
        .contains(
            ("{\"log\":\"net\",\"nodes\":{\"a\":[[%d,1,1,0,0]],\"b\":[[%d,2,0,2,0]]},"
                    + "\"variables\":{},\"uncounted\":[],\"messages\":[[%d,100,1]]}")
                .formatted(first, first, first));
    assertThat(get(TILE + "?variable=y&variable=z").body())
        .contains("\"variables\":{},\"uncounted\":[]")
        .doesNotContain("members");
    assertThat(get(TILE + "?log=net").body()).contains("\"net\"").doesNotContain("\"app\"");
  }

  @Test
  void tile_unchanged_isNotSentAgain() throws Exception {
    http.events(EVENTS);
    String old = "/v1/timeline/10/5";
    // The content of a tile has the watermark until that is past the tile.
    Awaitility.await().atMost(PATIENCE).until(() -> get(old).body().contains("\"complete\":true"));
    String tag = tag(get(old));

    HttpResponse<String> again = get(old, "If-None-Match", "\"other\", " + tag);
    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
    assertThat(tag(again)).isEqualTo(tag);

    http.events("{\"node\":\"c\",\"log\":\"app\",\"hlc\":\"5242881.0\",\"message\":\"late\"}\n");
    HttpResponse<String> changed = get(old, "If-None-Match", tag);
    assertThat(changed.statusCode()).isEqualTo(200);
    assertThat(changed.body()).contains("\"c\":[[");
  }

  @Test
  void tile_afterTheWatermark_isNotComplete() throws Exception {
    long now = PhysicalClock.system().micros();
    http.events(
        "{\"node\":\"a\",\"log\":\"app\",\"hlc\":\"%d.0\",\"message\":\"now\"}\n".formatted(now));
    HttpResponse<String> open = get("/v1/timeline/42/0");
    assertThat(open.body()).contains("\"complete\":false", "\"app\"");
    assertThat(open.headers().firstValue("Cache-Control")).hasValue("private, no-cache");

    String old = "/v1/timeline/10/5";
    Awaitility.await().atMost(PATIENCE).until(() -> get(old).body().contains("\"complete\":true"));
    HttpResponse<String> past = get(old);
    assertThat(past.body()).contains("\"logs\":[]");
    assertThat(past.headers().firstValue("Cache-Control")).hasValue("private, max-age=60");
  }

  @Test
  void tile_badAddress_isRefusedWithWhatIsAllowed() throws Exception {
    assertThat(get("/v1/timeline/43/0").body()).contains("0 to 42");
    assertThat(get("/v1/timeline/43/0").statusCode()).isEqualTo(400);
    assertThat(get("/v1/timeline/x/0").body()).contains("the level must be a whole number");
    assertThat(get("/v1/timeline/42/1").body()).contains("the tiles of level 42 are 0 to 0");
    assertThat(get("/v1/timeline/42").statusCode()).isEqualTo(404);
    assertThat(get("/v1/timeline/42/0/").statusCode()).isEqualTo(404);
  }

  /** As with a heap of 128 MiB. */
  @Test
  void tile_smallHeap_isMadeOfFewerNodes() throws Exception {
    StoreOptions small = new StoreOptions(1 << 20, new MemoryBudget(64 << 20), 60_000_000L);
    Path data = directory.resolve("small");
    try (LogServer one = LogServer.start(ServerConfig.in(data).store(small).port(0).build())) {
      HttpClient client = HttpClient.newHttpClient();
      for (String log : List.of("app", "net")) {
        StringBuilder events = new StringBuilder();
        for (int node = 0; node < 100; node++) {
          events
              .append("{\"node\":\"%s%d\",\"log\":\"%s\"".formatted(log, node, log))
              .append(",\"hlc\":\"1795200000000001.0\",\"message\":\"one\"}\n");
        }
        HttpRequest post =
            HttpRequest.newBuilder(one.uri().resolve("/v1/events"))
                .header("Content-Type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofString(events.toString()))
                .build();
        assertThat(client.send(post, HttpResponse.BodyHandlers.ofString()).statusCode())
            .isEqualTo(200);
      }
      HttpRequest whole = HttpRequest.newBuilder(one.uri().resolve(TILE)).build();
      HttpResponse<String> tooLarge = client.send(whole, HttpResponse.BodyHandlers.ofString());
      assertThat(tooLarge.statusCode()).isEqualTo(400);
      assertThat(tooLarge.body()).contains("more than 128 pairs of a log and a node");
      HttpRequest part = HttpRequest.newBuilder(one.uri().resolve(TILE + "?log=app")).build();
      assertThat(client.send(part, HttpResponse.BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
    }
  }
}
