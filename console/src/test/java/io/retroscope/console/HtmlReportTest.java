package io.retroscope.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
  private static final int MAX_BYTES = 2 * 1024 * 1024;

  private static final Pattern IMPORTED = Pattern.compile("from \"\\./([a-z]+\\.js)\"");

  @Test
  void modules_importOnlyThoseBeforeThem() {
    Set<String> before = new HashSet<>();
    for (String module : ReportPage.MODULES) {
      Matcher imported = IMPORTED.matcher(ReportPage.resource(module));
      while (imported.find()) {
        assertThat(before).as(module).contains("timeline/" + imported.group(1));
      }
      before.add(module);
    }
  }

  @Test
  void policy_hasTheHashesOfTheScriptAndTheStyleAndAllowsNothingElse() throws Exception {
    String page = page(10, 100);
    String policy = between(page, "Content-Security-Policy\" content=\"", "\"");
    assertThat(policy).startsWith("default-src 'none'; ");
    assertThat(policy)
        .contains("script-src 'sha256-" + hash(between(page, "<script>", "</script>")));
    assertThat(policy).contains("style-src 'sha256-" + hash(between(page, "<style>", "</style>")));
    assertThat(policy).doesNotContain("unsafe", "http", "*");
    assertThat(page).doesNotContain("http://", "https://", " src=", " style=");
  }

  @Test
  void eventsThatDoNotFit_areLeftOutAndCounted() throws Exception {
    assertThat(data(page(10, 100))).contains("All 10 events are in this page.");
    assertThat(data(page(1_000, 100)))
        .contains("Left out: of 1,000 events, this page has about 100");
  }

  @Test
  void largeValues_leaveFewerEvents() throws Exception {
    List<Event> recorded = new ArrayList<>();
    Random random = new Random(46);
    for (int i = 0; i < 2_000; i++) {
      byte[] noise = new byte[1_400];
      random.nextBytes(noise);
      String text = Base64.getEncoder().encodeToString(noise);
      recorded.add(line(i, text));
    }
    String page = page(recorded, HtmlReport.MAX_EVENTS);
    assertThat(page.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(MAX_BYTES);
    assertThat(data(page)).contains("Left out: of 2,000 events");
  }

  @Test
  void missingEvents_areReasonsAndStretches() throws Exception {
    List<Event> recorded = List.of(line(0, "first"), line(100, "last"));
    HlcRange lost = new HlcRange(HlcTimestamp.pack(1_000_100), HlcTimestamp.pack(1_000_200));
    EventSource events =
        new InMemoryEventSource(
            recorded, List.of(new Gap("n0", lost, 7)), List.of(), ClockOffsets.UNKNOWN);
    StringWriter out = new StringWriter();
    new HtmlReport("events", List.of()).write(events, out);
    assertThat(data(out.toString()))
        .contains("events of node n0 are lost")
        .contains("\"stretches\":[[\"n0\",1000100,1000200]]");
  }

  @Test
  void usualCase_fitsIntoTwoMegabytes() throws Exception {
    assertThat(page(60_000, 60_000).getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(MAX_BYTES);
  }

  private static String page(int events, int most) throws IOException {
    List<Event> recorded = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      recorded.add(line(i, "line " + i % 100));
    }
    return page(recorded, most);
  }

  private static Event line(int number, String text) {
    long hlc = HlcTimestamp.pack(1_000_000 + number * 37L);
    return new Event("n" + number % 5, "t", hlc, new LogLine(text, Map.of()));
  }

  private static String page(List<Event> recorded, int most) throws IOException {
    StringWriter out = new StringWriter();
    new HtmlReport("events", List.of(), most)
        .write(new InMemoryEventSource(recorded, ClockOffsets.UNKNOWN), out);
    return out.toString();
  }

  /** The data of a page, unpacked. */
  private static String data(String page) throws IOException {
    String packed = between(page, "id=\"data\">", "</script>");
    try (InputStream in =
        new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(packed)))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String between(String text, String start, String end) {
    int from = text.indexOf(start) + start.length();
    return text.substring(from, text.indexOf(end, from));
  }

  private static String hash(String text) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    return Base64.getEncoder().encodeToString(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
  }
}
