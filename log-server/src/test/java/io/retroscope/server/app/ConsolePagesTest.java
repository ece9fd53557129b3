// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.contract.browser.HeadlessBrowser;
import io.retroscope.server.access.AccessOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests of the console's pages in a browser. Without one they are skipped, unless {@code
 * RETROSCOPE_REQUIRE_BROWSER} is 1. Those that protect answers and links are in each build; the
 * others are slow.
 */
@Timeout(600)
class ConsolePagesTest {
  private static final List<String> PAGES =
      List.of("ask", "timeline", "live", "clocks", "alerts", "nodes");

  private static final String STATEMENT =
      "SELECT version, SPREAD(version) AS behind FROM store WHEN SPREAD(version) >= 2";

  private static final String ALERT =
      "CREATE ALERT stale AS (NEVER SPREAD(version) >= 3 FOR 10ms FROM store)";

  @TempDir private static Path directory;
  private static HeadlessBrowser browser;
  private static LogServer server;
  private static HttpProbe http;
  private static String axe;

  /** The microseconds of the last event before the nodes stop. */
  private static long end;

  @BeforeAll
  static void start() throws Exception {
    if (!"1".equals(System.getenv("RETROSCOPE_REQUIRE_BROWSER"))) {
      assumeThat(HeadlessBrowser.program())
          .as("a browser: apt-get install chromium, or another package that has one")
          .isPresent();
    }
    try (InputStream in = ConsolePagesTest.class.getResourceAsStream("/axe.min.js")) {
      axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    server = LogServer.start(ServerConfig.in(directory.resolve("data")).port(0).build());
    http = new HttpProbe(server.uri());
    assertThat(http.query(ALERT).status()).isEqualTo(200);
    long begin = PhysicalClock.system().micros();
    ConsoleTraffic traffic = new ConsoleTraffic(begin, 46);
    String lines = traffic.writes(110) + traffic.hostileLines();
    end = traffic.micros();
    assertThat(http.events(lines + traffic.stopLines()).status()).isEqualTo(200);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !episodes().isEmpty() && reached().compareTo(end + ".0") >= 0);
    browser = HeadlessBrowser.start();
    browser.show("light", 1280, 900);
  }

