// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.contract.browser.HeadlessBrowser;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Prints the times of the timeline with many events, of its tiles, and of a request beside live
 * queries, which are asserted nowhere: {@code mvn test -Pslow -pl log-server -am
 * -Dtest=ConsoleFiguresTest -Dsurefire.failIfNoSpecifiedTests=false}; another number of events with
 * {@code -Dretroscope.events=N}.
 */
@Timeout(3_600)
@Tag("slow")
class ConsoleFiguresTest {
  private static final int EVENTS_PER_WRITE = 11;
  private static final int WRITES_PER_REQUEST = 2_000;
  private static final int MICROS_PER_WRITE = 27_000;
  private static final int EVENTS = Integer.getInteger("retroscope.events", 1_000_000);
  private static final int TABS = 3;
  private static final int QUERIES = 8;
  private static final int TILES = 100;
  private static final int PIXELS = 1_100;

  @TempDir private Path directory;

  @Test
  void timeline_ofMillionEvents_printsItsTimes() throws Exception {
    requireBrowser();
    ServerConfig config = ServerConfig.in(directory.resolve("data")).port(0).build();
    try (LogServer server = LogServer.start(config)) {
      fill(new HttpProbe(server.uri()), EVENTS);
    }
    // A server that has read nothing yet.
    try (LogServer server = LogServer.start(config)) {
      printTiles(new HttpProbe(server.uri()));
      try (HeadlessBrowser browser = HeadlessBrowser.startAsUsersDo()) {
        browser.show("light", 1280, 900);
        browser.runBefore(FIRST_PICTURE);
        browser.open(server.uri().resolve("/#/timeline?variable=store.version"));
        browser.waitFor("window.firstPicture > 0");
        print("bins", browser);
        browser.evaluate("location.hash = '#/timeline?cut=' + middle()");
        browser.waitFor(
            "/[0-9] events in view$/.test(document.querySelector('#stretch').textContent)");
        print("single events", browser);
      }
    }
  }

  private static void requireBrowser() {
    if (!"1".equals(System.getenv("RETROSCOPE_REQUIRE_BROWSER"))) {
      assumeThat(HeadlessBrowser.program())
          .as("a browser: apt-get install chromium, or another package that has one")
          .isPresent();
    }
  }

  /** Eight live queries in each of three tabs, and requests of the first one. */
  @Test
  void request_besideLiveQueriesOfThreeTabs_printsItsTimes() throws Exception {
    requireBrowser();
    try (LogServer server =
        LogServer.start(ServerConfig.in(directory.resolve("live")).port(0).build())) {
      HttpProbe http = new HttpProbe(server.uri());
      try (LiveTraffic traffic = new LiveTraffic(http, 7);
          HeadlessBrowser browser = HeadlessBrowser.startAsUsersDo()) {
        traffic.start();
        browser.show("light", 1280, 900);
        URI live = server.uri().resolve("/#/live?" + liveQueries());
        browser.open(live);
        for (int tab = 1; tab < TABS; tab++) {
          browser.openTab(live);
        }
        browser.waitFor(
            "fetch('/v1/server').then((answer) => answer.json())"
                + ".then(({ running }) => running.streams === %d)".formatted(TABS * QUERIES));
        JsonNode times = browser.evaluate(POST);
        System.out.printf(
            Locale.ROOT,
            "POST /v1/query beside %d live queries in each of %d tabs: median %.0f ms, p95 %.0f ms,"
                + " longest %.0f ms%n",
            QUERIES,
            TABS,
            times.get(0).asDouble(),
            times.get(1).asDouble(),
            times.get(2).asDouble());
      }
    }
  }

