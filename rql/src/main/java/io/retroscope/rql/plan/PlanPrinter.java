// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.plan;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.plan.QueryPlan.Input;
import io.retroscope.rql.plan.QueryPlan.Output;
import io.retroscope.rql.plan.QueryPlan.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/** A printer of plans, with one line per property. Used by one thread. */
public final class PlanPrinter {
  private static final String BY_EXTREMES = "by the smallest and the largest value";

  private final BoundPlan plan;
  private final View view;
  private final int threads;
  private final List<String> lines = new ArrayList<>();

  private PlanPrinter(BoundPlan plan, View view, int threads) {
    this.plan = plan;
    this.view = view;
    this.threads = threads;
  }

  /**
   * The lines of a plan, outermost step first.
   *
   * @param view the stored events, for the amounts that the plan reads and skips
   * @param threads the number of threads that may walk history
   */
  public static List<String> lines(BoundPlan plan, View view, int threads) {
    PlanPrinter printer = new PlanPrinter(plan, view, threads);
    printer.output(plan.output());
    printer.slice(plan.slice());
    printer.input(plan.input());
    return printer.lines;
  }

  private void output(Output output) {
    String runs =
        output.forMicros().isPresent()
            ? " of runs that last " + Literals.duration(output.forMicros().getAsLong())
            : "";
    lines.add("emit " + output.emit().name().toLowerCase(Locale.ROOT) + runs);
    plan.clauses().condition().ifPresent(this::when);
    plan.query().response().ifPresent(this::response);
    int ages = plan.clauses().ages().size();
    if (ages > 0) {
      lines.add("  ages: " + ages + " compared; a cut when one becomes true");
    }
    if (plan.query().query().compute().isPresent()) {
      lines.add("  compute: at every cut, first");
    }
  }

  private void when(Condition when) {
    Optional<String> whyNoRule = plan.whyNoRule();
    String where = whyNoRule.isPresent() ? "every cut" : "cuts that the quiet rule does not decide";
    lines.add("  when: " + form(when, where));
    lines.add(
        "  quiet rule: "
            + whyNoRule
                .map(reason -> "none, because " + reason)
                .orElseGet(() -> "passes over cuts at which " + why(when)));
  }

  private void response(Response clause) {
    String within =
        clause.withinMicros().stream()
            .mapToObj(micros -> " within " + Literals.duration(micros))
            .findFirst()
            .orElse(", from the first event on");
    lines.add("  " + clause.words().toLowerCase(Locale.ROOT) + ": evaluated at every cut" + within);
    if (plan.clauses().eachElement() != null) {
      lines.add(
          plan.clauses().elementKeys().isEmpty()
              ? "  elements: all, at every cut"
              : "  elements: those that are present, and those that it names at the cut");
    }
  }

  private static String why(Condition when) {
    String readings = String.join(", ", when.readings());
    return (readings.isEmpty() ? "constants" : "bounds of " + readings)
        + " show that WHEN is not TRUE";
  }

  /** Describes how a predicate is evaluated. */
  private static String form(Condition when, String where) {
    if (when.isExtremes()) {
      return BY_EXTREMES + ", kept up to date while all are LONGs";
    }
    List<String> quantifiers = new ArrayList<>();
    addCount(quantifiers, when.byExtremes(), BY_EXTREMES);
    addCount(quantifiers, when.byBindings(), "by trying every binding");
    return "evaluated at "
        + where
        + (quantifiers.isEmpty() ? "" : ", with " + String.join(" and ", quantifiers));
  }

  private static void addCount(List<String> quantifiers, long count, String how) {
    if (count > 0) {
      quantifiers.add(count + (count == 1 ? " quantifier " : " quantifiers ") + how);
    }
  }

  private void slice(Slice slice) {
    String history = slice.history().map(range -> history(range, slice.single())).orElse("");
    String live = slice.live() ? "live, from now on" : "nothing: no event is stored";
    if (history.isEmpty()) {
      lines.add("  walk " + live);
    } else {
      lines.add("  walk " + history + (slice.live() ? ", then live" : ""));
    }
    if (slice.history().isPresent() && !slice.single() && !slice.live()) {
      plan.whyOneSlice().ifPresent(why -> lines.add("    cannot be split into slices: " + why));
    }
    long start = slice.history().map(HlcRange::from).orElse(HlcTimestamp.MAX_PACKED);
    view.extent()
        .filter(stored -> stored.from() < start)
        .ifPresent(
            stored ->
                lines.add(
                    "    state at its start: reads back to the last relevant write (store begins at %s)"
                        .formatted(new HlcTimestamp(stored.from()))));
  }

  private String history(HlcRange range, boolean single) {
    HlcTimestamp from = new HlcTimestamp(range.from());
    if (single) {
      return "one cut, at " + from;
    }
    int slices = TimeSlices.of(plan, view, threads).size();
    String all = from + " to " + new HlcTimestamp(range.to());
    return slices == 1
        ? "one time slice, " + all
        : "%d time slices, %s, by up to %s".formatted(slices, all, walking());
  }

  private String walking() {
    int hosts = TimeSlices.hosts(plan, view).size();
    return hosts == 0
        ? threads + " threads"
        : "%d of this server's threads and %d other servers".formatted(threads, hosts);
  }

  private void input(Input input) {
    List<LogDescription> all = view.logs();
    List<LogDescription> logs =
        all.stream().filter(log -> input.logs().contains(log.name())).toList();
    for (LogDescription log : logs) {
      String events = log.eventCount() == 1 ? " event" : " events";
      lines.add("    scan log " + log.name() + ", " + log.eventCount() + events);
    }
    skipped("logs", (long) all.size() - logs.size());
    input.forEach().ifPresent(like -> lines.add("    each variable like '" + like + "'"));
    plan.query()
        .query()
        .forEach()
        .flatMap(ForEach::collection)
        .ifPresent(of -> lines.add("    each element of " + RqlFormatter.format(of)));
    List<String> variables = input.variables().stream().map(v -> v.log() + "." + v.name()).toList();
    if (!variables.isEmpty()) {
      lines.add("    variables: " + String.join(", ", variables));
    }
    skipped("variables", logs.stream().mapToLong(this::skippedVariables).sum());
    lines.add("    nodes: " + nodes(input));
    skipped("nodes", skippedNodes(input));
  }

  private long skippedVariables(LogDescription log) {
    Input input = plan.input();
    return log.variables().stream()
        .filter(name -> !input.variables().contains(new Reference.Variable(log.name(), name)))
        .filter(Predicate.not(input.eachVariable()))
        .count();
  }

  private static String nodes(Input input) {
    if (!input.onlyNodes().isEmpty()) {
      return String.join(", ", input.onlyNodes());
    }
    return input.liveNodes() ? "those seen within the idle timeout" : "all";
  }

  private long skippedNodes(Input input) {
    return input.onlyNodes().isEmpty()
        ? 0
        : view.nodes().stream().filter(node -> !input.onlyNodes().contains(node.name())).count();
  }

  private void skipped(String what, long count) {
    if (count > 0) {
      lines.add("    " + what + " skipped: " + count);
    }
  }
}
