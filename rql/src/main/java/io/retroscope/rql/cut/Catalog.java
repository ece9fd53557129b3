package io.retroscope.rql.cut;

import io.retroscope.rql.cut.EventSource.LogInfo;
import io.retroscope.rql.cut.EventSource.NodeInfo;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The logs, variables and nodes that can be queried.
 *
 * @param logs ordered by name
 * @param nodes in natural order
 */
public record Catalog(List<LogInfo> logs, List<NodeInfo> nodes) {
  /** The catalog without any events. */
  public static final Catalog EMPTY = new Catalog(List.of(), List.of());

  /** Copies the lists. */
  public Catalog {
    logs = List.copyOf(logs);
    nodes = List.copyOf(nodes);
  }

  /** Returns the catalog of one view of the stored events. */
  public static Catalog of(EventSource.View view) {
    return new Catalog(view.logs(), view.nodes());
  }

  /** The range from the first to the last stamp of all nodes; empty if none has any. */
  public Optional<HlcRange> extent() {
    return nodes.stream()
        .filter(node -> node.firstHlc() <= node.lastHlc())
        .map(node -> new HlcRange(node.firstHlc(), node.lastHlc()))
        .reduce((a, b) -> new HlcRange(Math.min(a.from(), b.from()), Math.max(a.to(), b.to())));
  }

  /** The names of the logs, ordered. */
  public Set<String> logNames() {
    return logs.stream().map(LogInfo::name).collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** The names of the nodes, in natural order. */
  public Set<String> nodeNames() {
    return nodes.stream().map(NodeInfo::name).collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Returns the names of a log's variables, ordered, or an empty list for an unknown log. */
  public List<String> variables(String log) {
    return logs.stream()
        .filter(known -> known.name().equals(log))
        .findFirst()
        .map(LogInfo::variables)
        .orElse(List.of());
  }

  /** The names of all logs, variables and nodes, possibly with repetitions. */
  public Stream<String> names() {
    return Stream.concat(
        logs.stream()
            .flatMap(log -> Stream.concat(Stream.of(log.name()), log.variables().stream())),
        nodes.stream().map(NodeInfo::name));
  }
}
