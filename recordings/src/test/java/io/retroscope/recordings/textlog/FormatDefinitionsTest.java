// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.ReadingSource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FormatDefinitionsTest {
  /** In the form of lnav, with fields that only lnav uses. */
  private static final String ORDERS =
      """
      {"$schema": "https://lnav.org/schemas/format-v1.schema.json",
       "orders": {
         "title": "orders", "description": "x", "url": "http://127.0.0.1/", "multiline": true,
         "file-pattern": "shop.*",
         "regex": {
           "std": {"pattern": "^(?<timestamp>[^|]+)\\\\|(?<level>\\\\w+)\\\\|(?<host>\\\\w+)\\\\|(?<size>\\\\d+)\\\\|(?<body>.*)$"},
           "short": {"pattern": "^(?<timestamp>[^|]+)\\\\|(?<body>.*)$"}},
         "timestamp-format": ["%d.%m.%Y %H:%M:%S,%L", "%s"],
         "level-field": "level",
         "level": {"error": "ERR|BAD", "info": "OK"},
         "opid-field": "x", "ordered-by-time": false,
         "value": {"size": {"kind": "integer", "identifier": true}},
         "retroscope": {"node": "host", "set": ["state is (?<state>\\\\w+)"]},
         "sample": [{"line": "20.11.2026 18:40:00,123|OK|n1|7|state is open", "level": "info"}]}}
      """;

  private static List<ClockReading> read(String definitions, String path, String... lines)
      throws IOException {
    TextLogSettings settings =
        new TextLogSettings(
            FormatCatalog.with("formats.json", definitions),
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            NodeNaming.BY_FILE,
            "app",
            MessageRules.NONE);
    byte[] bytes = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
    TextLog log = TextLog.recognize(path, bytes, settings).orElseThrow().of("file");
    List<ClockReading> readings = new ArrayList<>();
    try (ReadingSource source = log.open(new ByteArrayInputStream(bytes), Vocabulary.learning())) {
      for (ClockReading next = source.next(); next != null; next = source.next()) {
        readings.add(next);
      }
    }
    return readings;
  }

  @Test
  void definitionOfLnav_isUsedUnchanged() throws IOException {
    List<ClockReading> readings =
        read(
            ORDERS,
            "shop.log",
            "20.11.2026 18:40:00,123|BAD|n1|7|state is open",
            "  more",
            "1795200001|only a message");

    assertThat(readings).extracting(ClockReading::node).containsExactly("n1", "file");
    assertThat(readings)
        .extracting(ClockReading::micros)
        .containsExactly(1_795_200_000_123_000L, 1_795_200_001_000_000L);
    assertThat(readings.get(0).bodies()).hasSize(2);
    assertThat(readings.get(0).bodies().get(0)).isInstanceOf(EventBody.StateChange.class);
    assertThat(readings.get(0).bodies().get(1))
        .isEqualTo(
            new EventBody.LogLine(
                "state is open\n  more", Map.of("level", Value.of("ERROR"), "size", Value.of(7))));
  }

  @Test
  void filePattern_excludesOtherFiles() throws IOException {
    assertThatThrownBy(() -> read(ORDERS, "other.log", "20.11.2026|OK|n1|7|x"))
        .isInstanceOf(java.util.NoSuchElementException.class);
  }

  @Test
  void definitionOfJson_namesItsFields() throws IOException {
    List<ClockReading> readings =
        read(
            """
            {"mine": {"file-type": "json", "timestamp-field": "meta/when", "timestamp-divisor": 1000,
             "level-field": "sev", "body-field": "text", "retroscope": {"node": "meta/who"}}}
            """,
            "a.log",
            "{\"meta\":{\"when\":1795200000123,\"who\":\"n1\"},\"sev\":\"bad\",\"text\":\"hello\"}");

    assertThat(readings).extracting(ClockReading::node).containsExactly("n1");
    assertThat(readings).extracting(ClockReading::micros).containsExactly(1_795_200_000_123_000L);
    assertThat(readings.get(0).bodies().toString()).contains("message=hello").contains("bad");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "(?=a)(?<timestamp>.*)~look-ahead",
        "(?<timestamp>.*)(?!b)~look-ahead",
        "(?<=a)(?<timestamp>.*)~look-behind",
        "(?<timestamp>(a)\\\\2)~a backreference",
        "(?<timestamp>.*)\\\\k<timestamp>~a backreference",
        "(?>a)(?<timestamp>.*)~an atomic group",
        "(?<timestamp>[a~not a regular expression",
        "(?<time>.*)~has no group (?<timestamp>...)",
        "(?<timestamp>((a{100}){100}){2})~repeats more than"
      })
  void pattern_thatIsNotOfRe2_isRefusedWithASentence(String pattern, String reason) {
    assertThatThrownBy(
            () ->
                FormatCatalog.with(
                    "f.json", "{\"x\":{\"regex\":{\"a\":{\"pattern\":\"" + pattern + "\"}}}}"))
        .isInstanceOf(FormatException.class)
        .hasMessageStartingWith("f.json: format \"x\": ")
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "[]~is one JSON object",
        "{~is not valid JSON",
        "{\"x\":1}~is a JSON object",
        "{\"x\":{}}~needs \"regex\"",
        "{\"x\":{\"regex\":{\"a\":{}}}}~has no \"pattern\"",
        "{\"x\":{\"regex\":{\"a\":{\"pattern\":\"(?<timestamp>.*)\"}},\"timestamp-format\":[\"%Q\"]}}~unknown"
            + " conversion %Q",
        "{\"x\":{\"regex\":{\"a\":{\"pattern\":\"(?<timestamp>.*)\"}},\"retroscope\":{\"send\":[\"a\"]}}}~has"
            + " no group (?<id>...)",
        "{\"x\":{\"regex\":{\"a\":{\"pattern\":\"(?<timestamp>.*)\"}},\"retroscope\":{\"set\":[\"a\"]}}}~sets"
            + " nothing"
      })
  void definition_thatIsWrong_isRefusedWithASentence(String text, String reason) {
    assertThatThrownBy(() -> FormatCatalog.with("f.json", text))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void examples_haveTheFormatsThatShowThem() {
    for (LineFormat format : FormatCatalog.BUILT_IN.all()) {
      assertThat(format.samples()).as(format.name()).isNotEmpty();
      for (String sample : format.samples()) {
        byte[] bytes = (sample + "\n").getBytes(StandardCharsets.UTF_8);
        Optional<TextLog> found = TextLog.recognize("a.log", bytes, TextLogSettings.DEFAULT);
        assertThat(found.map(log -> log.formats().get(0).name()))
            .as(sample)
            .contains(format.name());
      }
    }
  }

  @Test
  void expression_thatTakesLong_isDecidedInLinearTime() {
    LineMatcher slow = new LineMatcher(new LinearPattern("^(?<a_b>(x+x+)+)(?<c>y)"));
    assertThat(slow.match("x".repeat(60), true)).isFalse();
    assertThat(slow.match("x".repeat(60) + "yz", true)).isTrue();
    assertThat(slow.group(1)).isEqualTo("x".repeat(60));
    assertThat(slow.group(3)).isEqualTo("y");
    assertThat(slow.end()).isEqualTo(61);
  }

  @Test
  void requiredText_isInEveryMatch() {
    assertThat(new RequiredText(new LinearPattern("became (?<r>a|b) of terms? \\d+")).text())
        .isEqualTo(" of term");
    assertThat(new RequiredText(new LinearPattern("a|b")).text()).isEmpty();
    assertThat(new RequiredText(new LinearPattern("(?i)abc")).text()).isEmpty();
    assertThat(new RequiredText(new LinearPattern("abc*d\\.ef{2}x[gh]\\Qq\\E")).text())
        .isEqualTo("ab");
  }
}
