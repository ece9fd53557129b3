// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The logs, variables and nodes that can be queried.
 *
 * @param logs ordered by name
 * @param nodes in natural order
 */
public record Catalog(List<LogDescription> logs, List<NodeDescription> nodes) {
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

  /** Returns the same catalog with a variable of a log, if the log is known. */
  public Catalog with(String log, String variable) {
    return new Catalog(
        logs.stream()
            .map(known -> known.name().equals(log) ? known.with(variable) : known)
            .toList(),
        nodes);
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
    return logs.stream()
        .map(LogDescription::name)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** The names of the nodes, in natural order. */
  public Set<String> nodeNames() {
    return nodes.stream()
        .map(NodeDescription::name)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Returns the names of a log's variables, ordered, or an empty list for an unknown log. */
  public List<String> variables(String log) {
    return logs.stream()
        .filter(known -> known.name().equals(log))
        .findFirst()
        .map(LogDescription::variables)
        .orElse(List.of());
  }

  /** The names of all logs, variables and nodes, possibly with repetitions. */
  public Stream<String> names() {
    return Stream.concat(
        logs.stream()
            .flatMap(log -> Stream.concat(Stream.of(log.name()), log.variables().stream())),
        nodes.stream().map(NodeDescription::name));
  }

  /** A log, the names of its variables, ordered, and the number of its stored events. */
  public record LogDescription(String name, List<String> variables, long eventCount) {
    private LogDescription with(String variable) {
      TreeSet<String> all = new TreeSet<>(variables);
      return all.add(variable) ? new LogDescription(name, List.copyOf(all), eventCount) : this;
    }
  }

  /**
   * A node.
   *
   * @param eventCount the number of its stored events, without heartbeats
   * @param firstHlc packed, its first stamp, heartbeats included
   * @param lastHlc packed, its last stamp, heartbeats included
   * @param forgotten whether FORGET NODE was used for it; its events remain
   */
  public record NodeDescription(
      String name, long eventCount, long firstHlc, long lastHlc, boolean forgotten) {
    /** Creates a node that was not forgotten. */
    public NodeDescription(String name, long eventCount, long firstHlc, long lastHlc) {
      this(name, eventCount, firstHlc, lastHlc, false);
    }
  }
}
