// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Tests that the operating page and the alert rules name exactly the existing metrics. */
class OperatingPageTest {
  /** The metric that Prometheus itself adds. */
  private static final String ADDED = "up";

  /** Functions, labels, strings, numbers and durations of an expression. */
  private static final Pattern NO_METRIC =
      Pattern.compile(
          "\"[^\"]*\"|\\{[^}]*}|\\[[^\\]]*]|\\bby \\([^)]*\\)|\\b[a-z_]+(?= ?\\()|\\b(and|or|sum|by)\\b"
              + "|\\b\\d[\\de.]*\\b");

  @Test
  void page_metrics_areThoseOfTheCatalogue() throws IOException {
    List<String> documented =
        Pattern.compile("(?m)^\\| `(retroscope_\\w+)` \\| (\\w+) \\| .+ \\|$")
            .matcher(Files.readString(Path.of("../docs/operating.md")))
            .results()
            .map(found -> found.group(1) + " " + found.group(2))
            .toList();
    assertThat(documented)
        .containsExactlyInAnyOrderElementsOf(
            MetricCatalogue.types().stream().filter(type -> !type.endsWith("_max gauge")).toList());
  }

  /** The metrics of a single server that one of a cluster has not are in one paragraph. */
  @Test
  void page_metricsThatAClusterHasNot_areListed() throws IOException {
    String paragraph =
        Files.readString(Path.of("../docs/operating.md"))
            .split("With `--cluster`, instead of ", 2)[1]
            .split("\n\n", 2)[0];
    List<String> listed =
        Pattern.compile("`(retroscope_\\w+)`")
            .matcher(paragraph)
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(listed)
        .containsExactlyInAnyOrderElementsOf(
            MetricCatalogue.namesOfASingleServer().stream()
                .filter(name -> !name.startsWith("retroscope_kafka_"))
                .toList());
  }

  @Test
  void alerts_everyMetricThatTheyName_exists() throws IOException {
    List<String> series = MetricCatalogue.series();
    assertThat(rules()).hasSizeGreaterThan(10);
    for (Map<?, ?> rule : rules()) {
      String expression = (String) rule.get("expr");
      List<String> named = metrics(expression);
      assertThat(named).as(expression).isNotEmpty();
      assertThat(Stream.concat(series.stream(), Stream.of(ADDED)))
          .as(expression)
          .containsAll(named);
    }
  }

  /** A rule over a metric that a server has not would never fire there. */
  @Test
  void alerts_everyRule_canFireForEachKindOfServer() throws IOException {
    assertThat(rulesOver(MetricCatalogue.namesOfACluster()))
        .as("of a single server")
        .containsExactly("RetroscopePartitionHolds");
    assertThat(rulesOver(MetricCatalogue.namesOfASingleServer()))
        .as("of a cluster, where RetroscopeNotReady and RetroscopeLiveQueriesLag fire instead")
        .containsExactly("RetroscopeKafkaTrouble", "RetroscopeKafkaLag");
  }

  /** The names of the rules of which no alternative can do without one of some metrics. */
  private static List<String> rulesOver(List<String> absent) throws IOException {
    return rules().stream()
        .filter(
            rule ->
                Arrays.stream(((String) rule.get("expr")).split("\\bor\\b", -1))
                    .allMatch(either -> metrics(either).stream().anyMatch(absent::contains)))
        .map(rule -> (String) rule.get("alert"))
        .toList();
  }

  @Test
  void alerts_everyRule_hasANameASeverityAndASentence() throws IOException {
    assertThat(rules()).extracting(rule -> rule.get("alert")).doesNotHaveDuplicates();
    for (Map<?, ?> rule : rules()) {
      assertThat((String) rule.get("alert")).startsWith("Retroscope");
      assertThat(((Map<?, ?>) rule.get("labels")).get("severity")).isIn("page", "ticket");
      assertThat((String) ((Map<?, ?>) rule.get("annotations")).get("summary")).endsWith(".");
    }
  }

  private static List<String> metrics(String expression) {
    String rest = NO_METRIC.matcher(expression).replaceAll(" ");
    return Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*")
        .matcher(rest)
        .results()
        .map(found -> found.group())
        .toList();
  }

  private static List<Map<?, ?>> rules() throws IOException {
    Object file =
        new Load(LoadSettings.builder().build())
            .loadFromString(Files.readString(Path.of("../docs/alerts.yml")));
    Map<?, ?> group = (Map<?, ?>) ((List<?>) ((Map<?, ?>) file).get("groups")).get(0);
    return ((List<?>) group.get("rules"))
        .stream().<Map<?, ?>>map(rule -> (Map<?, ?>) rule).toList();
  }
}
