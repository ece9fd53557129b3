// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.explain.Finding;
import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.EpisodeExplanation;
import io.retroscope.rql.rule.EpisodeExplanations;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.zip.GZIPOutputStream;
import tools.jackson.core.JsonGenerator;

/**
 * A report on rules over recorded events as one HTML file: it opens without a server and makes no
 * request. Immutable.
 */
public final class HtmlReport {
  /** The most events in a page. */
  public static final int MAX_EVENTS = 100_000;

  /** The most bytes of the packed events in a page, whose file then has less than 2 MiB. */
  public static final int MAX_BYTES = 1_900_000;

  /** The most episodes of a rule that are listed. */
  public static final int MAX_EPISODES = 100;

  /** The most episodes of a rule that are explained. */
  public static final int MAX_EXPLAINED = 3;

  private static final int FEW_EVENTS = 100;

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
   * Creates a report on rules that have been checked, and explains their first episodes.
   *
   * @param results the last of them in the order of the rules; those of statements that are no
   *     rules are before them
   * @param onTime as given to {@link RuleCheck}
   * @throws IOException as {@link RuleCheck#check}
   */
  public static HtmlReport of(
      Session session, List<Rule> rules, List<RuleResult> results, String onTime)
      throws IOException {
    EpisodeExplanations explanations = new EpisodeExplanations(session, onTime);
    List<ReportedRule> reported = new ArrayList<>();
    int faults = results.size() - rules.size();
    for (int i = 0; i < results.size(); i++) {
      RuleResult result = results.get(i);
      if (i < faults) {
        reported.add(ReportedRule.of(result));
      } else {
        Rule rule = rules.get(i - faults);
        reported.add(
            new ReportedRule(
                explanations.explained(rule, result, MAX_EXPLAINED),
                explanations.episodes(rule, result, MAX_EPISODES)));
      }
    }
    return new HtmlReport(session.target(), reported);
  }

  /** The packed stamp of the first episode; empty if there is none. */
  public OptionalLong firstEpisode() {
    return rules.stream().flatMap(rule -> rule.episodes().stream()).mapToLong(Episode::hlc).min();
  }

  /**
   * Writes the page.
   *
   * @param events of which the page contains as many as fit
   */
  public void write(EventSource events, Writer out) throws IOException {
    Packed packed;
    try (View view = events.open()) {
      packed = packed(view, maxEvents);
      while (!packed.fits()) {
        packed = packed(view, packed.events() / 2);
      }
    }
    ReportPage.write("Retroscope: " + target, summary(), packed.data(), out);
  }

  /**
   * The data of a page.
   *
   * @param data empty if the texts are too long
   * @param events their number
   */
  private record Packed(String data, int events) {
    boolean fits() {
      return events <= FEW_EVENTS || (!data.isEmpty() && data.length() <= MAX_BYTES);
    }
  }

  /** Packs the data of a page with a number of events. */
  private Packed packed(View view, int most) throws IOException {
    EventRange range = EventRange.of(view, firstEpisode().orElse(HlcTimestamp.MAX_PACKED), most);
    RecordedColumns columns = new RecordedColumns(view, range.range());
    if (!columns.read() && columns.count() > FEW_EVENTS) {
      return new Packed("", columns.count());
    }
    String json =
        PageJson.object(
            out -> {
              columns.write(out);
              out.writeStringProperty("leftOut", range.leftOut());
              KnownDoubts.write(out, view, range.range());
              out.writeArrayPropertyStart("rules");
              rules.forEach(rule -> rule(out, rule));
              out.writeEndArray();
            });
    return new Packed(Base64.getEncoder().encodeToString(gzip(json)), columns.count());
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Writer out = new OutputStreamWriter(new GZIPOutputStream(bytes), StandardCharsets.UTF_8)) {
      out.write(text);
    }
    return bytes.toByteArray();
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

  private static void rule(JsonGenerator out, ReportedRule rule) {
    RuleResult result = rule.result();
    out.writeStartObject();
    out.writeStringProperty("name", result.rule());
    out.writeStringProperty("place", result.place());
    out.writeStringProperty("description", result.description());
    out.writeStringProperty("verdict", word(result.outcome()));
    out.writeStringProperty("reason", result.reason());
    out.writeNumberProperty("count", result.episodes());
    PageJson.texts(out, "warnings", result.warnings().stream());
    out.writeArrayPropertyStart("episodes");
    rule.episodes().forEach(episode -> episode(out, episode, result));
    out.writeEndArray();
    out.writeEndObject();
  }

  private static void episode(JsonGenerator out, Episode episode, RuleResult result) {
    out.writeStartObject();
    out.writeStringProperty("id", episode.id());
    out.writeStringProperty("hlc", HlcTimestamp.text(episode.hlc()));
    out.writeStringProperty("time", episode.time().orElse(""));
    out.writeName("micros");
    PageJson.number(out, episode.durationMicros());
    out.writeArrayPropertyStart("explanation");
    result.explanations().stream()
        .filter(explanation -> explanation.episode().equals(episode.id()))
        .map(EpisodeExplanation::findings)
        .flatMap(List::stream)
        .forEach(finding -> finding(out, finding));
    out.writeEndArray();
    out.writeEndObject();
  }

  private static void finding(JsonGenerator out, Finding finding) {
    out.writeStartObject();
    out.writeStringProperty("part", finding.part().word());
    out.writeStringProperty("node", finding.node());
    out.writeStringProperty("hlc", HlcTimestamp.text(finding.hlc()));
    out.writeStringProperty("variable", finding.variable());
    out.writeStringProperty("text", finding.text());
    out.writeEndObject();
  }
}