  @AfterAll
  static void stop() throws IOException {
    if (browser != null) {
      browser.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private static JsonNode episodes() throws Exception {
    return JsonMapper.shared().readTree(http.get("/v1/alerts/history").body()).get("episodes");
  }

  /** Up to where the alert has been evaluated: the pictures change until then. */
  private static String reached() throws Exception {
    return http.query("DESCRIBE ALERT stale")
        .body()
        .lines()
        .map(JsonMapper.shared()::readTree)
        .filter(row -> row.path("property").asString("").equals("reached"))
        .map(row -> row.get("value").asString())
        .findFirst()
        .orElse("");
  }

  private static void open(String fragment) throws InterruptedException {
    browser.open(server.uri().resolve("/" + fragment));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String text(String selector) throws InterruptedException {
    return browser
        .evaluate("document.querySelector('%s')?.textContent ?? ''".formatted(selector))
        .asString();
  }

  private static void waitFor(String expression) throws InterruptedException {
    browser.waitFor(expression);
  }

  @Test
  void everyPage_makesNoForeignRequest_andObeysItsPolicy() throws Exception {
    for (String page : PAGES) {
      open("#/" + page);
      waitFor("document.querySelector('.page." + page + "') !== null");
      assertThat(browser.complaints()).as(page).isEmpty();
      assertThat(browser.requests())
          .as(page)
          .isNotEmpty()
          .allMatch(address -> address.startsWith(server.uri().toString()));
    }
  }

  @Test
  @Tag("slow")
  void axe_findsNoViolation_inAnExplanation() throws Exception {
    open("#/timeline?why=1&episode=" + encoded(episodes().get(0).get("episode").asString()));
    waitFor("document.querySelectorAll('.why li').length > 3");
    assertAccessible("explanation");
  }

  @Test
  @Tag("slow")
  void axe_findsNoViolation_onAnyPage_inLightAndDark() throws Exception {
    for (String scheme : List.of("light", "dark")) {
      browser.show(scheme, scheme.equals("light") ? 1280 : 390, 900);
      for (String page : PAGES) {
        open("#/" + page + (page.equals("ask") ? "?run=1&q=" + encoded(STATEMENT) : ""));
        waitFor(drawn(page));
        assertAccessible(page + ", " + scheme);
      }
      open("#/timeline?why=1&episode=" + encoded(episodes().get(0).get("episode").asString()));
      waitFor("document.querySelectorAll('.why li').length > 3");
      assertAccessible("explanation, " + scheme);
    }
    browser.show("light", 1280, 900);
  }

  /** Whether a page shows data. */
  private static String drawn(String page) {
    return switch (page) {
      case "ask" -> "document.querySelectorAll('tr[data-row]').length > 3";
      case "timeline" -> "document.querySelector('.state-at table') !== null";
      case "clocks" -> "document.querySelectorAll('.clock').length === 3";
      case "alerts", "nodes" -> "document.querySelector('tbody tr') !== null";
      default -> "document.querySelector('.lags li') !== null";
    };
  }

  private static void assertAccessible(String page) throws InterruptedException {
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)");
    browser.evaluate(axe);
    JsonNode violations =
        browser.evaluate(
            "axe.run(document).then(r => r.violations.map("
                + "v => v.id + ': ' + v.nodes.map(n => n.html).join(' ').slice(0, 400)))");
    assertThat(violations.toString()).as(page).isEqualTo("[]");
  }

  private static void type(String text) throws InterruptedException {
    for (int at = 0; at < text.length(); at++) {
      browser.press(text.substring(at, at + 1));
    }
  }

  /** A link comes from anywhere: it runs what reads, and nothing that changes the server. */
  @Test
  void link_runsNoStatementThatChanges_andOnlyTheAskedTextRunsAgain() throws Exception {
    String change = "CREATE ALERT of_a_link AS (NEVER SPREAD(version) >= 1000 FROM store)";
    open("#/ask?run=1&q=" + encoded(change));
    waitFor("document.querySelector('.answer pre.problem') !== null");
    assertThat(text(".answer pre.problem")).contains("a link does not run it");
    assertThat(text(".summary-line")).contains("not run");
    assertThat(http.get("/v1/alerts").body()).doesNotContain("of_a_link");
    browser.evaluate(
        "location.hash = '#/ask?run=1&q=%s'".formatted(encoded(STATEMENT).replace("+", "%20")));
    waitFor("document.querySelectorAll('tr[data-row]').length > 3");
    waitFor("location.hash.includes('run=1')");
    browser.press("/");
    type(" ");
    waitFor("!location.hash.includes('run=1')");
  }

  /** A page as the server stores it has an end of 0.0 while the alert holds. */
  @Test
  void episodes_thatHold_orNeverWere_areNotShownAsEnded() throws Exception {
    open("#/nodes");
    JsonNode findings = browser.evaluate(EPISODES);
    assertThat(findings.toString())
        .isEqualTo(
            "[\"1000000-9000000\",\"2000000-9000000\",\"3000000-4000000\",\"6000000-6000000\"]");
    String stored = episodes().get(0).toString();
    String states =
        "['FIRING', '0.0'], ['RETRACTED', '0.0'], ['RESOLVED', '0.0'], ['MUTED', '0.0']";
    browser.evaluate(
        """
        const own = window.fetch;
        window.fetch = async (path, options) => path.startsWith("/v1/alerts/history")
          ? Response.json({ episodes: [%s].map(([state, endHlc]) => ({ ...%s, state, endHlc })) })
          : own(path, options);
        location.hash = "#/alerts";
        """
            .formatted(states, stored));
    waitFor(
        "document.querySelectorAll('[aria-label=\"Table of episodes\"] tbody tr').length === 4");
    assertThat(
            browser
                .evaluate(
                    "[...document.querySelectorAll('[aria-label=\"Table of episodes\"] td.number')]"
                        + ".map((cell) => cell.textContent.trim()).join()")
                .asString())
        .isEqualTo("holds,never was,unknown,holds");
  }

  /** Another episode of the alert may hold by then, which the user has not seen. */
  @Test
  void acknowledge_isOfTheEpisodeThatIsShown() throws Exception {
    open("#/nodes");
    browser.evaluate(
        """
        const own = window.fetch;
        window.sent = [];
        const row = { alert: "stale", item: null, state: "firing", since: null, severity: "page",
          health: "ok", acknowledgedBy: null, mutedUntil: null, episode: "stale@1.0", cut: null };
        window.fetch = async (path, options) => {
          if (options?.method === "POST") {
            sent.push(path, JSON.parse(options.body));
            return Response.json({ acknowledged: [] });
          }
          return path === "/v1/alerts" ? Response.json({ alerts: [row] }) : own(path, options);
        };
        location.hash = "#/alerts";
        """);
    waitFor("document.querySelector('td button:enabled') !== null");
    browser.evaluate("document.querySelector('td button:enabled').click()");
    waitFor("document.querySelector('.page.alerts .problem') !== null");
    assertThat(browser.evaluate("sent").toString())
        .isEqualTo("[\"/v1/alerts/acknowledge\",{\"alert\":\"stale\",\"episode\":\"stale@1.0\"}]");
    assertThat(text(".page.alerts .problem"))
        .isEqualTo("Nothing was acknowledged: stale@1.0 does not hold any more.");
  }

  private static final String EPISODES =
      """
      (async () => {
        const { episodesOf } = await import("/console/pages/findings.js");
        const page = (second, state, endHlc) => ({ episode: `a@${second}000000.0`, state, endHlc });
        const episodes = [
          page(1, "FIRING", "0.0"), page(2, "MUTED", "0.0"), page(3, "RESOLVED", "4000000.0"),
          page(5, "RETRACTED", "7000000.0"), page(6, "RESOLVED", "0.0"),
        ];
        const found = await episodesOf({ get: async () => ({ episodes }) }, "a", 9000000);
        return found.findings.map(({ from, to }) => `${from}-${to}`);
      })()\
      """;

  /** The last line of an answer says that it broke off, on each page that reads one. */
  @Test
  void answerThatBreaksOff_isNamedOnEachPage() throws Exception {
    open("#/nodes");
    browser.evaluate(
        """
        const own = window.fetch;
        window.fetch = async (path, options) => {
          const answer = await own(path, options);
          return path === "/v1/query"
            ? new Response(await answer.text() + '{"problem":{"title":"Ended","detail":"too slow"}}\\n')
            : answer;
        };
        """);
    browser.evaluate(
        "location.hash = '#/ask?run=1&q=" + encoded(STATEMENT).replace("+", "%20") + "'");
    waitFor("document.querySelector('.answer pre.problem')?.textContent === 'Ended: too slow'");
    assertThat(text(".summary-line")).contains("incomplete: it failed");
    browser.evaluate(
        "location.hash = '#/timeline?why=1&q=" + encoded(STATEMENT).replace("+", "%20") + "'");
    waitFor(
        "/only the first [0-9]+ findings are drawn: Ended: too slow/"
            + ".test(document.querySelector('.page.timeline .warnings')?.textContent)");
    waitFor(
        "document.querySelector('.why')?.textContent"
            + ".includes('The reasons are incomplete: Ended: too slow')");
    browser.evaluate("location.hash = '#/alerts?alert=stale'");
    waitFor(
        "[...document.querySelectorAll('.page.alerts .problem')]"
            + ".some((place) => place.textContent === 'Ended: too slow')");
    browser.evaluate(
        "document.querySelector('.page.alerts .buttons .primary, .page.alerts section"
            + " button').click()");
    waitFor(
        "document.querySelector('#backtest .doubt')?.textContent"
            + ".includes('the rates are too low: Ended: too slow')");
  }

  /** The picture of each event is read anew when later ones have arrived. */
  @Test
  @Tag("slow")
  void timeline_showsEventsThatArriveLater() throws Exception {
    ConsoleTraffic traffic = new ConsoleTraffic(PhysicalClock.system().micros(), 46);
    try (LogServer growing =
        LogServer.start(ServerConfig.in(directory.resolve("growing")).port(0).build())) {
      HttpProbe sender = new HttpProbe(growing.uri());
      assertThat(sender.events(traffic.writes(30)).status()).isEqualTo(200);
      browser.open(growing.uri().resolve("/#/timeline"));
      waitFor("document.querySelector('#stretch').textContent.endsWith('events in view')");
      String before = text("#stretch").replaceAll(".*, ", "");
      assertThat(sender.events(traffic.write()).status()).isEqualTo(200);
      // The page learns in the next seconds that there is more; each key shows all there is.
      waitFor(
          """
          (() => {
            if (performance.now() - (window.shownAll ?? -Infinity) > 2000) {
              window.shownAll = performance.now();
              document.querySelector('#diagram').dispatchEvent(
                new KeyboardEvent('keydown', { key: '0', bubbles: true }));
            }
            const words = document.querySelector('#stretch').textContent;
            return words.endsWith('events in view') && !words.endsWith('%s');
          })()\
          """
              .formatted(before));
    }
  }

  /** A user may zoom while an answer is on its way. */
  @Test
  @Tag("slow")
  void timeline_anOlderAnswerThatIsLate_shadesNothing() throws Exception {
    open("#/nodes");
    browser.evaluate(
        """
        const own = window.fetch;
        window.asked = [];
        window.fetch = (path, options) => path.startsWith("/v1/silences")
          ? new Promise((resolve) => asked.push({ path, resolve })) : own(path, options);
        window.answer = (one, complete) =>
          one.resolve(new Response(JSON.stringify({ silent: [], complete })));
        location.hash = "#/timeline";
        """);
    waitFor("asked.length === 1");
    browser.evaluate(
        """
        document.querySelector("#diagram").dispatchEvent(
          new KeyboardEvent("keydown", { key: "+", bubbles: true }));
        """);
    waitFor("asked.length === 2");
    assertThat(browser.evaluate("asked[0].path !== asked[1].path").asBoolean()).isTrue();
    browser.evaluate("answer(asked[0], false)");
    browser.evaluate("new Promise((resolve) => setTimeout(resolve, 300))");
    String tooMany = "/Not all silences/.test(document.body.textContent)";
    assertThat(browser.evaluate(tooMany).asBoolean()).isFalse();
    browser.evaluate("answer(asked[1], false)");
    waitFor(tooMany);
  }

  /** A link to other logs may be followed while an answer is on its way. */
  @Test
  void timeline_eventsOfOtherLogsThatAreLate_areNotDrawn() throws Exception {
    open("#/nodes");
    browser.evaluate(
        """
        const own = window.fetch;
        window.asked = [];
        window.fetch = async (path, options) => {
          if (path.startsWith("/v1/recording")) {
            await new Promise((resolve) => asked.push({ path, resolve }));
          }
          return own(path, options);
        };
        location.hash = "#/timeline";
        """);
    waitFor("asked.length === 1");
    browser.evaluate("location.hash = '#/timeline?log=none'");
    waitFor("document.querySelector('#stretch').textContent.includes(' 0 events in view')");
    browser.evaluate("asked[0].resolve()");
    waitFor("asked.length === 2");
    assertThat(browser.evaluate("asked[1].path").asString()).contains("log=none");
    assertThat(text("#stretch")).contains(" 0 events in view");
  }

  /** The list is of the cut that the line is at, whatever became of its state. */
  @Test
  void timeline_eventsAroundACutWhoseStateIsNotKnown_areThose() throws Exception {
    open("#/timeline");
    waitFor("document.querySelectorAll('.around .events li').length > 0");
    browser.evaluate(
        """
        const own = window.fetch;
        window.fetch = async (path, options) => path.startsWith("/v1/cut")
          ? Response.json({ title: "Broken" }, { status: 500 }) : own(path, options);
        window.goTo = (stamp) => {
          document.querySelector("#go-to").value = stamp;
          document.querySelector("#go-to").form.requestSubmit();
        };
        """);
    for (int back = 1; back <= 2; back++) {
      browser.evaluate("window.seen = document.querySelector('.around .events').textContent");
      browser.evaluate("goTo('%d.0')".formatted(end - 100_000 * back));
      waitFor("document.querySelector('.around .events').textContent !== seen");
      assertThat(text(".page.timeline .warnings")).contains("Broken");
    }
  }

  /** Another query opens the stream anew, and the first one misses nothing. */
  @Test
  void live_withAnotherQuery_continuesTheFirst() throws Exception {
    open("#/nodes");
    browser.evaluate(
        """
        const own = window.fetch;
        window.streams = [];
        window.fetch = (path, options) => {
          if (path.startsWith("/v1/stream")) {
            streams.push(options.headers["Last-Event-ID"] ?? "none");
          }
          return own(path, options);
        };
        location.hash = "#/live?q=" + encodeURIComponent("-- all\\nselect stream version FROM store");
        """);
    waitFor("/complete up to/.test(document.querySelector('.query .note')?.textContent)");
    browser.evaluate(
        """
        document.querySelector("#add-query").value = "SELECT leader FROM store LIMIT 3";
        document.querySelector("form.add button").click();
        """);
    waitFor("document.querySelector('.live-view .buttons').textContent.includes('for 2 queries')");
    assertThat(browser.evaluate("streams").toString()).matches("\\[\"none\",\"[^ -]\\S* -\"]");
  }

  @Test
  void stream_resumesEachQuery_andSaysWhenItHasEnded() throws Exception {
    open("#/nodes");
    assertThat(browser.evaluate(STREAM).toString())
        .isEqualTo("[\"5 -\",\"6\",\"-\",\"The stream has ended\",false]");
  }

  private static final String STREAM =
      """
      (async () => {
        const { LiveStream } = await import("/console/api/stream.js");
        const queries = [{ statement: "a", lastId: "5" }, { statement: "b", lastId: "-" }];
        const events = "event: row.0\\nid: 6\\ndata: {}\\n\\nevent: end.0\\n\\nevent: end.1\\n\\n";
        let ids = "none";
        const send = async (path, { headers }) => {
          ids = headers["Last-Event-ID"];
          return new Response(events);
        };
        const last = await new Promise((resolve) => {
          setTimeout(() => resolve({ words: "nothing" }), 2000);
          const state = (now) => now.final && resolve(now);
          new LiveStream({ send }, queries, { take: () => {}, state });
        });
        return [ids, ...queries.map(({ lastId }) => lastId), last.words, last.connected];
      })()\
      """;

  /** The value that is shown large is that of the latest row that holds. */
  @Test
  @Tag("slow")
  void live_lateAndRetractedRows_areNeverTheLatestValue() throws Exception {
    open("#/nodes");
    browser.evaluate(
        """
        const own = window.fetch;
        const take = (stream) => (window.send = (kind, data, row) => stream.enqueue(
          new TextEncoder().encode(
            `event: ${kind}.0\\nid: 1/2/3/4/5/6/${row}\\ndata: ${JSON.stringify(data)}\\n\\n`)));
        window.fetch = async (path, options) => path.startsWith("/v1/stream")
          ? new Response(new ReadableStream({ start: take })) : own(path, options);
        location.hash = "#/live?q=SELECT%20STREAM%20x%20FROM%20store";
        """);
    waitFor("window.send !== undefined && document.querySelector('.query') !== null");
    browser.evaluate(
        """
        send("row", { hlc: "5.0", x: "first" }, "aa");
        send("late", { hlc: "4.0", x: "late" }, "bb");
        """);
    waitFor("document.querySelector('.query .latest .doubt')?.textContent === 'late'");
    String latest = "document.querySelector('.query .value').textContent";
    assertThat(browser.evaluate(latest).asString()).isEqualTo("x first");
    browser.evaluate("send('row', { hlc: '6.0', x: 'gone' }, 'cc')");
    waitFor(latest + " === 'x gone'");
    browser.evaluate("for (let i = 0; i < 30; i++) send('lost', { warning: 'w' + i }, 'dd')");
    browser.evaluate("for (let i = 0; i < 40; i++) send('retracted', { row: 'cc' }, 'ee')");
    waitFor(latest + " === 'x first'");
    assertThat(text(".query .warnings"))
        .contains("a row was taken back: an earlier event came late (40 times)", "incomplete: w29")
        .contains("and 27 more");
  }

  @Test
  void cutThatABusyServerRefuses_isRequestedAgain_untilThePageIsLeft() throws Exception {
    open("#/nodes");
    assertThat(browser.evaluate(BUSY).toString()).isEqualTo("[\"taken 2, values\",2,1,0]");
  }

  private static final String BUSY =
      """
      (async () => {
        const { Cuts } = await import("/console/timeline/state.js");
        const { Problem } = await import("/console/api/problem.js");
        let requests = 0;
        const get = async () => {
          if (++requests !== 2) {
            throw new Problem({ status: 429, detail: "busy" });
          }
          return `taken ${requests}`;
        };
        let taken = "nothing";
        const cuts = new Cuts({ get }, (cut) => (taken = cut), () => {});
        await cuts.want({ at: "1.0" });
        const left = new Cuts({ get: () => Promise.reject(new Problem({ status: 429 })) }, () => {},
          () => left.close());
        await left.want({ at: "1.0" });
        let ended = 0;
        const slow = (signal) => new Promise((_, reject) =>
          signal.addEventListener("abort", () => { ended++; reject(signal.reason); }));
        const all = { get: (_, { part }, { signal }) => part ?? slow(signal) };
        let problems = 0;
        const dragged = new Cuts(all, (cut) => (taken += `, ${cut}`), () => problems++);
        const first = dragged.want({ at: "1.0" });
        dragged.want({ at: "2.0", part: "values" });
        await first;
        return [taken, requests, ended, problems];
      })()\
      """;

  /** From the first page to the explanation, without a mouse. */
  @Test
  @Tag("slow")
  void keyboardAlone_asksOpensTheCutAndExplainsIt() throws Exception {
    open("#/ask");
    browser.press("/");
    type(STATEMENT);
    browser.press("Escape");
    browser.pressWithCtrl("Enter");
    waitFor("document.querySelectorAll('tr[data-row]').length > 3");
    tabTo("document.activeElement.matches('tr[data-row]')");
    browser.press("ArrowDown");
    String row = browser.evaluate("document.activeElement.cells[0].textContent").asString();
    browser.press("Enter");
    waitFor("document.querySelector('.state-at table') !== null");
    assertThat(text("#cut-stamp")).isEqualTo("hlc'" + row + "'");
    browser.press("]");
    waitFor("document.querySelector('#cut-stamp').textContent !== \"hlc'" + row + "'\"");
    String rise = text("#cut-stamp");
    browser.press("e");
    waitFor("document.querySelectorAll('.why li.witness').length > 0");
    browser.press("ArrowLeft");
    waitFor("document.querySelector('#cut-stamp').textContent !== \"" + rise + "\"");
    assertThat(text("#cut-stamp")).isLessThan(rise);
    for (String page : PAGES) {
      tabTo("document.activeElement.getAttribute('href') === '#/" + page + "'");
      browser.press("Enter");
      waitFor("document.querySelector('.page." + page + "') !== null");
    }
  }

  /** Presses Tab until an expression is true. */
  private static void tabTo(String expression) throws InterruptedException {
    for (int i = 0; i < 200; i++) {
      if (browser.evaluate(expression).asBoolean(false)) {
        return;
      }
      browser.press("Tab");
    }
    throw new AssertionError("the keyboard does not reach " + expression);
  }

  /** One click to the cut at which an alert rose, one key to the cut before, one to the reasons. */
  @Test
  void linkOfAnEpisode_isOneKeyFromTheCutBefore_andFromTheReasons() throws Exception {
    String episode = episodes().get(0).get("episode").asString();
    String rise = episode.substring(episode.indexOf('@') + 1);
    open("#/timeline?episode=" + encoded(episode));
    String before = cutBefore(rise);
    waitFor("document.querySelector('.state-at')?.dataset.at === '" + rise + "'");
    waitFor("document.querySelector('.around h2')?.textContent.endsWith('…') === false");
    browser.press("ArrowLeft");
    waitFor("document.querySelector('#cut-stamp').textContent === \"hlc'" + before + "'\"");
    browser.press("e");
    waitFor("document.querySelectorAll('.why li.witness').length > 0");
    List<String> witnesses = witnesses(rise);
    assertThat(witnesses).isNotEmpty();
    assertThat(
            browser.evaluate("document.querySelectorAll('%s').length".formatted(WITNESS)).asInt())
        .isEqualTo(witnesses.size());
    for (int i = 0; i < witnesses.size(); i++) {
      browser.evaluate("document.querySelectorAll('%s')[%d].click()".formatted(WITNESS, i));
      assertThat(text("#cut-stamp")).isEqualTo("hlc'" + witnesses.get(i) + "'");
    }
  }

  /** The key of the cut before may be pressed as soon as a link shows its page. */
  @Test
  @Tag("slow")
  void arrow_beforeTheNeighboursAreKnown_stepsWhenTheyAre() throws Exception {
    String episode = episodes().get(0).get("episode").asString();
    String rise = episode.substring(episode.indexOf('@') + 1);
    String before = cutBefore(rise);
    open("#/nodes");
    browser.evaluate(
        """
        const own = window.fetch;
        window.held = [];
        window.fetch = (path, options) => path.startsWith("/v1/cut") && held !== null
          ? new Promise((resolve) => held.push(() => resolve(own(path, options))))
          : own(path, options);
        location.hash = "#/timeline?episode=%s";
        """
            .formatted(encoded(episode)));
    waitFor("held.length > 0 && document.documentElement.dataset.state === 'ready'");
    browser.press("ArrowLeft");
    browser.evaluate("const all = held; held = null; all.forEach((send) => send())");
    waitFor("document.querySelector('#cut-stamp').textContent === \"hlc'" + before + "'\"");
  }

  private static final String WITNESS = ".why li.witness button";

  private static String cutBefore(String stamp) throws Exception {
    return JsonMapper.shared()
        .readTree(http.get("/v1/cut?part=steps&at=" + stamp).body())
        .get("previous")
        .asString();
  }

  /** The stamps of the values that explain an alert, in the order of the sentences. */
  private static List<String> witnesses(String rise) throws Exception {
    String statement = ALERT.substring(ALERT.indexOf('(') + 1, ALERT.length() - 1);
    return http.query("EXPLAIN CUT hlc'" + rise + "' OF " + asSelect(statement))
        .body()
        .lines()
        .map(JsonMapper.shared()::readTree)
        .filter(row -> row.path("part").asString("").equals("witness"))
        .filter(row -> !row.path("node").asString("").isEmpty())
        .map(row -> row.get("hlc").asString())
        .toList();
  }

  private static String asSelect(String never) {
    return "SELECT version FROM store WHEN "
        + never.substring("NEVER ".length(), never.indexOf(" FROM"));
  }

  @Test
  @Tag("slow")
  void rule_isMadeInTwoClicks() throws Exception {
    open("#/ask?q=" + encoded(STATEMENT));
    browser.evaluate(
        """
        window.copied = "";
        navigator.clipboard.writeText = async (text) => { copied = text; };
        [...document.querySelectorAll("button")].find((b) => b.textContent.trim() === "Make a rule").click();
        """);
    waitFor("document.querySelector('dialog .good') !== null");
    browser.evaluate("document.querySelector('dialog .primary').click()");
    waitFor("copied !== ''");
    assertThat(browser.evaluate("copied").asString())
        .isEqualTo("CREATE ALERT my_alert AS (\n  " + STATEMENT + "\n);\n");
    assertThat(http.get("/v1/alerts").body()).doesNotContain("my_alert");
  }

  /**
   * A finding that the clocks' uncertainty could reverse is dashed, and named so; others are not.
   */
  @Test
  void findingThatClocksCouldReverse_isDashed() throws Exception {
    open("#/nodes");
    browser.evaluate(BANDS.formatted(episodes().get(0).get("episode").asString()));
    for (int i = 0; i < 2; i++) {
      JsonNode episode = episodes().get(i);
      String id = episode.get("episode").asString();
      long from = micros(id.substring(id.indexOf('@') + 1));
      long to = micros(episode.get("endHlc").asString());
      browser.evaluate(
          "location.hash = '#/timeline?episode=%s&from=%d&to=%d'"
              .formatted(encoded(id), from - 2_000, to + 2_000));
      waitFor("document.querySelector('#stretch')?.textContent.endsWith('events in view')");
      waitFor("document.querySelector('.heading .note').textContent.startsWith('finding ')");
      waitFor("bands.length > 0");
      String words = text(".heading .note");
      JsonNode bands = browser.evaluate("bands");
      browser.evaluate("bands = []; location.hash = '#/nodes'");
      waitFor("document.querySelector('.page.nodes') !== null");
      if (i == 0) {
        assertThat(words).endsWith(", borderline: the clocks' uncertainty could reverse it");
        assertThat(bands).hasSizeGreaterThan(20);
        for (int dash = 0; dash < bands.size(); dash++) {
          assertThat(bands.get(dash).get(1).asDouble()).isBetween(0.0, 4.0);
          double gap =
              dash == 0
                  ? 8
                  : bands.get(dash).get(0).asDouble() - bands.get(dash - 1).get(0).asDouble();
          assertThat(gap).isCloseTo(8, within(0.01));
        }
      } else {
        assertThat(words).doesNotContain("borderline");
        assertThat(bands).hasSize(1);
        assertThat(bands.get(0).get(1).asDouble()).isGreaterThan(200);
      }
    }
  }

  /** Keeps the bands of the chosen finding in the last picture; the first episode is borderline. */
  private static final String BANDS =
      """
      (() => {
        const own = window.fetch;
        window.fetch = async (path, options) => {
          const answer = await own(path, options);
          if (!path.startsWith("/v1/alerts/history")) {
            return answer;
          }
          const { episodes } = await answer.json();
          episodes.forEach((episode) => (episode.borderline = episode.episode === "%s"));
          return Response.json({ episodes });
        };
        window.bands = [];
        const fill = CanvasRenderingContext2D.prototype.fillRect;
        CanvasRenderingContext2D.prototype.fillRect = function (x, y, width, height) {
          if (x === 0 && y === 0) {
            bands = [];
          } else if (y === 26 && height === 5) {
            bands.push([x, width]);
          }
          fill.call(this, x, y, width, height);
        };
      })()\
      """;

  private static long micros(String stamp) {
    return HlcTimestamp.micros(HlcTimestamp.parse(stamp));
  }

  /** The line above the table of a cut has the time of the cut's row, and its uncertainty. */
  @Test
  void stateAtACut_hasTheTimeOfItsRow_withTheUncertainty() throws Exception {
    List<JsonNode> rows = new ArrayList<>();
    for (String line : http.query("SELECT version FROM store").body().lines().toList()) {
      JsonNode row = JsonMapper.shared().readTree(line);
      if (row.has("hlc")) {
        rows.add(row);
      }
    }
    JsonNode unknown = first(rows, row -> row.get("uncertaintyMicros").isNull());
    JsonNode known = first(rows, row -> row.get("uncertaintyMicros").asLong(0) > 0);
    for (JsonNode row : List.of(unknown, known)) {
      open("#/timeline?cut=" + row.get("hlc").asString());
      waitFor("document.querySelector('.state-at > p') !== null");
      String uncertainty =
          row.get("uncertaintyMicros").isNull() ? "unknown" : row.get("uncertaintyMicros") + " µs";
      String time = row.get("time").asString().replace("T", " ").replace("Z", "");
      assertThat(text(".state-at > p").strip())
          .isEqualTo(time + " UTC, on the clock of replica-1, uncertainty " + uncertainty);
      assertThat(browser.evaluate("document.querySelector('.state-at > p').className").asString())
          .isEqualTo(row == unknown ? "doubt" : "note");
    }
  }

  private static JsonNode first(List<JsonNode> rows, Predicate<JsonNode> wanted) {
    return rows.stream().filter(wanted).findFirst().orElseThrow();
  }

  private static final long HALF_MICROS = 12_000;

  /** The bars at the bent cut are as wide as the intervals of the clocks. */
  @Test
  @Tag("slow")
  void alignedCut_hasBarsOfTheIntervalsOfTheClocks() throws Exception {
    long cut = end - 500_000;
    open("#/nodes");
    browser.evaluate(
        """
        window.bars = [];
        const own = CanvasRenderingContext2D.prototype.fillRect;
        CanvasRenderingContext2D.prototype.fillRect = function (x, y, width, height) {
          if (this.canvas.id === "diagram" && Math.abs(this.globalAlpha - 0.35) < 0.001) {
            bars.push([y, width]);
          }
          own.call(this, x, y, width, height);
        };
        location.hash = "#/timeline?axis=aligned&cut=%d.4095&from=%d&to=%d";
        """
            .formatted(cut, cut - HALF_MICROS, cut + HALF_MICROS));
    waitFor("new Set(bars.map(([y]) => y)).size === 3");
    JsonNode widths =
        browser.evaluate(
            """
            (() => {
              const pixels = document.querySelector("#diagram").clientWidth - 142;
              const last = new Map(bars);
              return [...last.keys()].sort((a, b) => a - b).map((y) => (last.get(y) * 24000) / pixels);
            })()\
            """);
    JsonNode nodes =
        JsonMapper.shared()
            .readTree(
                http.get(
                        "/v1/alignment?points=2&from=%d.0&until=%d.4095"
                            .formatted(cut - HALF_MICROS, cut))
                    .body())
            .get("trail")
            .get("nodes");
    double micros = 2.5 * 2 * HALF_MICROS / 1_100.0; // Bars have whole pixels, at least two.
    int wide = 0;
    for (int i = 0; i < 3; i++) {
      JsonNode offset = nodes.get(i).get("offsets").get(1);
      double expected = offset.get(3).asDouble() - offset.get(1).asDouble();
      assertThat(widths.get(i).asDouble())
          .as(nodes.get(i).get("node").asString())
          .isBetween(expected - micros, expected + micros);
      wide += expected > 100 ? 1 : 0;
    }
    assertThat(wide).isEqualTo(2);
  }

  /** Notes go to a device that the browser grants; without one a sentence says so. */
  @Test
  @Tag("slow")
  void midi_isADevice_orASentence() throws Exception {
    open("#/live");
    browser.evaluate("navigator.requestMIDIAccess = undefined");
    choose("midi");
    waitFor("/No MIDI: this browser has no Web MIDI/.test(document.body.textContent)");
    assertThat(browser.evaluate("document.querySelector('#sound-through').value").asString())
        .isEqualTo("browser");
    browser.evaluate(
        """
        window.sent = [];
        const output = { id: "o1", name: "Synthesizer", send: (bytes) => sent.push(bytes.join()) };
        navigator.requestMIDIAccess = async () => ({ outputs: new Map([["o1", output]]) });
        """);
    choose("midi");
    waitFor("document.querySelector('#sound-through').value === 'o1'");
    browser.evaluate("document.querySelector('.buttons .primary').click()");
    waitFor("sent.includes('192,115')");
    JsonNode played =
        browser.evaluate(
            """
            (async () => {
              const { MidiPlayer } = await import("/console/sound/midi.js");
              const { patches } = await (await fetch("/console/sound/patches.json")).json();
              sent.length = 0;
              const player = new MidiPlayer({ send: (bytes) => sent.push(bytes.join()) }, patches);
              sent.length = 0;
              const note = { patch: "glass", layer: "mark", kind: "mark", key: 69, velocity: 96 };
              const heard = player.play({ ...note, lengthMicros: 300000 }, "r", 5);
              const first = sent.join(" ");
              let count = 0;
              for (let i = 0; i < 100; i++) {
                count += player.play({ ...note, lengthMicros: 1000 }, "r", 5 + i / 1000) ? 1 : 0;
              }
              sent.length = 0;
              player.play({ ...note, lengthMicros: null }, "h", 9);
              player.endRule("h");
              return [heard, first, count, sent.join(" ")];
            })()\
            """);
    assertThat(played.toString())
        .isEqualTo("[true,\"177,10,64 145,69,96 129,69,0\",29,\"177,10,64 145,69,96 129,69,0\"]");
  }

  /** A device sounds until it is sent an end, unlike a page. */
  @Test
  @Tag("slow")
  void midi_holdsNoNoteOfAQueryOrAPageThatIsGone() throws Exception {
    open("#/nodes");
    browser.evaluate(
        """
        window.sent = [];
        const output = { id: "o1", name: "Synthesizer", send: (bytes) => sent.push(bytes.join()) };
        navigator.requestMIDIAccess = async () => ({ outputs: new Map([["o1", output]]) });
        const own = window.fetch;
        const note = { micros: 1, kind: "hold", patch: "glass", layer: "l", key: 69, velocity: 96,
          lengthMicros: null };
        const take = (stream) => (window.hold = () => stream.enqueue(
          new TextEncoder().encode(`event: note.0\\ndata: ${JSON.stringify(note)}\\n\\n`)));
        window.fetch = async (path, options) => path.startsWith("/v1/stream")
          ? new Response(new ReadableStream({ start: take })) : own(path, options);
        location.hash = "#/live?q=a";
        """);
    waitFor("document.querySelector('#sound-through') !== null && window.hold !== undefined");
    choose("midi");
    waitFor("document.querySelector('#sound-through').value === 'o1'");
    browser.evaluate("document.querySelector('.buttons .primary').click()");
    waitFor("sent.includes('192,115')");
    for (String gone :
        List.of(
            "location.hash = '#/live?q=b'",
            "document.querySelector('[aria-label=\"Remove this query\"]').click()")) {
      browser.evaluate("sent.length = 0; hold()");
      waitFor("sent.includes('145,69,96')");
      browser.evaluate(gone);
      waitFor("sent.includes('129,69,0')");
    }
    for (String left :
        List.of("window.dispatchEvent(new Event('pagehide'))", "location.hash = '#/nodes'")) {
      browser.evaluate("sent.length = 0; " + left);
      waitFor("sent.includes('177,123,0')");
    }
  }

  private static void choose(String device) throws InterruptedException {
    browser.evaluate(
        """
        (() => {
          const select = document.querySelector("#sound-through");
          select.value = "%s";
          select.dispatchEvent(new Event("change"));
        })()\
        """
            .formatted(device));
  }

  /** The same state, and the same picture. */
  @Test
  @Tag("slow")
  void permalinkOfAnEpisode_showsItsRise_andTheSamePictureAgain() throws Exception {
    String episode = episodes().get(0).get("episode").asString();
    open("#/timeline?episode=" + encoded(episode));
    waitFor("document.querySelector('.state-at table') !== null");
    assertThat(text("#cut-stamp"))
        .isEqualTo("hlc'" + episode.substring(episode.indexOf('@') + 1) + "'");
    browser.press("+");
    String rise = text("#cut-stamp");
    browser.press("ArrowRight");
    waitFor("document.querySelector('#cut-stamp').textContent !== \"" + rise + "\"");
    waitForQuiet();
    String address = browser.evaluate("location.hash").asString();
    String values = text(".state-at table");
    String picture = picture();
    open(address);
    waitForQuiet();
    assertThat(text(".state-at table")).isEqualTo(values);
    assertThat(picture()).isEqualTo(picture);
    assertThat(browser.evaluate("location.hash").asString()).isEqualTo(address);
  }

  /** Waits until the picture and the address have not changed for a while. */
  private static void waitForQuiet() throws InterruptedException {
    waitFor("document.querySelector('.heading .note').textContent.startsWith('finding ')");
    waitFor("document.querySelector('#stretch').textContent.endsWith('events in view')");
    waitFor("location.hash.includes('from=')");
    waitFor(
        "document.querySelector('.state-at')?.dataset.at ==="
            + " new URLSearchParams(location.hash.split('?')[1]).get('cut')");
    waitFor(
        "document.querySelector('#cut-stamp').textContent ==="
            + " `hlc'${document.querySelector('.state-at').dataset.at}'`");
    String before = "";
    for (String now = sight(); !now.equals(before); now = sight()) {
      before = now;
      Thread.sleep(700);
    }
  }

  private static String sight() throws InterruptedException {
    return picture() + browser.evaluate("location.hash").asString();
  }

  private static String picture() throws InterruptedException {
    return browser
        .evaluate(
            "crypto.subtle.digest('SHA-256', new TextEncoder().encode(document.querySelector("
                + "'#diagram').toDataURL())).then(d => [...new Uint8Array(d)].join())")
        .asString();
  }

  /** What a user has chosen on a page is in its address, which shows the same when it is loaded. */
  @Test
  void permalinkOfAnAnswer_bringsItsStateBack() throws Exception {
    open(
        "#/ask?run=1&q=" + encoded("SELECT version, SPREAD(version) AS behind FROM store LIMIT 9"));
    waitFor("/^9 rows$/.test(document.querySelector('.summary-line strong')?.textContent)");
    select(".chart-heading select", "version");
    assertComesBack(
        "column=version",
        "[document.querySelector('#editor').shadowRoot.querySelector('.cm-content').textContent,"
            + " document.querySelector('#rows table').textContent,"
            + " document.querySelector('.chart-heading').textContent]");
  }

  @Test
  @Tag("slow")
  void permalinkOfEachOtherPage_bringsItsStateBack() throws Exception {
    open("#/live?q=" + encoded(STATEMENT));
    browser.evaluate(
        """
        document.querySelector("#add-query").value = "SELECT leader FROM store";
        document.querySelector("form.add button").click();
        [...document.querySelectorAll("button")].find((b) => /Large/.test(b.textContent)).click();
        """);
    waitFor("document.querySelectorAll('.query').length === 2");
    browser.evaluate(
        """
        [...document.querySelectorAll(".query")][1].querySelectorAll("button[aria-pressed]")[0].click();
        """);
    assertComesBack(
        "muted=1&large=1",
        "[document.querySelector('.live-view').className,"
            + " ...[...document.querySelectorAll('.query code')].map((q) => q.textContent),"
            + " ...[...document.querySelectorAll('.query button[aria-pressed]')]"
            + ".map((b) => b.ariaPressed)]");

    open("#/clocks");
    select(".page.clocks select", "3600");
    assertComesBack("range=3600", "document.querySelector('.page.clocks select').value");

    open("#/alerts");
    browser.evaluate("location.hash = document.querySelector('tbody th a').hash");
    waitFor("document.querySelector('section button:enabled') !== null");
    browser.evaluate("document.querySelector('section button').click()");
    waitFor("location.hash.includes('for=10000')");
    browser.evaluate(
        """
        (() => {
          const slider = document.querySelector("#backtest input");
          slider.value = 150;
          slider.dispatchEvent(new Event("input"));
        })()\
        """);
    assertComesBack(
        "for=(?!10000$)",
        "[document.querySelector('#chosen-heading').textContent,"
            + " document.querySelector('#backtest input').value,"
            + " document.querySelector('#backtest').textContent]");
  }

  /** What was the last minute when a link was copied is another one when it is read. */
  @Test
  void copiedLink_hasStampsForRelativeTimes() throws Exception {
    open("#/ask?q=" + encoded("SELECT version FROM store ON TIME LAST 1m"));
    JsonNode fixed =
        browser.evaluate(
            """
            (async () => {
              const { withFixedTimes } = await import("/console/editor/tokens.js");
              return [
                "SELECT 'NOW', now FROM a ON TIME NOW - 1500ms TO NOW WHEN now = 1 -- NOW",
                "explain cut now-2ms of SELECT now FROM a on time last 3us LIMIT 1",
              ].map((text) => withFixedTimes(text, 9e6));
            })()\
            """);
    assertThat(fixed.toString())
        .isEqualTo(
            "[\"SELECT 'NOW', now FROM a ON TIME hlc'7500000.0' TO hlc'9000000.4095' WHEN now = 1"
                + " -- NOW\",\"explain cut hlc'8998000.4095' of SELECT now FROM a on time"
                + " hlc'8999997.0' TO hlc'9000000.4095' LIMIT 1\"]");
    browser.evaluate(
        """
        window.copied = "";
        navigator.clipboard.writeText = async (text) => { copied = text; };
        [...document.querySelectorAll("button")].find((b) => b.textContent === "Copy link").click();
        """);
    waitFor("copied !== ''");
    String link = browser.evaluate("decodeURIComponent(copied)").asString();
    assertThat(link).matches(".*\\+ON\\+TIME\\+hlc'\\d{16}\\.0'\\+TO\\+hlc'\\d{16}\\.4095'&run=1");
  }

  /** What is exported is the answer; a text is neither a formula nor the end of a shell's word. */
  @Test
  void exports_haveTheRowsOfTheAnswer() throws Exception {
    open("#/nodes");
    JsonNode texts =
        browser.evaluate(
            """
            (async () => {
              const { csvOf, ndjsonOf, curlOf } = await import("/console/pages/exports.js");
              const rows = [{ hlc: "1.0", x: -1, s: "=a" }, { hlc: "2.0", s: 'b,"c', y: null }];
              return [csvOf(rows), ndjsonOf(rows, ["w"]), curlOf("SELECT 'x'", true)];
            })()\
            """);
    assertThat(texts.get(0).asString())
        .isEqualTo("hlc,x,s,y\r\n1.0,-1,'=a,\r\n2.0,,\"b,\"\"c\",\r\n");
    assertThat(texts.get(1).asString().lines())
        .containsExactly(
            "{\"warning\":\"w\"}",
            "{\"hlc\":\"1.0\",\"x\":-1,\"s\":\"=a\"}",
            "{\"hlc\":\"2.0\",\"s\":\"b,\\\"c\",\"y\":null}");
    assertThat(texts.get(2).asString())
        .isEqualTo(
            "curl -sS -H \"Authorization: Bearer $RETROSCOPE_TOKEN\" -H 'Content-Type:"
                + " application/rql' --data-binary 'SELECT '\\''x'\\''' "
                + server.uri().resolve("/v1/query"));
  }

  /** The keys that the help names, beside those of the test without a mouse. */
  @Test
  @Tag("slow")
  void keysOfTheTimeline_doWhatTheHelpSays() throws Exception {
    open("#/timeline?episode=" + encoded(episodes().get(1).get("episode").asString()));
    waitForQuiet();
    String rise = text("#cut-stamp");
    String atRise = "document.querySelector('#cut-stamp').textContent === \"" + rise + "\"";
    browser.press("[");
    waitFor("!(" + atRise + ")");
    browser.press("]");
    waitFor(atRise);
    String stretch = text("#stretch");
    browser.press("-");
    waitFor("document.querySelector('#stretch').textContent !== '" + stretch + "'");
    browser.press("a");
    waitFor("/Aligned/.test(document.querySelector('.buttons [aria-pressed=true]')?.textContent)");
    browser.press("?");
    waitFor("document.querySelector('#help').open");
    browser.evaluate("document.querySelector('#diagram').focus()");
    browser.press("ArrowDown");
    browser.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown',"
            + " { key: 'ArrowRight', shiftKey: true, bubbles: true }))");
    waitFor("!(" + atRise + ")");
    browser.press("g");
    waitFor("document.activeElement.id === 'go-to'");
    type(rise.substring("hlc'".length(), rise.length() - 1));
    browser.press("Enter");
    waitFor(atRise);
  }

  /** A frozen view stays while the stream goes on, and a lost server is a note. */
  @Test
  @Tag("slow")
  void live_frozen_takesEvents_andALostServerIsANote() throws Exception {
    open("#/nodes");
    browser.evaluate(
        """
        window.marks = 0;
        const rect = CanvasRenderingContext2D.prototype.rect;
        CanvasRenderingContext2D.prototype.rect = function (x, y, width, height) {
          marks += this.canvas.id === "notes" ? 1 : 0;
          rect.call(this, x, y, width, height);
        };
        const take = (stream) => {
          window.end = () => stream.error(new Error("gone"));
          window.send = (x) => stream.enqueue(new TextEncoder().encode(
            `event: row.0\\nid: 1\\ndata: ${JSON.stringify({ hlc: `${x}.0`, x })}\\n\\n`));
        };
        const own = window.fetch;
        window.fetch = async (path, options) => path.startsWith("/v1/stream")
          ? new Response(new ReadableStream({ start: take })) : own(path, options);
        location.hash = "#/live?q=SELECT%20STREAM%20x%20FROM%20store";
        """);
    String latest = "document.querySelector('.query .value')?.textContent";
    String words = "document.querySelector('.live-view .buttons p').textContent";
    waitFor("window.send !== undefined && document.querySelector('.query') !== null");
    browser.evaluate("send(1)");
    waitFor(latest + " === 'x 1'");
    browser.press("p");
    browser.evaluate("send(2)");
    browser.evaluate("new Promise((resolve) => setTimeout(resolve, 600))");
    assertThat(browser.evaluate(latest).asString()).isEqualTo("x 1");
    assertThat(browser.evaluate(words).asString()).contains("the view is frozen");
    browser.press("p");
    waitFor(latest + " === 'x 2'");
    assertThat(browser.evaluate("marks").asInt()).isZero();
    browser.evaluate("end()");
    waitFor("/Not up to date/.test(" + words + ")");
    waitFor("marks > 0");
  }

  /** Nothing moves under the eyes of a reader while a page fills. */
  @Test
  @Tag("slow")
  void pagesThatFill_doNotShift() throws Exception {
    for (String page : PAGES) {
      open("#/" + page + (page.equals("ask") ? "?run=1&q=" + encoded(STATEMENT) : ""));
      waitFor(drawn(page));
      double shift =
          browser
              .evaluate(
                  """
                  new Promise((resolve) => {
                    let sum = 0;
                    new PerformanceObserver((list) => {
                      list.getEntries().forEach(({ value }) => (sum += value));
                    }).observe({ type: "layout-shift", buffered: true });
                    setTimeout(() => resolve(sum), 500);
                  })\
                  """)
              .asDouble();
      assertThat(shift).as(page).isLessThan(0.1);
    }
  }

  /** A cut that moves fast is spoken once a second. */
  @Test
  @Tag("slow")
  void announcements_areASecondApart() throws Exception {
    open("#/timeline?episode=" + encoded(episodes().get(1).get("episode").asString()));
    waitForQuiet();
    JsonNode gaps =
        browser.evaluate(
            """
            (async () => {
              const times = [];
              const observer = new MutationObserver(() => times.push(performance.now()));
              observer.observe(document.querySelector("#announcement"), { childList: true });
              for (let i = 0; i < 40; i++) {
                document.querySelector("#diagram").dispatchEvent(
                  new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
                await new Promise((resolve) => setTimeout(resolve, 100));
              }
              return times.slice(1).map((time, i) => time - times[i]);
            })()\
            """);
    assertThat(gaps).isNotEmpty();
    assertThat(gaps).allMatch(gap -> gap.asDouble() > 990);
  }

  @Test
  void nodeThatIsSilent_isNamedInWords() throws Exception {
    open("#/nodes");
    JsonNode missing =
        browser.evaluate(
            """
            (async () => {
              const { nodesOf } = await import("/console/api/nodes.js");
              return (await nodesOf({ get: async () => ({ nodes: [], missing: ["a"] }) })).missing;
            })()\
            """);
    assertThat(missing.toString())
        .isEqualTo("[\"node a is silent: live queries continue without it\"]");
  }

  private static void select(String selector, String value) throws InterruptedException {
    browser.evaluate(
        """
        (() => {
          const select = document.querySelector("%s");
          select.value = "%s";
          select.dispatchEvent(new Event("change"));
        })()\
        """
            .formatted(selector, value));
  }

  /** Loads the address of the page anew, and waits for the same sight. */
  private static void assertComesBack(String inAddress, String sight) throws InterruptedException {
    waitFor("/%s/.test(location.hash)".formatted(inAddress));
    String address = browser.evaluate("location.hash").asString();
    String before = browser.evaluate("JSON.stringify(%s)".formatted(sight)).asString();
    open(address);
    String after =
        "(() => { try { return JSON.stringify(%s); } catch { return ''; } })()".formatted(sight);
    try {
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> same(after, before));
    } catch (ConditionTimeoutException e) {
      assertThat(browser.evaluate(after).asString()).as(address).isEqualTo(before);
    }
    assertThat(browser.evaluate("location.hash").asString()).isEqualTo(address);
  }

