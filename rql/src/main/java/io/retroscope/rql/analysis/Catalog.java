package io.retroscope.rql.analysis;

import io.retroscope.rql.cut.EventSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The logs, variables and nodes that there are. Immutable. */
public final class Catalog {
  /** Nothing was recorded so far. */
  public static final Catalog EMPTY = new Catalog(Map.of(), List.of());

  private final Map<String, List<String>> variablesByLog;
  private final List<String> nodes;

  /**
   * A catalogue.
   *
   * @param variablesByLog the variables' names of each log, ordered
   */
  public Catalog(Map<String, List<String>> variablesByLog, Collection<String> nodes) {
    this.variablesByLog = new HashMap<>(variablesByLog);
    this.nodes = List.copyOf(nodes);
  }

  /** What one view of the stored events holds. */
  public static Catalog of(EventSource.View view) {
    Map<String, List<String>> variables = new HashMap<>();
    view.logs().forEach(log -> variables.put(log.name(), log.variables()));
    return new Catalog(variables, view.nodes().stream().map(EventSource.NodeInfo::name).toList());
  }

  /** The names of the logs. */
  Set<String> logs() {
    return variablesByLog.keySet();
  }

  /** The names of a log's variables, none where there is no such log. */
  List<String> variables(String log) {
    return variablesByLog.getOrDefault(log, List.of());
  }

  /** The names of the nodes. */
  Set<String> nodes() {
    return new HashSet<>(nodes);
  }
}
