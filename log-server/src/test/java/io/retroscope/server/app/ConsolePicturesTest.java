// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.retroscope.contract.browser.HeadlessBrowser;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes the pictures of the pages, and checks that nothing on them is cut off: {@code mvn test
 * -Pslow -pl log-server -am -Dtest=ConsolePicturesTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dretroscope.pictures=docs/console}. With {@code -Dretroscope.pictures.type=png} they are larger.
 */
@Timeout(1_200)
@Tag("slow")
class ConsolePicturesTest {
  private static final Map<Integer, Integer> SIZES = Map.of(1280, 900, 2560, 1300, 390, 844);

  /** Live as on a screen in a room, which is wide. */
  private static final String WALL = "wall";

  /** The pages, and whether each is drawn. */
  private static final Map<String, String> DRAWN = drawn();

  @TempDir private Path directory;

  private static Map<String, String> drawn() {
    Map<String, String> drawn = new LinkedHashMap<>();
    drawn.put("first", "document.querySelectorAll('.card').length === 3");
    drawn.put("rows", "document.querySelectorAll('tr[data-row]').length > 10");
    drawn.put(
        "timeline",
        "document.querySelectorAll('.why li').length > 3"
            + " && /[0-9] events in view$/.test(document.querySelector('#stretch').textContent)");
    drawn.put("live", "document.querySelectorAll('.latest li').length > 8");
    drawn.put(WALL, "document.querySelectorAll('.large .value').length > 1");
    drawn.put("clocks", "document.querySelectorAll('.clock').length === 3");
    drawn.put("alerts", "document.querySelector('.for') !== null");
    drawn.put(
        "nodes",
        "document.querySelector('.facts') !== null"
            + " && !document.querySelector('.scroll').textContent.includes('…')");
    return drawn;
  }

  @Test
  void everyPage_inEverySize_isWhole() throws Exception {
    if (!"1".equals(System.getenv("RETROSCOPE_REQUIRE_BROWSER"))) {
      assumeThat(HeadlessBrowser.program())
          .as("a browser: apt-get install chromium, or another package that has one")
          .isPresent();
    }
    try (LogServer server =
        LogServer.start(ServerConfig.in(directory.resolve("data")).port(0).build())) {
      HttpProbe http = new HttpProbe(server.uri());
      String alert = "CREATE ALERT stale AS (NEVER SPREAD(version) >= 5 FOR 20ms FROM store)";
      assertThat(http.query(alert).status()).isEqualTo(200);
      try (LiveTraffic traffic = new LiveTraffic(http, 7);
          HeadlessBrowser browser = HeadlessBrowser.start()) {
        traffic.start();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> episodes(http).size() > 12);
        for (String scheme : List.of("light", "dark")) {
          for (int width : List.of(1280, 2560, 390)) {
            for (String page : DRAWN.keySet()) {
              if (page.equals(WALL) && width < 2560) {
                continue;
              }
              picture(browser, server, http, new Look(page, scheme, width));
            }
          }
        }
      }
    }
  }

  private record Look(String page, String scheme, int width) {}

  private static JsonNode episodes(HttpProbe http) throws Exception {
    return JsonMapper.shared().readTree(http.get("/v1/alerts/history").body()).get("episodes");
  }

  private static void picture(HeadlessBrowser browser, LogServer server, HttpProbe http, Look look)
      throws Exception {
    browser.show(look.scheme(), look.width(), SIZES.get(look.width()));
    browser.open(server.uri().resolve("/" + address(look.page(), http)));
    if (look.page().equals("alerts")) {
      browser.waitFor("document.querySelector('section button:enabled') !== null");
      browser.evaluate("document.querySelector('section button').click()");
    }
    browser.waitFor(DRAWN.get(look.page()));
    Thread.sleep(look.page().equals("live") || look.page().equals(WALL) ? 8_000 : 1_200);
    assertThat(browser.complaints()).as(look.toString()).isEmpty();
    assertThat(browser.evaluate("document.documentElement.scrollWidth - innerWidth").asInt())
        .as("pixels beyond the window, " + look)
        .isLessThanOrEqualTo(0);
    write(browser, look);
  }

  private static void write(HeadlessBrowser browser, Look look)
      throws IOException, InterruptedException {
    String folder = System.getProperty("retroscope.pictures", "");
    if (folder.isEmpty()) {
      return;
    }
    String type = System.getProperty("retroscope.pictures.type", "webp");
    Path file =
        Files.createDirectories(Path.of(folder))
            .resolve("%s-%s-%d.%s".formatted(look.page(), look.scheme(), look.width(), type));
    Files.write(file, type.equals("png") ? browser.picture() : browser.smallPicture());
  }

  private static String address(String page, HttpProbe http) throws Exception {
    return switch (page) {
      case "first" -> "#/ask";
      case "rows" ->
          "#/ask?run=1&q="
              + encoded(
                  "SELECT version, SPREAD(version) AS behind FROM store\n"
                      + "  WHEN SPREAD(version) >= 2");
      case "timeline" ->
          "#/timeline?why=1&episode=" + encoded(episodes(http).get(8).get("episode").asString());
      case "alerts" -> "#/alerts?alert=stale";
      case WALL -> address("live", http) + "&large=1";
      case "live" ->
          "#/live?q="
              + encoded(
                  "SELECT STREAM version FROM store PLAY wood EACH n IN NODES :"
                      + " (MAX(version) - version@n >= 2) LEVEL MAX(version) - version@n PLACE n")
              + "&q="
              + encoded("SELECT STREAM SPREAD(version) AS behind FROM store")
              + "&q="
              + encoded("SELECT STREAM version FROM store WHEN SPREAD(version) >= 4 EMIT EDGES");
      default -> "#/" + page;
    };
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
