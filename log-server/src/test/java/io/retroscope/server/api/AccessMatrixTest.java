// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.app.RawHttp;
import io.retroscope.server.app.RawHttp.Reply;
import io.retroscope.server.health.Health;
import io.retroscope.server.live.LateLog;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests every route of the API with every kind of caller that it must refuse. The routes are those
 * that the API registers, so that a new one is tested as well.
 */
@Timeout(60)
class AccessMatrixTest {
  /**
   * The routes that answer callers without a token: whether the process works, and the page, which
   * has no data.
   */
  private static final Set<String> OPEN =
      Set.of("GET /health/live", "GET /health/ready", "GET /", "GET /console/<file>");

  private static final Path PAGE = Path.of("../docs/format/http.md");
  private static final Path SOURCES = Path.of("src/main/java/io/retroscope/server/api");

  private static final String FOREIGN_HOST = "Host: evil.example";
  private static final String FOREIGN_ORIGIN = "Origin: https://evil.example";
  private static final Map<String, String> TOKENS =
      Map.of(
          "write", "write-write-write-write",
          "read", "read-read-read-read-read",
          "admin", "admin-admin-admin-admin");

  @TempDir static Path folder;
  private static EventStore store;
  private static HttpApi guarded;
  private static HttpApi unguarded;

  @BeforeAll
  static void start() {
    store = EventStore.open(folder, StoreOptions.DEFAULT, PhysicalClock.system());
    List<String> lines = new ArrayList<>();
    TOKENS.forEach((role, token) -> lines.add(role + "er " + role + " " + token));
    AccessOptions options =
        new AccessOptions(
            Optional.empty(),
            Optional.of(String.join("\n", lines)),
            Optional.empty(),
            List.of(),
            false,
            Optional.empty(),
            Optional.empty());
    guarded = listening(options);
    unguarded = listening(AccessOptions.DEFAULT);
  }

  @AfterAll
  static void stop() {
    guarded.close();
    unguarded.close();
    store.close();
  }

  private static HttpApi listening(AccessOptions options) {
    EventSource source = () -> store.open(ClockOffsets.UNKNOWN);
    MonotonicClock clock = MonotonicClock.system();
    WatermarkTracker watermarks =
        new WatermarkTracker(clock, PhysicalClock.system(), 1_000_000_000L, store.incarnations());
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    HttpApi.Parts parts =
        new HttpApi.Parts(
            store,
            source,
            engine,
            watermarks,
            new Health(),
            PhysicalClock.system(),
            clock,
            new Metrics(clock::nanos),
            new AlertService(
                AlertOptions.NONE,
                new StreamingQuery.Parts(
                    engine, source, watermarks, new LateLog(watermarks, 0), clock),
                store,
                PhysicalClock.system(),
                () -> ""),
            Duration.ofSeconds(10));
    HttpApi api =
        new HttpApi(
            parts,
            NdjsonReader.Limits.BATCH,
            ApiLimits.DEFAULT,
            options,
            new AccessControl(options, "127.0.0.1", clock::nanos));
    api.listen("127.0.0.1", 0);
    return api;
  }

  private static Reply call(HttpApi api, Route route, String... headers) throws IOException {
    RawHttp http = new RawHttp(api.port());
    if (route instanceof Route.Socket) {
      return http.socket(route.path(), headers);
    }
    if (route instanceof Route.Post post) {
      return post(api, post, post.mediaTypes().get(0), headers);
    }
    return http.send("GET", route.path().replaceAll("[{<]\\w+[}>]", "1"), "", headers);
  }

  private static Reply post(HttpApi api, Route.Post route, String mediaType, String... headers)
      throws IOException {
    String[] all = new String[headers.length + 1];
    System.arraycopy(headers, 0, all, 1, headers.length);
    all[0] = mediaType.isEmpty() ? "X-Nothing: 1" : "Content-Type: " + mediaType;
    // A brace is JSON, which the routes of protobuf refuse with 415 from any sender.
    String body = mediaType.contains("protobuf") ? "" : "{}";
    return new RawHttp(api.port()).send("POST", route.path(), body, all);
  }

  private static String bearer(String role) {
    return "Authorization: Bearer " + TOKENS.get(role);
  }

  private static Stream<DynamicTest> forEach(List<Route> routes, Check check) {
    return routes.stream().map(route -> dynamicTest(route.name(), () -> check.of(route)));
  }

  private interface Check {
    void of(Route route) throws IOException;
  }

