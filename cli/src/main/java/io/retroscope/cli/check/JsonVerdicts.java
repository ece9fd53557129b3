// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.check;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.explain.Finding;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;

/** Verdicts as one JSON object. */
public final class JsonVerdicts {
  private JsonVerdicts() {}

  static void write(String target, List<RuleResult> results, List<String> cost, Writer out)
      throws IOException {
    out.write(JsonText.object(json -> write(target, results, cost, json)) + "\n");
    out.flush();
  }

  private static void write(
      String target, List<RuleResult> results, List<String> cost, JsonGenerator json) {
    json.writeStringProperty("target", target);
    for (Outcome outcome : Outcome.values()) {
      json.writeNumberProperty(TextVerdicts.word(outcome), TextVerdicts.count(results, outcome));
    }
    JsonText.lines("rules", results.stream().map(JsonVerdicts::rule), json);
    if (!cost.isEmpty()) {
      JsonText.lines("explain", cost.stream().map(line -> JsonValues.text(Value.of(line))), json);
    }
  }

  /** One verdict as an object. */
  public static String rule(RuleResult result) {
    return JsonText.object(json -> writeFields(result, json));
  }

  /** Writes the fields of one verdict. */
  public static void writeFields(RuleResult result, JsonGenerator json) {
    fields(result).forEach((name, value) -> JsonValues.write(json.writeName(name), value));
    if (!result.explanations().isEmpty()) {
      JsonText.lines("explanation", findings(result), json);
    }
  }

  private static Map<String, Value> fields(RuleResult result) {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("rule", Value.of(result.rule()));
    fields.put("place", Value.of(result.place()));
    fields.put("verdict", Value.of(TextVerdicts.word(result.outcome())));
    fields.put("episodes", Value.of(result.episodes()));
    fields.put("borderline", result.borderline().<Value>map(Value::of).orElse(NullValue.NULL));
    fields.put("provisional", Value.of(result.provisional().isPresent()));
    fields.put("first", result.first().<Value>map(JsonVerdicts::episode).orElse(NullValue.NULL));
    fields.put("reason", Value.of(result.reason()));
    fields.put(
        "warnings", Value.setOf(result.warnings().stream().map(Value::of).toArray(Value[]::new)));
    fields.put("description", Value.of(result.description()));
    fields.put("micros", Value.of(result.nanos() / 1_000));
    return fields;
  }

  private static StructValue episode(Episode episode) {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("episode", Value.of(episode.id()));
    fields.put("hlc", Value.of(HlcTimestamp.text(episode.hlc())));
    fields.put("time", episode.time().<Value>map(Value::of).orElse(NullValue.NULL));
    fields.put("uncertaintyMicros", number(episode.uncertaintyMicros()));
    fields.put("durationMicros", number(episode.durationMicros()));
    fields.put("durationUncertaintyMicros", number(episode.durationUncertaintyMicros()));
    fields.put("open", Value.of(episode.open()));
    fields.put("cut", episode.cut());
    return new StructValue(fields);
  }

  /** The findings of all explained episodes, in the order in which they are read. */
  private static Stream<String> findings(RuleResult result) {
    return result.explanations().stream()
        .flatMap(one -> one.findings().stream().map(finding -> finding(one.episode(), finding)));
  }

  private static String finding(String episode, Finding finding) {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("episode", Value.of(episode));
    fields.put("part", Value.of(finding.part().word()));
    fields.put("node", Value.of(finding.node()));
    fields.put("hlc", Value.of(HlcTimestamp.text(finding.hlc())));
    fields.put("variable", Value.of(finding.variable()));
    fields.put("value", finding.value());
    fields.put("text", Value.of(finding.text()));
    return JsonValues.text(new StructValue(fields));
  }

  private static Value number(OptionalLong number) {
    return number.isPresent() ? Value.of(number.getAsLong()) : NullValue.NULL;
  }
}
