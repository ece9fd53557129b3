// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.compare;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.NaturalOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The comparison of two runs of one system. The steps of each node are compared in their order;
 * what different nodes do at the same time may come in any order. Immutable.
 *
 * @param nodes in natural order
 */
record RunComparison(SystemRun first, SystemRun second, List<NodeComparison> nodes) {
  /**
   * The comparison of one node.
   *
   * @param equalSteps the number of equal steps at the beginning
   * @param next the step of the first run after them; empty if it has none
   * @param other the step of the second run after them; empty if it has none
   */
  record NodeComparison(
      String node,
      int equalSteps,
      int firstSteps,
      int secondSteps,
      Optional<Step> next,
      Optional<Step> other) {
    boolean differs() {
      return next.isPresent() || other.isPresent();
    }
  }

  static RunComparison of(SystemRun first, SystemRun second) {
    TreeSet<String> names = new TreeSet<>(NaturalOrder.INSTANCE);
    names.addAll(first.nodes().keySet());
    names.addAll(second.nodes().keySet());
    List<NodeComparison> nodes = new ArrayList<>();
    for (String name : names) {
      nodes.add(
          compare(
              name,
              first.nodes().getOrDefault(name, List.of()),
              second.nodes().getOrDefault(name, List.of())));
    }
    return new RunComparison(first, second, List.copyOf(nodes));
  }

  private static NodeComparison compare(String name, List<Step> first, List<Step> second) {
    int equal = 0;
    while (equal < Math.min(first.size(), second.size())
        && first.get(equal).hasPartsOf(second.get(equal))) {
      equal++;
    }
    return new NodeComparison(
        name, equal, first.size(), second.size(), at(first, equal), at(second, equal));
  }

  private static Optional<Step> at(List<Step> steps, int index) {
    return index < steps.size() ? Optional.of(steps.get(index)) : Optional.empty();
  }

  /**
   * The node that differs first, by the time since the start of its run: differences at other nodes
   * may be its effects. Empty if the runs are equal.
   */
  Optional<NodeComparison> divergence() {
    return nodes.stream()
        .filter(NodeComparison::differs)
        .min(Comparator.comparingLong(this::microsSinceStart));
  }

  private long microsSinceStart(NodeComparison node) {
    long next = node.next().map(step -> micros(first, step)).orElse(Long.MAX_VALUE);
    long other = node.other().map(step -> micros(second, step)).orElse(Long.MAX_VALUE);
    return Math.min(next, other);
  }

  /** The time from the first step of a run to another of its steps. */
  static long micros(SystemRun run, Step step) {
    return HlcTimestamp.micros(step.hlc()) - HlcTimestamp.micros(run.start());
  }

  /** The number of equal steps of all nodes. */
  long equalSteps() {
    return nodes.stream().mapToLong(NodeComparison::equalSteps).sum();
  }

  /** The sentences about events that may be missing from a run. */
  List<String> losses() {
    List<String> losses = new ArrayList<>();
    first.losses().forEach(sentence -> losses.add("first run: " + sentence));
    second.losses().forEach(sentence -> losses.add("second run: " + sentence));
    return losses;
  }
}