  private static boolean same(String expression, String before) throws InterruptedException {
    return browser.evaluate(expression).asString().equals(before);
  }

  /** A clock has no hundred seconds, and no decimal part of a day. */
  @Test
  void axis_hasTimesThatAreRoundOnAClock() throws Exception {
    open("#/nodes");
    JsonNode steps =
        browser.evaluate(
            """
            (async () => {
              const { Scale } = await import("/console/timeline/scale.js");
              return [0.004, 3, 40, 200, 700, 20000, 90000, 900000].map((seconds) => {
                const scale = new Scale(0, seconds * 1e6);
                scale.place(0, 500);
                return scale.ticks(100).step / 1e6;
              });
            })()\
            """);
    assertThat(steps.toString()).isEqualTo("[0.001,1,10,60,300,7200,21600,432000]");
  }

  @Test
  void textOfLogs_isNeverMarkup() throws Exception {
    open("#/ask?run=1&q=" + encoded("SELECT * FROM store"));
    waitFor("document.querySelectorAll('tr[data-row]').length > 3");
    open("#/timeline?cut=" + end + ".0");
    waitFor("document.querySelector('.state-at table') !== null");
    waitFor("document.querySelector('.events') !== null");
    assertThat(text(".events")).contains(ConsoleTraffic.HOSTILE.get(3));
    assertThat(text(".state-at")).contains(ConsoleTraffic.HOSTILE.get(0));
    assertThat(browser.evaluate("document.title").asString()).isEqualTo("Timeline – Retroscope");
    assertThat(
            browser.evaluate("document.querySelectorAll('main script, main img').length").asInt())
        .isZero();
  }