  private static String liveQueries() {
    return IntStream.range(0, QUERIES)
        .mapToObj(i -> "SELECT STREAM version FROM store WHEN SPREAD(version) >= " + i)
        .map(query -> "q=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  /** The tiles of views from the whole history to a few events, each at first and once more. */
  private static void printTiles(HttpProbe http) throws Exception {
    JsonNode session = JsonMapper.shared().readTree(http.get("/v1/session").body());
    long from = micros(session.get("from"));
    long until = micros(session.get("until"));
    int widest = 63 - Long.numberOfLeadingZeros((until - from) / PIXELS);
    Random random = new Random(46);
    double[][] millis = new double[2][TILES];
    for (int i = 0; i < TILES; i++) {
      int level = widest - i % (widest + 1);
      long at = from + (long) (random.nextDouble() * (until - from));
      String path = "/v1/timeline/%d/%d?variable=version".formatted(level, at >> (level + 10));
      for (double[] times : millis) {
        long began = System.nanoTime();
        HttpProbe.Reply reply = http.get(path);
        times[i] = (System.nanoTime() - began) / 1e6;
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
      }
    }
    for (int i = 0; i < 2; i++) {
      double[] sorted = DoubleStream.of(millis[i]).sorted().toArray();
      System.out.printf(
          Locale.ROOT,
          "a tile %s: median %.1f ms, p95 %.1f ms, longest %.1f ms%n",
          i == 0 ? "at first" : "once more",
          sorted[TILES / 2],
          sorted[TILES * 95 / 100],
          sorted[TILES - 1]);
    }
  }

  private static long micros(JsonNode stamp) {
    return HlcTimestamp.micros(HlcTimestamp.parse(stamp.asString()));
  }

  private static void fill(HttpProbe http, int events) throws Exception {
    int writes = events / EVENTS_PER_WRITE;
    long start = PhysicalClock.system().micros() - (long) writes * MICROS_PER_WRITE;
    ConsoleTraffic traffic = new ConsoleTraffic(start, 46);
    for (int sent = 0; sent < writes; sent += WRITES_PER_REQUEST) {
      assertThat(http.events(traffic.writes(WRITES_PER_REQUEST)).status()).isEqualTo(200);
    }
  }

  private static void print(String what, HeadlessBrowser browser) throws InterruptedException {
    browser.waitFor("document.querySelector('.around h2')?.textContent.endsWith('…') === false");
    JsonNode frames = browser.evaluate(PAN_AND_ZOOM);
    JsonNode cuts = browser.evaluate(DRAG);
    System.out.printf(
        Locale.ROOT,
        "%s: %s; first picture after %.0f ms; a frame: median %.1f ms, p95 %.1f ms; a cut's table:"
            + " median %.0f ms, p95 %.0f ms; heap %.1f MB%n",
        what,
        browser.evaluate("document.querySelector('#stretch').textContent").asString(),
        browser.evaluate("window.firstPicture").asDouble(),
        frames.get(0).asDouble(),
        frames.get(1).asDouble(),
        cuts.get(0).asDouble(),
        cuts.get(1).asDouble(),
        browser.heapBytes() / 1e6);
  }

  /** The time until the counts of all events are drawn. */
  private static final String FIRST_PICTURE =
      """
      (() => {
        window.middle = () => {
          const canvas = document.querySelector("#diagram");
          const [low, high] = ["min", "max"].map((n) => Number(canvas.getAttribute("aria-value" + n)));
          return Math.round((low + high) / 2) + ".0";
        };
        const look = () => {
          const words = document.querySelector("#stretch")?.textContent ?? "";
          if (words.includes("in view")) {
            window.firstPicture = performance.now();
          } else {
            requestAnimationFrame(look);
          }
        };
        requestAnimationFrame(look);
      })()\
      """;

  /** The times of statements that are posted one after the other. */
  private static final String POST =
      """
      (async () => {
        const times = [];
        for (let i = 0; i < 40; i++) {
          const began = performance.now();
          const answer = await fetch("/v1/query", {
            method: "POST",
            headers: { "Content-Type": "application/rql" },
            body: "SELECT version FROM store ON TIME LAST 1s",
          });
          if (!(await answer.text()).includes("version")) {
            throw new Error("no row");
          }
          times.push(performance.now() - began);
          await new Promise((done) => setTimeout(done, 50));
        }
        times.sort((a, b) => a - b);
        return [times[20], times[38], times[39]];
      })()\
      """;

  /** The time that the scripts of a frame take while the view zooms and moves. */
  private static final String PAN_AND_ZOOM =
      """
      (async () => {
        const canvas = document.querySelector("#diagram");
        const box = canvas.getBoundingClientRect();
        const times = [];
        for (let i = 0; i < 240; i++) {
          const zooms = i % 3 === 0;
          const event = new WheelEvent("wheel", {
            clientX: box.left + 200 + ((i * 37) % (box.width - 220)),
            deltaY: Math.floor(i / 24) % 2 === 0 ? -40 : 40,
            ctrlKey: zooms, shiftKey: !zooms, bubbles: true, cancelable: true,
          });
          let began = 0;
          requestAnimationFrame(() => (began = performance.now()));
          canvas.dispatchEvent(event);
          await new Promise((done) => requestAnimationFrame(done));
          times.push(performance.now() - began);
        }
        times.sort((a, b) => a - b);
        return [times[120], times[228]];
      })()\
      """;

  /** The time from a movement of the cut to the table of the state there. */
  private static final String DRAG =
      """
      (async () => {
        const canvas = document.querySelector("#diagram");
        const box = canvas.getBoundingClientRect();
        const table = document.querySelector(".state-at");
        const send = (type, clientX) => canvas.dispatchEvent(
          new PointerEvent(type, { clientX, pointerId: 1, bubbles: true }));
        canvas.setPointerCapture = () => {};
        send("pointerdown", box.left + 200);
        await new Promise((done) => setTimeout(done, 1000));
        const times = [];
        for (let i = 0; i < 100; i++) {
          const began = performance.now();
          const changed = new Promise((done) => {
            const observer = new MutationObserver(() => { observer.disconnect(); done(); });
            observer.observe(table, { subtree: true, characterData: true, childList: true });
            setTimeout(done, 3000);
          });
          send("pointermove", box.left + 150 + ((i * 137) % (box.width - 170)));
          await changed;
          times.push(performance.now() - began);
        }
        send("pointerup", box.left + 200);
        times.sort((a, b) => a - b);
        return [times[50], times[95]];
      })()\
      """;
}
