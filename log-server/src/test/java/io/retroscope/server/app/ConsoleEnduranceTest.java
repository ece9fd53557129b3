// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.contract.browser.HeadlessBrowser;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Keeps the page Live open while events arrive, and restarts the server in the middle: {@code mvn
 * test -Pslow -pl log-server -am -Dtest=ConsoleEnduranceTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dretroscope.minutes=20}.
 */
@Timeout(7_200)
@Tag("slow")
class ConsoleEnduranceTest {
  private static final long MICROS_PER_HOUR = 3_600_000_000L;
  private static final long MAX_HEAP_BYTES = 60_000_000;

  private static final List<String> QUERIES =
      List.of(
          "SELECT STREAM version FROM store PLAY wood EACH n IN NODES :"
              + " (MAX(version) - version@n >= 2) LEVEL MAX(version) - version@n PLACE n",
          "SELECT STREAM SPREAD(version) AS behind FROM store",
          "SELECT STREAM version FROM store",
          "SELECT STREAM version FROM store WHEN SPREAD(version) >= 4 EMIT EDGES");

  @TempDir private Path directory;

  @Test
  void live_openForMinutes_keepsItsMemoryAndReconnects() throws Exception {
    if (!"1".equals(System.getenv("RETROSCOPE_REQUIRE_BROWSER"))) {
      assumeThat(HeadlessBrowser.program())
          .as("a browser: apt-get install chromium, or another package that has one")
          .isPresent();
    }
    int minutes = Integer.getInteger("retroscope.minutes", 2);
    ServerConfig.Builder config = ServerConfig.in(directory.resolve("data"));
    LogServer server = LogServer.start(config.port(0).build());
    int port = server.port();
    HttpProbe http = new HttpProbe(server.uri());
    fillDay(http);
    try (LiveTraffic traffic = new LiveTraffic(http, 7);
        HeadlessBrowser browser = HeadlessBrowser.startAsUsersDo()) {
      traffic.start();
      browser.show("light", 1280, 900);
      String queries =
          QUERIES.stream()
              .map(query -> "q=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
              .collect(Collectors.joining("&"));
      browser.open(server.uri().resolve("/#/live?" + queries));
      for (int minute = 1; minute <= minutes; minute++) {
        Thread.sleep(60_000);
        print(minute, browser);
        assertThat(browser.heapBytes()).isLessThan(MAX_HEAP_BYTES);
        browser.waitFor(
            "document.querySelector('.live-view .note').textContent.includes('Connected')");
        if (minute == (minutes + 1) / 2) {
          server.close();
          browser.waitFor(
              "document.querySelector('.live-view .buttons p').textContent.includes('Not up to"
                  + " date')");
          Thread.sleep(3_000);
          server = LogServer.start(config.port(port).build());
          browser.waitFor(
              "document.querySelector('.live-view .buttons p').textContent.includes('Connected')");
        }
      }
    } finally {
      server.close();
    }
  }

  /** Fills the day before: a minute and a half of traffic in each hour, about a million events. */
  private static void fillDay(HttpProbe http) throws Exception {
    long now = PhysicalClock.system().micros();
    for (int hour = 24; hour >= 1; hour--) {
      ConsoleTraffic traffic = new ConsoleTraffic(now - hour * MICROS_PER_HOUR, hour);
      assertThat(http.events(traffic.writes(2_000)).status()).isEqualTo(200);
      assertThat(http.events(traffic.writes(2_000)).status()).isEqualTo(200);
    }
  }

  private static void print(int minute, HeadlessBrowser browser) throws InterruptedException {
    System.out.printf(
        Locale.ROOT,
        "minute %d: heap %.1f MB, %d elements, %s%n",
        minute,
        browser.heapBytes() / 1e6,
        browser.evaluate("document.querySelectorAll('*').length").asInt(),
        browser
            .evaluate(
                "[...document.querySelectorAll('.query > p.note')].map(p => p.textContent).join(';"
                    + " ')")
            .asString());
  }
}
