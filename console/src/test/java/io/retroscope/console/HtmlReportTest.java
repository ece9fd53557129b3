// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
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
    assertThat(page(10, 100)).contains("All 10 events are in this page.");
    assertThat(page(1_000, 100)).contains("Left out: of 1,000 events, this page has about 100");
  }

  @Test
  void usualCase_fitsIntoTwoMegabytes() throws Exception {
    assertThat(page(60_000, 60_000).getBytes(StandardCharsets.UTF_8))
        .hasSizeLessThan(2 * 1024 * 1024 + 300_000);
  }

  private static String page(int events, int most) throws IOException {
    List<Event> recorded = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      LogLine line = new LogLine("line " + i % 100, Map.of());
      recorded.add(new Event("n" + i % 5, "t", HlcTimestamp.pack(1_000_000 + i * 37L), line));
    }
    StringWriter out = new StringWriter();
    new HtmlReport("events", List.of(), most)
        .write(new InMemoryEventSource(recorded, ClockOffsets.UNKNOWN), out);
    return out.toString();
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