  /** Rows beyond the window are not in the page, and are reached by their number. */
  @Test
  @Tag("slow")
  void table_ofManyRows_keepsFewInThePage() throws Exception {
    open("#/ask?run=1&q=" + encoded("SELECT version FROM store"));
    waitFor("/[0-9]+ rows/.test(document.querySelector('.summary-line').textContent)");
    waitFor("document.querySelector('#rows table')?.getAttribute('aria-rowcount') > 250");
    assertThat(browser.evaluate("document.querySelectorAll('tr[data-row]').length").asInt())
        .isBetween(10, 120);
    browser.evaluate("document.querySelector('tr[data-row]').focus()");
    browser.evaluate(
        "document.activeElement.dispatchEvent("
            + "new KeyboardEvent('keydown', {key: 'End', bubbles: true}))");
    waitFor(
        "document.activeElement.getAttribute('aria-rowindex') ==="
            + " document.querySelector('#rows table').getAttribute('aria-rowcount')");
  }

  /** Between rows that WHEN selects, the values are those of cuts that are not in the answer. */
  @Test
  @Tag("slow")
  void chart_ofSelectedCuts_drawsNoValueBetweenThem() throws Exception {
    open("#/nodes");
    browser.evaluate(
        """
        window.steps = 0;
        const own = CanvasRenderingContext2D.prototype.lineTo;
        CanvasRenderingContext2D.prototype.lineTo = function (x, y) {
          steps += this.canvas.id === "chart" && this.lineWidth === 1.75 ? 1 : 0;
          own.call(this, x, y);
        };
        """);
    String all = "SELECT SPREAD(version) AS behind FROM store";
    for (String query : List.of(all + " WHEN SPREAD(version) >= 2", all)) {
      assertThat(browser.evaluate("steps").asInt()).as(query).isZero();
      browser.evaluate(
          "location.hash = '#/ask?run=1&q=" + encoded(query).replace("+", "%20") + "'");
      waitFor("document.querySelectorAll('tr[data-row]').length > 3");
      waitFor("/[0-9]+ rows$/.test(document.querySelector('.summary-line strong').textContent)");
    }
    waitFor("steps > 10");
  }

