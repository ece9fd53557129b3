// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import io.retroscope.cli.check.JsonVerdicts;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.rule.Chance;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;

/** The verdicts on many runs as one JSON object. */
public final class RunsJson {
  private RunsJson() {}

  /** Writes the object; the caller closes the writer. */
  public static void write(RunsSummary summary, Writer out) throws IOException {
    out.write(JsonText.object(json -> write(summary, json)) + "\n");
    out.flush();
  }

  private static void write(RunsSummary summary, JsonGenerator json) {
    json.writeNumberProperty("runs", summary.runs().size());
    for (Outcome outcome : Outcome.values()) {
      long count = summary.results().stream().filter(result -> result.outcome() == outcome).count();
      json.writeNumberProperty(outcome.word(), count);
    }
    JsonText.lines(
        "rules",
        Stream.concat(
            summary.faults().stream().map(JsonVerdicts::rule),
            summary.rules().stream().map(RunsJson::rule)),
        json);
    JsonText.lines("table", summary.runs().stream().map(run -> run(summary, run)), json);
    texts("slowest", summary.slowest(), json);
    texts("mostUncertain", summary.mostUncertain(), json);
    texts("coverage", summary.coverage(), json);
  }

  private static String rule(RuleOverRuns rule) {
    return JsonText.object(
        json -> {
          JsonVerdicts.writeFields(rule.result(), json);
          json.writeObjectPropertyStart("inRuns");
          rule.counts().entrySet().stream()
              .sorted(Map.Entry.comparingByKey())
              .forEach(count -> json.writeNumberProperty(count.getKey().word(), count.getValue()));
          json.writeEndObject();
          texts("decisiveRuns", rule.decisive(), json);
          JsonText.lines("chances", rule.result().chances().stream().map(RunsJson::chance), json);
        });
  }

  private static String chance(Chance chance) {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("part", Value.of(chance.part()));
    fields.put("unit", Value.of(chance.units()));
    fields.put("count", Value.of(chance.count()));
    return JsonValues.text(new StructValue(fields));
  }

  private static String run(RunsSummary summary, RunResults run) {
    Map<String, Value> labels = new LinkedHashMap<>();
    for (int i = 0; i < run.labels().size(); i++) {
      labels.put(summary.labels().get(i), Value.of(run.labels().get(i)));
    }
    Map<String, Value> verdicts = new LinkedHashMap<>();
    for (RuleResult result : run.results()) {
      verdicts.put(result.rule(), Value.of(result.outcome().word()));
    }
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("run", Value.of(run.run().name()));
    fields.put("labels", new StructValue(labels));
    fields.put("verdicts", new StructValue(verdicts));
    fields.put("problem", Value.of(run.problem()));
    return JsonValues.text(new StructValue(fields));
  }

  private static void texts(String name, List<String> texts, JsonGenerator json) {
    json.writeArrayPropertyStart(name);
    texts.forEach(json::writeString);
    json.writeEndArray();
  }
}