  @TestFactory
  Stream<DynamicTest> noToken_isRefused() {
    return forEach(
        guarded.routes(),
        route -> {
          int status = call(guarded, route).status();
          if (OPEN.contains(route.name())) {
            assertThat(status).isEqualTo(route.path().endsWith(">") ? 404 : 200);
          } else {
            assertThat(status).isEqualTo(401);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> wrongToken_isRefused() {
    return forEach(
        guarded.routes().stream().filter(route -> !OPEN.contains(route.name())).toList(),
        route -> assertThat(call(guarded, route, bearer("read") + "x").status()).isEqualTo(401));
  }

  /** The roles are those that the route requires; admin includes read. */
  @TestFactory
  Stream<DynamicTest> eachRole_doesWhatItMay() {
    return forEach(
        guarded.routes(),
        route -> {
          for (String role : TOKENS.keySet()) {
            List<String> needed = List.of(route.access().roles().split(" or ", -1));
            boolean may =
                OPEN.contains(route.name())
                    || needed.contains(role)
                    || (role.equals("admin") && needed.contains("read"));
            int status = call(guarded, route, bearer(role)).status();
            if (may) {
              assertThat(status).as(role).isNotIn(401, 403, 415, 421, 500);
            } else {
              assertThat(status).as(role).isEqualTo(403);
            }
          }
        });
  }

  /** Includes the routes without a token, because a page must not even detect the server. */
  @TestFactory
  Stream<DynamicTest> foreignHost_isRefused() {
    return forEach(
        unguarded.routes(),
        route -> {
          assertThat(call(unguarded, route, FOREIGN_HOST).status()).isEqualTo(421);
          assertThat(call(guarded, route, FOREIGN_HOST).status()).isEqualTo(421);
        });
  }

  @TestFactory
  Stream<DynamicTest> foreignOrigin_isRefused() {
    return forEach(
        unguarded.routes(),
        route -> {
          for (String header :
              List.of(
                  FOREIGN_ORIGIN,
                  "Origin: null",
                  "Origin: http://localhost:3000",
                  "Sec-Fetch-Site: cross-site")) {
            assertThat(call(unguarded, route, header).status()).as(header).isEqualTo(403);
            assertThat(call(guarded, route, header).status()).as(header).isEqualTo(403);
          }
        });
  }

  /** A link in a message opens the page, but no other route, no frame and no foreign script. */
  @TestFactory
  Stream<DynamicTest> followedLink_opensOnlyThePage() {
    String[] link = {
      "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"
    };
    String[] frame = {link[0], link[1], "Sec-Fetch-Dest: iframe"};
    return forEach(
        guarded.routes(),
        route -> {
          boolean isPage = route.name().equals("GET /");
          assertThat(call(guarded, route, link).status()).isEqualTo(isPage ? 200 : 403);
          assertThat(call(guarded, route, frame).status()).isEqualTo(403);
          String[] withOrigin = {link[0], link[1], link[2], FOREIGN_ORIGIN};
          assertThat(call(guarded, route, withOrigin).status()).isEqualTo(403);
        });
  }

  /** The media types that a page can send to any server without a preflight request. */
  @TestFactory
  Stream<DynamicTest> simplePost_isRefused() {
    return forEach(
        posts(unguarded),
        route -> {
          for (String type :
              List.of(
                  "",
                  "text/plain",
                  "text/plain; application/json",
                  "application/x-www-form-urlencoded",
                  "multipart/form-data; boundary=x")) {
            Reply reply = post(unguarded, (Route.Post) route, type);
            assertThat(reply.status()).as(type).isEqualTo(415);
            assertThat(reply.text())
                .contains(
                    "curl -H 'Content-Type: "
                        + ((Route.Post) route).mediaTypes().get(0)
                        + "' --data-binary @- http://localhost:"
                        + unguarded.port()
                        + route.path());
          }
        });
  }

  /** A sender that is refused does not hold a connection's read until its body has come. */
  @TestFactory
  Stream<DynamicTest> refusal_beforeTheBodyHasCome_isSent() {
    String length = "Content-Length: 1000000";
    return forEach(
        posts(unguarded),
        route -> {
          String type = "Content-Type: " + ((Route.Post) route).mediaTypes().get(0);
          String other = bearer(route.access().roles().contains("write") ? "read" : "write");
          assertThat(unsent(guarded, route, length, type)).isEqualTo(401);
          assertThat(unsent(guarded, route, length, type, other)).isEqualTo(403);
          assertThat(unsent(unguarded, route, length, type, FOREIGN_ORIGIN)).isEqualTo(403);
          assertThat(unsent(unguarded, route, length, "Content-Type: text/plain")).isEqualTo(415);
          assertThat(unsent(unguarded, route, length, type, FOREIGN_HOST)).isEqualTo(421);
        });
  }

  private static int unsent(HttpApi api, Route route, String... headers) throws IOException {
    return new RawHttp(api.port()).send("POST", route.path(), "", headers).status();
  }

  @Test
  void posts_takeNoMediaTypeThatPagesSend() {
    for (Route route : posts(unguarded)) {
      assertThat(((Route.Post) route).mediaTypes())
          .isNotEmpty()
          .doesNotContain(
              "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data");
    }
  }

  /**
   * No browser sends a token on behalf of a page of another site, so a caller with a token is not a
   * page.
   */
  @TestFactory
  Stream<DynamicTest> validToken_excusesTheRest() {
    return forEach(
        guarded.routes(),
        route -> {
          String role = route.access() == Access.WRITE ? "write" : "admin";
          assertThat(call(guarded, route, bearer(role), FOREIGN_HOST, FOREIGN_ORIGIN).status())
              .isNotIn(401, 403, 421);
          if (route instanceof Route.Post post) {
            assertThat(post(guarded, post, "text/plain", bearer(role)).text())
                .doesNotContain("curl");
          }
        });
  }

  /** If no tokens are configured, a header that looks like one has no effect. */
  @TestFactory
  Stream<DynamicTest> tokenOfNoMeaning_excusesNothing() {
    return forEach(
        unguarded.routes(),
        route ->
            assertThat(call(unguarded, route, bearer("admin"), FOREIGN_HOST).status())
                .isEqualTo(421));
  }

  @TestFactory
  Stream<DynamicTest> ownPage_isAnswered() {
    return forEach(
        unguarded.routes(),
        route ->
            assertThat(
                    call(
                            unguarded,
                            route,
                            "Origin: http://localhost:" + unguarded.port(),
                            "Sec-Fetch-Site: same-origin")
                        .status())
                .isNotIn(401, 403, 415, 421));
  }

  @Test
  void noSuchEntry_isRefusedLikeTheOthers() throws IOException {
    RawHttp http = new RawHttp(unguarded.port());

    assertThat(http.send("GET", "/nothing", "").status()).isEqualTo(404);
    assertThat(http.send("GET", "/nothing", "", FOREIGN_HOST).status()).isEqualTo(421);
    assertThat(http.send("OPTIONS", "/v1/query", "", FOREIGN_ORIGIN).status()).isEqualTo(403);
    assertThat(http.send("HEAD", "/v1/logs", "", FOREIGN_HOST).status()).isEqualTo(421);
    assertThat(new RawHttp(guarded.port()).send("HEAD", "/v1/logs", "").text())
        .doesNotContain("application/json");
  }

  @Test
  void anyAddress_isAHost() throws IOException {
    RawHttp http = new RawHttp(unguarded.port());

    for (String host : List.of("10.1.2.3:7340", "[::1]:7340", "127.0.0.1", "localhost:1")) {
      assertThat(http.send("GET", "/health/ready", "", "Host: " + host).status())
          .as(host)
          .isEqualTo(200);
    }
  }

  @Test
  void health_withoutToken_carriesTheStateOnly() throws IOException {
    RawHttp http = new RawHttp(guarded.port());

    assertThat(http.send("GET", "/health/live", "").text()).endsWith("\r\n\r\nalive\n");
    assertThat(http.send("GET", "/health/ready", "").text()).endsWith("\r\n\r\nready\n");
  }

  /** The page of the format has a row for each route, with its role and its media types. */
  @Test
  void page_routes_areThoseOfTheApi() throws IOException {
    List<String> documented =
        Pattern.compile("(?m)^\\| `((?:GET|POST) /\\S*)` \\| ([\\w ]+) \\| ([^|]*?) ?\\| .+ \\|$")
            .matcher(Files.readString(PAGE))
            .results()
            .map(row -> row.group(1) + " " + row.group(2) + " " + row.group(3).replace("`", ""))
            .toList();
    assertThat(documented)
        .containsExactlyInAnyOrderElementsOf(
            unguarded.routes().stream().map(AccessMatrixTest::row).toList());
  }

  private static String row(Route route) {
    String role = OPEN.contains(route.name()) ? "none" : route.access().roles();
    String types = route instanceof Route.Post post ? String.join(", ", post.mediaTypes()) : "";
    return route.name() + " " + role + " " + types;
  }

  /** The page explains each status that the code of the API answers with. */
  @Test
  void page_statuses_areThoseOfTheApi() throws IOException {
    Set<String> answered = new TreeSet<>();
    try (Stream<Path> files = Files.list(SOURCES)) {
      for (Path file : files.toList()) {
        Pattern.compile(
                "(?:ProblemException\\.|ProblemJson\\.|\\b)(?:of|text)\\(\\s*([45]\\d\\d)\\b")
            .matcher(Files.readString(file))
            .results()
            .forEach(found -> answered.add(found.group(1)));
      }
    }
    assertThat(answered).contains("401", "404", "409", "503");
    assertThat(Files.readString(PAGE)).contains(answered);
  }

  private static List<Route> posts(HttpApi api) {
    return api.routes().stream().filter(Route.Post.class::isInstance).toList();
  }
}
