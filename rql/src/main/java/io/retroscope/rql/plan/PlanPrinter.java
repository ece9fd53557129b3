package io.retroscope.rql.plan;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.LogInfo;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints a plan, a line for each thing to know. */
public final class PlanPrinter {
  private PlanPrinter() {}

  /** The lines, outermost step first. */
  public static List<String> lines(QueryPlan plan) {
    List<String> lines = new ArrayList<>();
    lines.add("emit " + plan.emit().name().toLowerCase(Locale.ROOT));
    plan.predicate().ifPresent(form -> lines.add("  when: " + form));
    lines.add("  walk " + range(plan));
    plan.inOrder().ifPresent(why -> lines.add("    in order, in one piece: " + why));
    for (LogInfo log : plan.logs()) {
      lines.add("    scan log %s, %d events".formatted(log.name(), log.eventCount()));
    }
    plan.forEach().ifPresent(like -> lines.add("    each variable like '" + like + "'"));
    if (!plan.variables().isEmpty()) {
      lines.add("    variables: " + String.join(", ", plan.variables()));
    }
    if (plan.skippedVariables() > 0) {
      lines.add("    variables skipped: " + plan.skippedVariables());
    }
    lines.add("    nodes: " + plan.nodes());
    return lines;
  }

  private static String range(QueryPlan plan) {
    String stamps = plan.range().map(range -> stamps(range, plan.single())).orElse("nothing");
    return plan.stream() ? stamps + ", then live" : stamps;
  }

  private static String stamps(HlcRange range, boolean single) {
    return single
        ? "one cut, at " + new HlcTimestamp(range.from())
        : List.of(range.from(), range.to()).stream()
            .map(stamp -> new HlcTimestamp(stamp).toString())
            .collect(Collectors.joining(" to "));
  }
}
