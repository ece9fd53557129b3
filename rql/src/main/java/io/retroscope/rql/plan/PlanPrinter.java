package io.retroscope.rql.plan;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.cut.EventSource.LogInfo;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A printer of plans, with one line per property. */
public final class PlanPrinter {
  private PlanPrinter() {}

  /** The lines, outermost step first. */
  public static List<String> lines(QueryPlan plan) {
    List<String> lines = new ArrayList<>();
    asking(plan.asking(), lines);
    slice(plan.slice(), lines);
    reading(plan.reading(), lines);
    return lines;
  }

  private static void asking(QueryPlan.Asking asking, List<String> lines) {
    String runs =
        asking.forMicros().isPresent()
            ? " of runs that last " + Literals.duration(asking.forMicros().getAsLong())
            : "";
    lines.add("emit " + asking.emit().name().toLowerCase(Locale.ROOT) + runs);
    asking.predicate().ifPresent(form -> lines.add("  when: " + form));
    if (asking.ages() > 0) {
      lines.add("  ages: " + asking.ages() + " compared; a cut when one becomes true");
    }
    if (asking.compute()) {
      lines.add("  compute: at every cut, first");
    }
  }

  private static void slice(QueryPlan.Slice slice, List<String> lines) {
    String history = slice.range().map(range -> history(range, slice.single())).orElse("");
    String live = slice.live() ? "live, from now on" : "nothing: no event is stored";
    if (history.isEmpty()) {
      lines.add("  walk " + live);
    } else {
      lines.add("  walk " + history + (slice.live() ? ", then live" : ""));
    }
    slice.indivisible().ifPresent(why -> lines.add("    cannot be split into slices: " + why));
    if (slice.readFrom().isPresent()) {
      HlcTimestamp from = new HlcTimestamp(slice.readFrom().getAsLong());
      lines.add(
          "    state at its start: reads back to the last relevant write (store begins at %s)"
              .formatted(from));
    }
  }

  private static String history(HlcRange range, boolean single) {
    HlcTimestamp from = new HlcTimestamp(range.from());
    return single
        ? "one cut, at " + from
        : "one time slice, " + from + " to " + new HlcTimestamp(range.to());
  }

  private static void reading(QueryPlan.Reading reading, List<String> lines) {
    for (LogInfo log : reading.logs()) {
      String events = log.eventCount() == 1 ? " event" : " events";
      lines.add("    scan log " + log.name() + ", " + log.eventCount() + events);
    }
    skipped("logs", reading.skippedLogs(), lines);
    reading.forEach().ifPresent(like -> lines.add("    each variable like '" + like + "'"));
    if (!reading.variables().isEmpty()) {
      lines.add("    variables: " + String.join(", ", reading.variables()));
    }
    skipped("variables", reading.skippedVariables(), lines);
    lines.add("    nodes: " + reading.nodes());
    skipped("nodes", reading.skippedNodes(), lines);
  }

  private static void skipped(String what, long count, List<String> lines) {
    if (count > 0) {
      lines.add("    " + what + " skipped: " + count);
    }
  }
}
