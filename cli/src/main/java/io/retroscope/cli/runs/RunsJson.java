// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import io.retroscope.cli.check.JsonVerdicts;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.rule.Chance;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The verdicts on many runs as one JSON object. */
public final class RunsJson {
  private RunsJson() {}

  /** Writes the object; the caller closes the writer. */
  public static void write(RunsSummary summary, Writer out) throws IOException {
    out.write("{\"runs\":" + summary.runs().size());
    for (Outcome outcome : Outcome.values()) {
      long count = summary.results().stream().filter(result -> result.outcome() == outcome).count();
      out.write("," + text(outcome.word()) + ":" + count);
    }
    out.write(
        ",\"rules\":"
            + list(
                summary.faults().stream().map(JsonVerdicts::rule).toList(),
                summary.rules().stream().map(RunsJson::rule).toList()));
    out.write(
        ",\"table\":"
            + list(List.of(), summary.runs().stream().map(run -> run(summary, run)).toList()));
    out.write(",\"slowest\":" + texts(summary.slowest()));
    out.write(",\"mostUncertain\":" + texts(summary.mostUncertain()));
    out.write(",\"coverage\":" + texts(summary.coverage()));
    out.write("}\n");
    out.flush();
  }

  private static String rule(RuleOverRuns rule) {
    String json = JsonVerdicts.rule(rule.result());
    String counts =
        rule.counts().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(count -> text(count.getKey().word()) + ":" + count.getValue())
            .collect(Collectors.joining(",", "{", "}"));
    String chances =
        rule.result().chances().stream().map(RunsJson::chance).collect(Collectors.joining(",\n"));
    return "%s,\"inRuns\":%s,\"decisiveRuns\":%s,\"chances\":[%s]}"
        .formatted(json.substring(0, json.length() - 1), counts, texts(rule.decisive()), chances);
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

  private static String list(List<String> first, List<String> then) {
    return Stream.concat(first.stream(), then.stream())
        .collect(Collectors.joining(",\n", "[\n", "\n]"));
  }

  private static String texts(List<String> texts) {
    return texts.stream().map(RunsJson::text).collect(Collectors.joining(",", "[", "]"));
  }

  private static String text(String plain) {
    return JsonValues.text(Value.of(plain));
  }
}
