package io.retroscope.rql.plan;

import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.cut.EventSource.LogInfo;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a query reads and how it is evaluated.
 *
 * @param logs read from storage, with the events that each holds
 * @param variables whose writes make cuts, each with its log
 * @param skippedVariables how many variables of the logs are not looked at
 * @param forEach the pattern of FOR EACH VARIABLE
 * @param nodes those of AT NODES, or words for the others
 * @param range the stamps walked; empty where nothing is stored
 * @param single whether there is but one cut
 * @param stream whether the walk goes on live after the range
 * @param predicate how WHEN is evaluated; empty without one
 * @param inOrder why the walk cannot be split into time slices; empty where it can
 */
public record QueryPlan(
    List<LogInfo> logs,
    List<String> variables,
    long skippedVariables,
    Optional<String> forEach,
    String nodes,
    Optional<HlcRange> range,
    boolean single,
    boolean stream,
    Optional<String> predicate,
    Emit emit,
    Optional<String> inOrder) {
  /** Copies the lists. */
  public QueryPlan {
    logs = List.copyOf(logs);
    variables = List.copyOf(variables);
  }

  /**
   * The plan of a query over a view.
   *
   * @param predicate how WHEN is evaluated; empty without one
   */
  public static QueryPlan of(
      AnalyzedQuery analyzed,
      View view,
      Optional<HlcRange> range,
      boolean single,
      Optional<String> predicate) {
    Statement.Query query = analyzed.query();
    List<String> names = query.logs().stream().map(Identifier::text).toList();
    List<LogInfo> logs = view.logs().stream().filter(l -> names.contains(l.name())).toList();
    List<String> variables = new ArrayList<>();
    for (Reference.Variable variable : analyzed.variables()) {
      variables.add(variable.log() + "." + variable.name());
    }
    long all = logs.stream().mapToLong(log -> log.variables().size()).sum();
    Optional<String> forEach = query.forEach().map(each -> each.like().orElse("%"));
    boolean lasting =
        query.when().flatMap(w -> w.forMicros().stream().boxed().findFirst()).isPresent();
    return new QueryPlan(
        logs,
        variables,
        forEach.isPresent() ? 0 : Math.max(0, all - variables.size()),
        forEach,
        nodes(analyzed),
        range,
        single,
        query.stream(),
        predicate,
        query.emit().orElse(lasting ? Emit.INTERVALS : Emit.CUTS),
        analyzed.hasGlobals()
            ? Optional.of("GLOBAL keeps its value from cut to cut")
            : Optional.empty());
  }

  private static String nodes(AnalyzedQuery analyzed) {
    if (!analyzed.onlyNodes().isEmpty()) {
      return String.join(", ", analyzed.onlyNodes());
    }
    return analyzed.query().nodes() instanceof Statement.NodeScope.Live
        ? "those heard from within the idle timeout"
        : "all";
  }
}
