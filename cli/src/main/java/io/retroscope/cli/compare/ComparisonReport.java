// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.compare;

import io.retroscope.cli.compare.RunComparison.NodeComparison;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.print.CutTable;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/** The report on two runs, as text or as one JSON object. */
public final class ComparisonReport {
  private static final String INDENT = "  ";

  private final RunComparison comparison;

  private ComparisonReport(RunComparison comparison) {
    this.comparison = comparison;
  }

  /** Compares two runs. */
  public static ComparisonReport of(SystemRun first, SystemRun second) {
    return new ComparisonReport(RunComparison.of(first, second));
  }

  /** Whether every node took the same steps in both runs. */
  public boolean areEqual() {
    return comparison.divergence().isEmpty();
  }

  /** Whether there is anything to compare, and nothing is lost that could differ. */
  public boolean isConclusive() {
    return !areEqual() || (comparison.losses().isEmpty() && comparison.first().steps() > 0);
  }

  /** Prints the report for reading. */
  public void printText(PrintWriter out) {
    Optional<NodeComparison> divergence = comparison.divergence();
    if (divergence.isEmpty()) {
      out.println(
          comparison.first().steps() == 0
              ? "There is nothing to compare: neither run has a step."
              : String.format(
                  Locale.ROOT, "The runs are equal: %,d steps.", comparison.equalSteps()));
    } else {
      printDivergence(divergence.get(), out);
    }
    comparison.losses().forEach(sentence -> out.println("warning: " + sentence));
    out.flush();
  }

  private void printDivergence(NodeComparison node, PrintWriter out) {
    out.println(
        String.format(
            Locale.ROOT,
            "The runs differ first at node %s, after %,d equal %s of it:",
            node.node(),
            node.equalSteps(),
            node.equalSteps() == 1 ? "step" : "steps"));
    out.println(INDENT + "first run   " + step(comparison.first(), node.next()));
    out.println(INDENT + "second run  " + step(comparison.second(), node.other()));
    StructValue before = before(comparison.first(), node.next());
    StructValue other = before(comparison.second(), node.other());
    if (before.equals(other)) {
      printState("Before, in both runs:", before, out);
    } else {
      printState("Before, in the first run:", before, out);
      printState("Before, in the second run:", other, out);
    }
    out.println("Equal steps of each node:");
    for (NodeComparison one : comparison.nodes()) {
      out.println(
          String.format(
              Locale.ROOT,
              "  %s  %,d of %,d and %,d%s",
              one.node(),
              one.equalSteps(),
              one.firstSteps(),
              one.secondSteps(),
              one.differs() ? "" : ", all"));
    }
  }

  private static void printState(String heading, StructValue state, PrintWriter out) {
    if (!state.fields().isEmpty()) {
      out.println(heading);
      CutTable.lines(state).forEach(line -> out.println(INDENT + line));
    }
  }

  private static String step(SystemRun run, Optional<Step> step) {
    return step.map(
            found ->
                String.format(
                    Locale.ROOT,
                    "%s, %.6f s after its start, at hlc'%s'",
                    found.text(),
                    RunComparison.micros(run, found) / 1e6,
                    HlcTimestamp.text(found.hlc())))
        .orElse("has no further step");
  }

  /** The state below the stamp of a step; without a step, the last one. */
  private static StructValue before(SystemRun run, Optional<Step> step) {
    return run.stateBefore(step.map(Step::hlc).orElse(Long.MAX_VALUE));
  }

  /** Prints one JSON object. */
  public void printJson(PrintWriter out) {
    out.println(JsonText.object(this::write));
    out.flush();
  }

  private void write(JsonGenerator json) {
    json.writeBooleanProperty("equal", areEqual());
    json.writeNumberProperty("equalSteps", comparison.equalSteps());
    JsonValues.write(
        json.writeName("divergence"),
        comparison.divergence().<Value>map(this::divergence).orElse(NullValue.NULL));
    json.writeStringProperty("warnings", String.join("; ", comparison.losses()));
    // As a value the nodes would be a set, which has another order.
    json.writeArrayPropertyStart("nodes");
    comparison.nodes().forEach(node -> JsonValues.write(json, node(node)));
    json.writeEndArray();
  }

  private StructValue divergence(NodeComparison node) {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("node", Value.of(node.node()));
    fields.put("equalSteps", Value.of(node.equalSteps()));
    fields.put("first", side(comparison.first(), node.next()));
    fields.put("second", side(comparison.second(), node.other()));
    return new StructValue(fields);
  }

  private static StructValue side(SystemRun run, Optional<Step> step) {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("step", step.<Value>map(found -> Value.of(found.text())).orElse(NullValue.NULL));
    fields.put(
        "hlc",
        step.<Value>map(found -> Value.of(HlcTimestamp.text(found.hlc()))).orElse(NullValue.NULL));
    fields.put(
        "micros",
        step.<Value>map(found -> Value.of(RunComparison.micros(run, found)))
            .orElse(NullValue.NULL));
    fields.put("before", before(run, step));
    return new StructValue(fields);
  }

  private static StructValue node(NodeComparison node) {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("node", Value.of(node.node()));
    fields.put("equalSteps", Value.of(node.equalSteps()));
    fields.put("firstSteps", Value.of(node.firstSteps()));
    fields.put("secondSteps", Value.of(node.secondSteps()));
    return new StructValue(fields);
  }
}
