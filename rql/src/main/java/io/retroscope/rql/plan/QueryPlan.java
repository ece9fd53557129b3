package io.retroscope.rql.plan;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.cut.EventSource.LogInfo;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The plan of a query: what it evaluates at its cuts, the range that it walks, and the data that it
 * reads.
 */
public record QueryPlan(Asking asking, Slice slice, Reading reading) {
  /**
   * The evaluation at each cut.
   *
   * @param forMicros how long a run of cuts must last to count
   * @param ages the number of comparisons of an age with a constant, which make cuts when they
   *     become true
   * @param compute whether there is a COMPUTE
   * @param predicate how WHEN is evaluated; empty without WHEN
   */
  public record Asking(
      Emit emit, OptionalLong forMicros, long ages, boolean compute, Optional<String> predicate) {}

  /**
   * The time slice that is walked. There is only one, because history is not split.
   *
   * @param range its stamps; empty if no history is walked
   * @param single whether there is only one cut
   * @param live whether the walk continues with live events after the range
   * @param readFrom packed stamp of the first event that contributes to the state at the start;
   *     empty if there is no earlier event
   * @param indivisible the reason why the slice cannot be split; empty if it can
   */
  public record Slice(
      Optional<HlcRange> range,
      boolean single,
      boolean live,
      OptionalLong readFrom,
      Optional<String> indivisible) {
    static Slice of(AnalyzedQuery analyzed, View view, Optional<HlcRange> range, boolean single) {
      OptionalLong readFrom = OptionalLong.empty();
      Optional<HlcRange> stored = view.extent();
      long start = range.map(HlcRange::from).orElse(HlcTimestamp.MAX_PACKED);
      if (stored.isPresent() && stored.get().from() < start) {
        readFrom = OptionalLong.of(stored.get().from());
      }
      Optional<String> indivisible =
          analyzed.hasGlobals()
              ? Optional.of("GLOBAL keeps its value from cut to cut")
              : Optional.empty();
      return new Slice(range, single, analyzed.query().stream(), readFrom, indivisible);
    }
  }

  /**
   * The data that is read from storage, and the numbers of logs, variables and nodes that are not.
   *
   * @param logs each with its total number of events
   * @param variables whose writes make cuts, each with its log
   * @param forEach the pattern of FOR EACH VARIABLE
   * @param nodes those of AT NODES, or a description of the others
   */
  public record Reading(
      List<LogInfo> logs,
      List<String> variables,
      Optional<String> forEach,
      String nodes,
      long skippedLogs,
      long skippedVariables,
      long skippedNodes) {
    /** Copies the lists. */
    public Reading {
      logs = List.copyOf(logs);
      variables = List.copyOf(variables);
    }

    static Reading of(AnalyzedQuery analyzed, View view, Predicate<String> isEach) {
      Statement.Query query = analyzed.query();
      Set<String> names = new HashSet<>();
      query.logs().forEach(log -> names.add(log.text()));
      List<LogInfo> all = view.logs();
      List<LogInfo> logs = all.stream().filter(log -> names.contains(log.name())).toList();
      List<String> variables = new ArrayList<>();
      for (Reference.Variable variable : analyzed.variables()) {
        variables.add(variable.log() + "." + variable.name());
      }
      long skippedVariables =
          logs.stream()
              .flatMap(
                  log -> log.variables().stream().map(v -> new Reference.Variable(log.name(), v)))
              .filter(v -> !analyzed.variables().contains(v) && !isEach.test(v.name()))
              .count();
      Set<String> only = Set.copyOf(analyzed.onlyNodes());
      long skippedNodes =
          only.isEmpty()
              ? 0
              : view.nodes().stream().filter(node -> !only.contains(node.name())).count();
      return new Reading(
          logs,
          variables,
          query.forEach().map(each -> each.like().orElse("%")),
          nodes(analyzed),
          (long) all.size() - logs.size(),
          skippedVariables,
          skippedNodes);
    }

    private static String nodes(AnalyzedQuery analyzed) {
      if (!analyzed.onlyNodes().isEmpty()) {
        return String.join(", ", analyzed.onlyNodes());
      }
      return analyzed.query().nodes() instanceof Statement.NodeScope.Live
          ? "those seen within the idle timeout"
          : "all";
    }
  }

  /**
   * Returns the plan of a query over a view.
   *
   * @param range the history that is walked; empty if there is none
   * @param single whether there is only one cut
   * @param isEach whether FOR EACH VARIABLE includes a name
   * @param ages the number of comparisons of an age with a constant
   * @param predicate how WHEN is evaluated; empty without WHEN
   */
  public static QueryPlan of(
      AnalyzedQuery analyzed,
      View view,
      Optional<HlcRange> range,
      boolean single,
      Predicate<String> isEach,
      long ages,
      Optional<String> predicate) {
    Statement.Query query = analyzed.query();
    OptionalLong forMicros =
        query.when().map(Statement.When::forMicros).orElseGet(OptionalLong::empty);
    return new QueryPlan(
        new Asking(analyzed.emit(), forMicros, ages, query.compute().isPresent(), predicate),
        Slice.of(analyzed, view, range, single),
        Reading.of(analyzed, view, isEach));
  }
}
