package io.retroscope.rql.analysis;

import io.retroscope.rql.cut.EventSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The known logs, variables and nodes. Immutable. */
public final class Catalog {
  /** The catalog without any events. */
  public static final Catalog EMPTY = new Catalog(Map.of(), List.of());

  private final Map<String, List<String>> variablesByLog;
  private final List<String> nodes;

  /**
   * Creates a catalog.
   *
   * @param variablesByLog the variables' names of each log, ordered
   */
  public Catalog(Map<String, List<String>> variablesByLog, Collection<String> nodes) {
    this.variablesByLog = new HashMap<>(variablesByLog);
    this.nodes = List.copyOf(nodes);
  }

  /** Returns the catalog of one view of the stored events. */
  public static Catalog of(EventSource.View view) {
    Map<String, List<String>> variables = new HashMap<>();
    view.logs().forEach(log -> variables.put(log.name(), log.variables()));
    return new Catalog(variables, view.nodes().stream().map(EventSource.NodeInfo::name).toList());
  }

  /** The names of the logs. */
  Set<String> logs() {
    return variablesByLog.keySet();
  }

  /** Returns the names of a log's variables, or an empty list for an unknown log. */
  List<String> variables(String log) {
    return variablesByLog.getOrDefault(log, List.of());
  }

  /** The names of the nodes. */
  Set<String> nodes() {
    return new HashSet<>(nodes);
  }
}
