// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.contract.browser.HeadlessBrowser;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.print.ValueText;
import io.retroscope.rql.rule.EpisodeExplanations;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Tests of the page in a browser. Without one they are skipped, unless {@code
 * RETROSCOPE_REQUIRE_BROWSER} is 1.
 */
class ReportBrowserTest {
  private static final String RULE =
      "CREATE RULE two AS (NEVER COUNT n IN NODES : (x@n >= 8) >= 2 FROM t);";

  /** Names that a page could take for markup, for a direction of writing, or for all its width. */
  private static final List<String> HOSTILE =
      List.of(
          "<script>document.title='taken'</script>",
          "</script><img src=x onerror=alert(1)>",
          "\"quoted\" & 'single' `back`",
          "\u202Ereversed \u2066 isolated",
          "{{script}}");

  private static final String AXE = resource("/axe.min.js");

  /** Each clock but that of node a is 2 ms behind, within 0.5 to 4 ms. */
  private static final ClockOffsets BEHIND =
      new ClockOffsets() {
        @Override
        public Optional<String> referenceNode() {
          return Optional.of("a");
        }

        @Override
        public Optional<Offset> offset(String node, long hlc) {
          OptionalLong none = OptionalLong.of(0);
          return Optional.of(
              node.equals("a")
                  ? new Offset(0, none, none)
                  : new Offset(2_000, OptionalLong.of(500), OptionalLong.of(4_000)));
        }
      };

  @TempDir private static Path folder;

  private static HeadlessBrowser browser;