  @Test
  void diagnostics_areTheServers() throws Exception {
    open("#/ask?q=" + encoded("SELECT verson FROM store"));
    waitFor(
        "document.querySelector('#editor').shadowRoot.querySelector('.cm-lintRange-error')"
            + " !== null");
    assertThat(
            browser
                .evaluate(
                    "document.querySelector('#editor').shadowRoot"
                        + ".querySelector('.cm-lintRange-error').textContent")
                .asString())
        .isEqualTo("verson");
    browser.pressWithCtrl("Enter");
    browser.evaluate("document.querySelector('.buttons .primary').click()");
    waitFor("document.querySelector('.answer pre.problem') !== null");
    String printed =
        JsonMapper.shared()
            .readTree(http.query("SELECT verson FROM store").body())
            .get("text")
            .asString();
    assertThat(text(".answer pre.problem")).isEqualTo(printed);
  }

  @Test
  @Tag("slow")
  void readToken_isAskedOnce_andOffersNothingThatChanges() throws Exception {
    String token = "t".repeat(32);
    String admin = "a".repeat(32);
    Path file =
        Files.writeString(
            directory.resolve("tokens"), "web read " + token + "\nops admin " + admin + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    AccessOptions access = AccessOptions.DEFAULT.withTokenFile(file);
    try (LogServer closed =
        LogServer.start(
            ServerConfig.in(directory.resolve("closed")).port(0).access(access).build())) {
      URI address = closed.uri();
      RawHttp.Reply created =
          new RawHttp(closed.port())
              .send(
                  "POST",
                  "/v1/query",
                  ALERT,
                  "Content-Type: application/rql",
                  "Authorization: Bearer " + admin);
      assertThat(created.status()).isEqualTo(200);
      browser.open(address.resolve("/#/alerts"), "document.querySelector('dialog[open]') !== null");
      type("tök");
      browser.press("Enter");
      waitFor("document.querySelector('dialog[open] .problem') !== null");
      type(token);
      browser.press("Enter");
      waitFor("document.querySelector('.alert-state') !== null");
      assertThat(text("main")).doesNotContain("Acknowledge").doesNotContain("actions");
      browser.evaluate("location.hash = '#/nodes'");
      waitFor("document.querySelector('.page.nodes .facts') !== null");
      assertThat(browser.evaluate("document.querySelector('dialog') === null").asBoolean())
          .isTrue();
      assertThat(browser.evaluate("location.href").asString()).doesNotContain(token);
      assertThat(browser.requests()).hasSizeGreaterThan(10);
      assertThat(browser.requests()).noneMatch(sent -> sent.contains(token));
    }
  }

  /** Each patch gives energy at its key; nothing is heard when muted; a storm stays bearable. */
  @Test
  @Tag("slow")
  void sound_hasThePitchOfItsNotes_andALimit() throws Exception {
    open("#/nodes");
    JsonNode figures = browser.evaluate(SOUND);
    for (JsonNode patch : figures.get("patches")) {
      assertThat(patch.get("share").asDouble())
          .as(patch.get("name").asString())
          .isGreaterThan(0.02);
    }
    assertThat(figures.get("patches").size()).isEqualTo(10);
    assertThat(figures.get("muted").asDouble()).isZero();
    assertThat(figures.get("storm").asDouble()).isBetween(0.05, 0.99);
    assertThat(figures.get("played").asInt()).isBetween(1, 60);
  }

  private static final String SOUND =
      """
      (async () => {
        const { Player } = await import("/console/sound/player.js");
        const { patches } = await (await fetch("/console/sound/patches.json")).json();
        const rate = 48000;
        const note = (patch, key) => ({
          patch, key, velocity: 96, pan: 0, lengthMicros: 300000, layer: "mark", kind: "mark",
        });
        const render = async (seconds, play) => {
          const context = new OfflineAudioContext(2, seconds * rate, rate);
          play(new Player(context, patches), context);
          return (await context.startRendering()).getChannelData(0);
        };
        /* The share of the energy within half a tone around a frequency (Goertzel). */
        const energyAt = (frames, hz) => {
          const w = (2 * Math.PI * hz) / rate;
          let [re, im] = [0, 0];
          frames.forEach((x, i) => { re += x * Math.cos(w * i); im += x * Math.sin(w * i); });
          const total = frames.reduce((sum, x) => sum + x * x, 0);
          return (2 * (re * re + im * im)) / (frames.length * Math.max(total, 1e-12));
        };
        const result = { patches: [] };
        for (const patch of patches.filter((p) => p.tuningCents === 100)) {
          const frames = await render(0.5, (player) => player.play(note(patch.name, 69), "r", 0));
          const shares = [1, ...patch.partials.map((p) => p.ratio)].map((r) =>
            energyAt(frames.subarray(0, rate / 4), 440 * r));
          result.patches.push({ name: patch.name, share: Math.max(...shares) });
        }
        const peak = (frames) => frames.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
        result.muted = peak(await render(0.5, (player) => {
          player.muted = true;
          player.play(note("wood", 69), "r", 0.1);
        }));
        let played = 0;
        result.storm = peak(await render(2, (player) => {
          for (let i = 0; i < 2000; i++) {
            const loud = { ...note("reed", 48 + (i % 24)), velocity: 127, lengthMicros: 900000 };
            played += player.play(loud, "r", i / 1000) ? 1 : 0;
          }
        }));
        result.played = played;
        return result;
      })()\
      """;
}
