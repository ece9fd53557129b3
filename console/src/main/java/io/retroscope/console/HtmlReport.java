// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.explain.Finding;
import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.EpisodeExplanation;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A report on rules over recorded events as one HTML file: it opens without a server and makes no
 * request. Immutable.
 */
public final class HtmlReport {
  /** The most events in a page, whose file then has some 2 MB. */
  public static final int MAX_EVENTS = 60_000;

  private final String target;
  private final List<ReportedRule> rules;
  private final int maxEvents;

  /**
   * Creates a report.
   *
   * @param target the name of the events
   * @param rules in their order; may be none
   */
  public HtmlReport(String target, List<ReportedRule> rules) {
    this(target, rules, MAX_EVENTS);
  }

  HtmlReport(String target, List<ReportedRule> rules, int maxEvents) {
    this.target = target;
    this.rules = List.copyOf(rules);
    this.maxEvents = maxEvents;
  }

  /**
   * Writes the page.
   *
   * @param events of which the page contains as many as fit
   */
  public void write(EventSource events, Writer out) throws IOException {
    JsonText json = new JsonText().raw("{");
    try (View view = events.open()) {
      long around =
          rules.stream()
              .flatMap(rule -> rule.episodes().stream())
              .map(Episode::hlc)
              .min(Long::compare)
              .orElse(HlcTimestamp.MAX_PACKED);
      EventRange range = EventRange.of(view, around, maxEvents);
      RecordedColumns columns = new RecordedColumns(view, range.range());
      columns.read();
      json.name("recording").raw("{");
      columns.write(json);
      json.raw("}").name("leftOut").string(range.leftOut());
    }
    json.name("rules").raw("[");
    rules.forEach(rule -> rule(json.comma(), rule));
    json.raw("]}");
    ReportPage.write("Retroscope: " + target, summary(), json, out);
  }

  /** How many rules have each verdict. */
  private String summary() {
    List<String> parts = new ArrayList<>();
    for (Outcome outcome : Outcome.values()) {
      long count = rules.stream().filter(rule -> rule.result().outcome() == outcome).count();
      if (count > 0) {
        parts.add(count + " " + word(outcome));
      }
    }
    return rules.isEmpty()
        ? "No rules."
        : "%d %s: %s."
            .formatted(
                rules.size(), rules.size() == 1 ? "rule" : "rules", String.join(", ", parts));
  }

  private static String word(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }

  private static void rule(JsonText json, ReportedRule rule) {
    RuleResult result = rule.result();
    json.raw("{").name("name").string(result.rule());
    json.name("place").string(result.place());
    json.name("description").string(result.description());
    json.name("verdict").string(word(result.outcome()));
    json.name("reason").string(result.reason());
    json.name("count").raw(Long.toString(result.episodes()));
    json.name("warnings").raw("[");
    result.warnings().forEach(warning -> json.comma().string(warning));
    json.raw("]").name("episodes").raw("[");
    rule.episodes().forEach(episode -> episode(json.comma(), episode, result));
    json.raw("]}");
  }

  private static void episode(JsonText json, Episode episode, RuleResult result) {
    json.raw("{").name("id").string(episode.id());
    json.name("hlc").string(HlcTimestamp.text(episode.hlc()));
    json.name("time").string(episode.time().orElse(""));
    json.name("micros")
        .raw(
            episode.durationMicros().isPresent()
                ? Long.toString(episode.durationMicros().getAsLong())
                : "null");
    json.name("explanation").raw("[");
    result.explanations().stream()
        .filter(explanation -> explanation.episode().equals(episode.id()))
        .map(EpisodeExplanation::findings)
        .flatMap(List::stream)
        .forEach(finding -> finding(json.comma(), finding));
    json.raw("]}");
  }

  private static void finding(JsonText json, Finding finding) {
    json.raw("{").name("part").string(finding.part().word());
    json.name("node").string(finding.node());
    json.name("hlc").string(HlcTimestamp.text(finding.hlc()));
    json.name("variable").string(finding.variable());
    json.name("text").string(finding.text());
    json.raw("}");
  }
}