  private static String resource(String name) {
    try (InputStream in = ReportBrowserTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @BeforeAll
  static void startBrowser() throws IOException, InterruptedException {
    if (!"1".equals(System.getenv("RETROSCOPE_REQUIRE_BROWSER"))) {
      assumeThat(HeadlessBrowser.program())
          .as("a browser: apt-get install chromium, or another package that has one")
          .isPresent();
    }
    browser = HeadlessBrowser.start();
  }

  @AfterAll
  static void closeBrowser() throws IOException, InterruptedException {
    if (browser != null) {
      browser.close();
    }
  }

  @Test
  void tableAtRandomCuts_equalsSelectOnTimeAndBruteForce() throws Exception {
    compareCuts(60, 46);
  }

  @Tag("slow")
  @Test
  void tableAtThousandRandomCuts_equalsSelectOnTimeAndBruteForce() throws Exception {
    for (long seed = 1; seed <= 10; seed++) {
      compareCuts(100, seed);
    }
  }

  private static void compareCuts(int cuts, long seed) throws Exception {
    Random random = new Random(seed);
    List<Event> events = events(random, 600);
    LocalSession session = session(events);
    browser.open(page(session), "");
    for (int i = 0; i < cuts; i++) {
      Event event = events.get(random.nextInt(events.size()));
      boolean exact = random.nextBoolean();
      long micros = HlcTimestamp.micros(event.hlc()) + (exact ? 0 : random.nextInt(90));
      long hlc = Math.min(last(events), HlcTimestamp.pack(micros, exact ? 0 : random.nextInt(3)));
      String stamp = HlcTimestamp.text(hlc);
      browser.evaluate("location.hash = '#cut=%s'".formatted(stamp));
      browser.waitFor(
          "document.getElementById('cut-stamp').textContent === \"hlc'%s'\"".formatted(stamp));
      String description = "seed " + seed + ", cut " + stamp;
      assertThat(shownValues()).as(description).isEqualTo(selected(session, stamp));
      assertThat(
              browser
                  .evaluate("document.getElementById('in-flight-heading').textContent")
                  .asString())
          .as(description)
          .isEqualTo("In flight: " + inFlight(events, hlc));
    }
  }

  @Test
  void page_asFile_violatesNoPolicyAndRequestsNothing() throws Exception {
    Path page = page(session(events(new Random(1), 200)));
    browser.open(page, "");
    browser.press("ArrowRight");
    browser.press("+");
    assertThat(browser.requests()).containsExactly(page.toUri().toString());
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void hostileNames_areTextAndKeepTheLayout() throws Exception {
    List<Event> events = new ArrayList<>();
    long micros = 1_000;
    for (String name : HOSTILE) {
      String node = name.replaceAll("\\p{Cntrl}", "");
      events.add(set(node, micros++, name, Value.of(name + "x".repeat(10_000))));
      events.add(
          new Event(
              node,
              "t",
              HlcTimestamp.pack(micros++),
              new EventBody.LogLine(name + "y".repeat(10_000), Map.of())));
    }
    Path page = page(session(events));
    browser.show("light", 390, 844);
    browser.open(page, "");
    assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth").asBoolean())
        .as("on a phone")
        .isTrue();
    browser.show("light", 1280, 900);
    browser.open(page, "");
    assertThat(browser.complaints()).isEmpty();
    assertThat(browser.evaluate("document.title").asString()).startsWith("Retroscope");
    assertThat(browser.evaluate("document.scripts.length").asInt()).isEqualTo(2);
    assertThat(browser.evaluate("document.querySelectorAll('img').length").asInt()).isZero();
    assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth").asBoolean())
        .isTrue();
    assertThat(
            browser
                .evaluate(
                    "[...document.querySelectorAll('#values thead th')].map(c => c.textContent)")
                .toString())
        .contains("<script>document.title='taken'</script>");
  }

  @Test
  void keys_stepCutsZoomAndEpisodes() throws Exception {
    browser.open(page(session(events(new Random(3), 300))), "");
    String first = cut();
    browser.press("ArrowRight");
    String second = cut();
    assertThat(stamp(second)).isGreaterThan(stamp(first));
    browser.press("ArrowLeft");
    assertThat(cut()).isEqualTo(first);
    String stretch = stretch();
    browser.press("+");
    assertThat(stretch()).isNotEqualTo(stretch);
    browser.press("0");
    browser.press("]");
    assertThat(cut()).isNotEqualTo(first);
    browser.press("[");
    assertThat(cut()).isEqualTo(first);
  }

  @Test
  void draggedLine_inTheOrderOfStamps_neverCrossesAMessageBackwards() throws Exception {
    List<Event> events = events(new Random(5), 300);
    browser.show("light", 1280, 900);
    browser.open(page(session(events)), "");
    browser.press("0");
    JsonNode box =
        browser.evaluate(
            "(() => { document.getElementById('diagram').scrollIntoView();"
                + " const b = document.getElementById('diagram').getBoundingClientRect();"
                + " return [b.left, b.top, b.width]; })()");
    double left = box.get(0).asDouble();
    double y = box.get(1).asDouble() + 60;
    browser.mouse("mousePressed", left + 140, y);
    long last = HlcTimestamp.MIN_PACKED;
    for (int x = 150; x < box.get(2).asDouble() - 20; x += 60) {
      browser.mouse("mouseMoved", left + x, y);
      long hlc = stamp(cut());
      assertThat(hlc).isGreaterThan(last);
      last = hlc;
      long backwards = pairs(events).stream().filter(m -> m[1] <= hlc && m[0] > hlc).count();
      assertThat(backwards).isZero();
      assertThat(
              browser
                  .evaluate("document.getElementById('in-flight-heading').textContent")
                  .asString())
          .isEqualTo("In flight: " + inFlight(events, hlc));
    }
    browser.mouse("mouseReleased", left + 400, y);
  }

  @Test
  void permalink_opened_showsTheSameStateAndPicture() throws Exception {
    Path page = page(session(events(new Random(7), 300)));
    browser.show("light", 1000, 900);
    browser.open(page, "");
    browser.press("ArrowRight");
    browser.waitFor("location.hash.includes('cut=" + cut().replaceAll("[^0-9.]", "") + "')");
    String moved = browser.evaluate("location.hash").asString();
    browser.press("+");
    browser.waitFor("location.hash !== '" + moved + "'");
    String address = browser.evaluate("location.hash").asString();
    Map<String, String> values = shownValues();
    String picture = drawing();
    browser.open(page, address);
    assertThat(shownValues()).isEqualTo(values);
    assertThat(drawing()).isEqualTo(picture);
    browser.evaluate(
        "document.getElementById('diagram').dispatchEvent("
            + "new WheelEvent('wheel', { deltaY: -1, ctrlKey: true, clientX: 500 }))");
    browser.waitFor("location.hash !== '" + address + "'");
  }

  @Test
  void axe_findsNoViolation_inLightAndDark() throws Exception {
    Path page = page(doubtful(events(new Random(9), 200)));
    assertAccessible(page, "light", 1280);
    assertAccessible(page, "dark", 390);
  }

  private static void assertAccessible(Path page, String scheme, int width) throws Exception {
    browser.show(scheme, width, 900);
    browser.open(page, "");
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)");
    browser.evaluate(AXE);
    JsonNode violations =
        browser.evaluate(
            "axe.run(document).then(r => r.violations.map("
                + "v => v.id + ': ' + v.nodes.map(n => n.html).join(' ').slice(0, 300)))");
    assertThat(violations.toString()).as(scheme + ", " + width).isEqualTo("[]");
  }

  @Test
  void everyControl_isReachedAndUsed_byKeyboardAlone() throws Exception {
    browser.show("light", 1280, 900);
    browser.open(page(session(events(new Random(3), 300))), "");
    int controls =
        browser
            .evaluate(
                "[...document.querySelectorAll('button, input, summary, [tabindex=\"0\"]')]"
                    + ".filter(e => e.checkVisibility()).length")
            .asInt();
    browser.evaluate("window.reached = new Set()");
    for (int i = 0; i <= controls; i++) {
      browser.press("Tab");
      browser.evaluate("reached.add(document.activeElement)");
    }
    assertThat(
            browser
                .evaluate(
                    "[...document.querySelectorAll('button, input, summary,"
                        + " [tabindex=\"0\"]')].filter(e => e.checkVisibility() &&"
                        + " !reached.has(e)).map(e => e.outerHTML)")
                .toString())
        .isEqualTo("[]");
    String first = cut();
    browser.evaluate("document.querySelectorAll('button.episode')[1].focus()");
    browser.press("Enter");
    assertThat(cut()).isNotEqualTo(first);
    browser.press("g");
    for (char key : "1500.0".toCharArray()) {
      browser.press(String.valueOf(key));
    }
    browser.press("Enter");
    assertThat(cut()).isEqualTo("hlc'1500.0'");
  }

  @Test
  void alignedTime_hasTheTimesAndIntervalsOfTheAlignment() throws Exception {
    List<Event> events = new ArrayList<>();
    Random random = new Random(11);
    for (int i = 0; i < 200; i++) {
      long micros = 1_000_000 + i * 1_000L;
      String node = random.nextBoolean() ? "a" : "b";
      long reading = micros - random.nextInt(300);
      EventBody body = new EventBody.LogLine("line " + i, Map.of());
      events.add(new Event(node, "t", HlcTimestamp.pack(micros), reading, i + 1, Set.of(), body));
    }
    InMemoryEventSource source = new InMemoryEventSource(events, BEHIND);
    Path page = page(new LocalSession("events", source, QueryLimits.DEFAULT));
    browser.open(page, "");
    assertThat(browser.evaluate("document.getElementById('axis').hidden").asBoolean()).isFalse();
    String straight = drawing();
    browser.press("a");
    assertThat(drawing()).isNotEqualTo(straight);
    browser.waitFor("location.hash.includes('axis=aligned')");
    browser.evaluate(modulesOf("stamp", "recording"));
    browser.evaluate("recordingOf(document.getElementById('data').textContent).then(r => got = r)");
    for (int i = 0; i < events.size(); i++) {
      CutTime time = CutTime.of(events.get(i), BEHIND);
      assertThat(browser.evaluate("got.aligned[%d]".formatted(i)).asLong())
          .isEqualTo(time.micros());
      if (i % 20 == 0) {
        JsonNode interval =
            browser.evaluate("got.intervalOfCut(got.node[%1$d], got.stampOf(%1$d))".formatted(i));
        assertThat(interval.get(0).asLong()).isEqualTo(time.origin().lowMicros());
        assertThat(interval.get(1).asLong()).isEqualTo(time.origin().highMicros());
      }
    }
  }

  /** Modules of the page as globals, beside the page's own ones, which nothing can reach. */
  private static String modulesOf(String... names) {
    StringBuilder script = new StringBuilder();
    for (String name : names) {
      script.append(ReportPage.resource("timeline/" + name + ".js"));
    }
    return script.toString().replaceAll("(?m)^import [^;]*;\n", "").replace("export ", "")
        + """
        ;globalThis.recordingOf = async (packed) => {
          const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
          const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
          return new Recording(JSON.parse(await new Response(stream).text()).recording);
        };
        globalThis.got = null;\
        """;
  }

  /** Prints the times of a page with 100,000 events, which are asserted nowhere. */
  @Tag("slow")
  @Test
  void hundredThousandEvents_printTheirTimes() throws Exception {
    browser.show("light", 1280, 900);
    browser.runBefore(
        """
        new MutationObserver((changes, observer) => {
          if (document.documentElement.dataset.state === "ready") {
            observer.disconnect();
            requestAnimationFrame(() => setTimeout(() => (window.firstPicture = performance.now())));
          }
        }).observe(document, { attributes: true, subtree: true });\
        """);
    browser.open(page(session(many(100_000))), "");
    browser.waitFor("window.firstPicture > 0");
    browser.press("0");
    JsonNode box =
        browser.evaluate(
            "(() => { document.getElementById('diagram').scrollIntoView();"
                + " const b = document.getElementById('diagram').getBoundingClientRect();"
                + " return [b.left, b.top, b.width]; })()");
    browser.mouse("mousePressed", box.get(0).asDouble() + 200, box.get(1).asDouble() + 60);
    JsonNode times =
        browser.evaluate(
            """
            (async () => {
              const canvas = document.getElementById("diagram");
              const box = canvas.getBoundingClientRect();
              const times = [];
              for (let i = 0; i < 200; i++) {
                const clientX = box.left + 150 + ((i * 37) % (box.width - 170));
                const began = performance.now();
                canvas.dispatchEvent(new PointerEvent("pointermove", { clientX }));
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                times.push(performance.now() - began);
              }
              times.sort((a, b) => a - b);
              return [times[100], times[190], firstPicture];
            })()\
            """);
    browser.mouse("mouseReleased", box.get(0).asDouble() + 200, box.get(1).asDouble() + 60);
    System.out.printf(
        Locale.ROOT,
        "%s: first picture after %.0f ms; dragging: median %.0f ms, p95 %.0f ms%n",
        browser.evaluate("document.getElementById('stretch').textContent").asString(),
        times.get(2).asDouble(),
        times.get(0).asDouble(),
        times.get(1).asDouble());
  }

  /** Values, lines and messages of ten nodes. */
  private static List<Event> many(int count) {
    List<Event> events = new ArrayList<>();
    Random random = new Random(13);
    for (int i = 0; events.size() < count; i++) {
      long micros = 1_000_000 + i * 100L;
      String node = "n" + random.nextInt(10);
      switch (random.nextInt(4)) {
        case 0 -> {
          String to = "n" + random.nextInt(10);
          events.add(event(node, micros, new EventBody.Send(to, "m" + i)));
          long later = micros + 50 + 100L * random.nextInt(40);
          events.add(event(to, later, new EventBody.Receive(node, "m" + i)));
        }
        case 1 -> events.add(event(node, micros, new EventBody.LogLine("line " + i, Map.of())));
        default -> events.add(set(node, micros, "x", Value.of(random.nextInt(9))));
      }
    }
    return events;
  }

  private static String drawing() throws InterruptedException {
    return browser.evaluate("document.getElementById('diagram').toDataURL()").asString();
  }

  private static String cut() throws InterruptedException {
    return browser.evaluate("document.getElementById('cut-stamp').textContent").asString();
  }

  private static long stamp(String literal) {
    return HlcTimestamp.parse(literal);
  }

  private static String stretch() throws InterruptedException {
    return browser.evaluate("document.getElementById('stretch').textContent").asString();
  }

  /** The texts in the table of the page by variable and node. */
  private static Map<String, String> shownValues() throws InterruptedException {
    JsonNode rows =
        browser.evaluate(
            "[...document.querySelectorAll('#values tr')].map("
                + "r => [...r.children].map(c => c.textContent))");
    Map<String, String> shown = new TreeMap<>();
    JsonNode nodes = rows.get(0);
    for (int row = 1; row < rows.size(); row++) {
      for (int i = 1; i < nodes.size(); i++) {
        String text = rows.get(row).get(i).asString();
        if (!text.isEmpty()) {
          shown.put(rows.get(row).get(0).asString() + "@" + nodes.get(i).asString(), text);
        }
      }
    }
    return shown;
  }

  /** The values of SELECT * ON TIME at a stamp. */
  private static Map<String, String> selected(LocalSession session, String stamp)
      throws IOException {
    Map<String, String> selected = new TreeMap<>();
    session.run(
        "SELECT * FROM t ON TIME hlc'%s'".formatted(stamp),
        new RowSink() {
          private List<Column> columns = List.of();

          @Override
          public void columns(List<Column> named) {
            columns = named;
          }

          @Override
          public boolean row(Row row) {
            for (int i = 0; i < columns.size(); i++) {
              if (row.values().get(i) instanceof StructValue values) {
                String name = columns.get(i).name();
                values
                    .fields()
                    .forEach(
                        (node, value) ->
                            selected.put("t." + name + "@" + node, ValueText.of(value)));
              }
            }
            return true;
          }

          @Override
          public void warning(String message) {}
        });
    return selected;
  }

  private static long last(List<Event> events) {
    return events.stream().mapToLong(Event::hlc).max().orElseThrow();
  }

  /** Sends up to a stamp that are received after it. */
  private static long inFlight(List<Event> events, long hlc) {
    return pairs(events).stream().filter(m -> m[0] <= hlc && m[1] > hlc).count();
  }

  private static List<long[]> pairs(List<Event> events) {
    List<long[]> pairs = new ArrayList<>();
    for (Event send : events) {
      for (Event receipt : events) {
        if (send.body() instanceof EventBody.Send sent
            && receipt.body() instanceof EventBody.Receive received
            && sent.id().equals(received.id())) {
          pairs.add(new long[] {send.hlc(), receipt.hlc()});
        }
      }
    }
    return pairs;
  }

  private static LocalSession session(List<Event> events) {
    return new LocalSession(
        "events", new InMemoryEventSource(events, ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
  }

  /** The same events, of which some are known to be lost. */
  private static LocalSession doubtful(List<Event> events) {
    HlcRange lost = new HlcRange(HlcTimestamp.pack(5_000), HlcTimestamp.pack(9_000));
    return new LocalSession(
        "events",
        new InMemoryEventSource(events, List.of(new Gap("b", lost, 3)), List.of(), BEHIND),
        QueryLimits.DEFAULT);
  }

  private static Path page(LocalSession session) throws IOException {
    RuleSet set = new RuleSet();
    set.add("rules.rql", RULE);
    Rule rule = set.rules().get(0);
    RuleResult result = new RuleCheck(session, "", () -> 0).check(rule);
    EpisodeExplanations explanations = new EpisodeExplanations(session, "");
    ReportedRule reported =
        new ReportedRule(
            explanations.explained(rule, result, 2), explanations.episodes(rule, result, 20));
    Path page = Files.createTempFile(folder, "report", ".html");
    try (Writer out = Files.newBufferedWriter(page)) {
      new HtmlReport(session.target(), List.of(reported)).write(session.events(), out);
    }
    return page;
  }

  private static Event set(String node, long micros, String variable, Value value) {
    return new Event(
        node,
        "t",
        HlcTimestamp.pack(micros),
        new EventBody.StateChange(List.of(new Change(Operation.SET, variable, value))));
  }

  /** Changes of all kinds, lines, messages, starts and stops of four nodes, from 1 ms on. */
  private static List<Event> events(Random random, int count) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long micros = 1_000 + i * 100L;
      String node = "abcd".substring(random.nextInt(4)).substring(0, 1);
      switch (random.nextInt(10)) {
        case 0 -> {
          String to = "abcd".substring(random.nextInt(4)).substring(0, 1);
          String id = "m" + i;
          events.add(event(node, micros, new EventBody.Send(to, id)));
          long later = micros + 50 + random.nextInt(4_000);
          events.add(event(to, later / 100 * 100 + 1 + i % 98, new EventBody.Receive(node, id)));
        }
        case 1 -> events.add(event(node, micros, new EventBody.LogLine("line " + i, Map.of())));
        case 2 ->
            events.add(
                event(
                    node,
                    micros,
                    new EventBody.Start(
                        "run" + i, HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE)));
        case 3 ->
            events.add(
                event(node, micros, change(Operation.ADD, "s", Value.setOf(Value.of(i % 7)))));
        case 4 ->
            events.add(
                event(node, micros, change(Operation.REMOVE, "s", Value.setOf(Value.of(i % 7)))));
        case 5 ->
            events.add(event(node, micros, change(Operation.UNSET, "x", Value.NullValue.NULL)));
        default -> events.add(set(node, micros, "x", Value.of(random.nextInt(12))));
      }
    }
    return events;
  }

  private static Event event(String node, long micros, EventBody body) {
    return new Event(node, "t", HlcTimestamp.pack(micros), body);
  }

  private static EventBody change(Operation operation, String variable, Value value) {
    return new EventBody.StateChange(List.of(new Change(operation, variable, value)));
  }
}
