package io.retroscope.rql.client;

import io.retroscope.rql.cut.HlcRange;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The logs, variables and nodes that can be queried.
 *
 * @param logs ordered by name
 * @param nodes in natural order
 * @param extent from the first to the last stamp; empty if nothing is stored
 */
public record Catalog(List<Log> logs, List<String> nodes, Optional<HlcRange> extent) {
  /** The empty catalog. */
  public static final Catalog EMPTY = new Catalog(List.of(), List.of(), Optional.empty());

  /** Copies the lists. */
  public Catalog {
    logs = List.copyOf(logs);
    nodes = List.copyOf(nodes);
  }

  /** The names of all logs, variables and nodes, possibly with repetitions. */
  public Stream<String> names() {
    return Stream.concat(
        logs.stream().flatMap(log -> Stream.concat(Stream.of(log.name), log.variables.stream())),
        nodes.stream());
  }

  /**
   * A log.
   *
   * @param variables ordered by name
   */
  public record Log(String name, List<String> variables) {
    /** Copies the variables. */
    public Log {
      variables = List.copyOf(variables);
    }
  }
}
