// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bounds between pairs of nodes that are consistent with each other. Not thread-safe. */
final class ConstraintGraph {
  /*
   * Each bound is an arc tail -> head whose weight is its value at the current instant. A set of
   * such difference constraints is satisfiable if and only if no cycle of arcs has a negative sum.
   * The graph keeps one solution, the potentials: potential(head) <= potential(tail) + weight for
   * every arc.
   *
   * Weights only grow over time, so the solution remains valid. A new arc that the solution already
   * satisfies costs one comparison. Otherwise potentials are lowered along the arcs from its head
   * until all arcs are satisfied again, or until the arc's own tail would have to be lowered: then
   * the visited arcs are a negative cycle. Before the new arc there was none, so every negative
   * cycle contains it, and the search terminates.
   */

  /**
   * The possible rounding error of sums, in microseconds: a billionth of the resolution of clocks.
   */
  static final double ROUNDING_MICROS = 1e-6;

  /** The rate at which bounds loosen, as a ratio. */
  private final double rho;

  private final List<List<Bound>> outgoing = new ArrayList<>();
  private final List<List<Bound>> incoming = new ArrayList<>();
  private final ArrayDeque<Integer> pending = new ArrayDeque<>();
  private final List<Integer> lowered = new ArrayList<>();
  private double[] potentialMicros = new double[0];
  private double[] beforeMicros = new double[0];
  private @Nullable Bound[] reason = new Bound[0];
  private boolean[] queued = new boolean[0];

  /**
   * An empty graph.
   *
   * @param rho the rate at which bounds loosen, as a ratio
   */
  ConstraintGraph(double rho) {
    this.rho = rho;
  }

  /** Extends the graph to this many nodes; it never shrinks. */
  void grow(int nodes) {
    while (outgoing.size() < nodes) {
      outgoing.add(new ArrayList<>(4));
      incoming.add(new ArrayList<>(4));
    }
    if (nodes > potentialMicros.length) {
      int length = Math.max(nodes, 2 * potentialMicros.length);
      potentialMicros = Arrays.copyOf(potentialMicros, length);
      beforeMicros = Arrays.copyOf(beforeMicros, length);
      reason = Arrays.copyOf(reason, length);
      queued = Arrays.copyOf(queued, length);
    }
  }

  /** The number of nodes. */
  int size() {
    return outgoing.size();
  }

  /** The bounds whose tail is this node. */
  List<Bound> outgoing(int node) {
    return outgoing.get(node);
  }

  /** The bounds whose head is this node. */
  List<Bound> incoming(int node) {
    return incoming.get(node);
  }

  /** Adds a bound that is known to be consistent with the others, or will be before it is used. */
  void addUnchecked(Bound bound) {
    outgoing.get(bound.tail()).add(bound);
    incoming.get(bound.head()).add(bound);
  }

  /** Removes a bound. */
  void remove(Bound bound) {
    outgoing.get(bound.tail()).remove(bound);
    incoming.get(bound.head()).remove(bound);
  }

  /**
   * Adds a bound if it is consistent with the others.
   *
   * @param nowMicros the instant, not before that of any bound or earlier call
   * @return empty if it was added; otherwise the bounds, including this one, that contradict each
   *     other
   */
  List<Bound> add(Bound bound, double nowMicros) {
    List<Bound> cycle = settle(bound, nowMicros);
    if (cycle.isEmpty()) {
      addUnchecked(bound);
    } else {
      lowered.forEach(node -> potentialMicros[node] = beforeMicros[node]);
    }
    lowered.forEach(node -> reason[node] = null);
    lowered.clear();
    pending.forEach(node -> queued[node] = false);
    pending.clear();
    return cycle;
  }

  private List<Bound> settle(Bound added, double nowMicros) {
    follow(added, nowMicros);
    while (!pending.isEmpty()) {
      int node = pending.remove();
      queued[node] = false;
      for (Bound bound : outgoing.get(node)) {
        if (follow(bound, nowMicros) && bound.head() == added.tail()) {
          return cycle(added, bound);
        }
      }
    }
    return List.of();
  }

  /**
   * Lowers the potential of the bound's head as far as the bound requires; returns whether it had
   * to.
   */
  private boolean follow(Bound bound, double nowMicros) {
    int head = bound.head();
    double mostMicros = potentialMicros[bound.tail()] + bound.at(nowMicros, rho);
    if (mostMicros >= potentialMicros[head] - ROUNDING_MICROS) {
      return false;
    }
    if (reason[head] == null) {
      beforeMicros[head] = potentialMicros[head];
      lowered.add(head);
    }
    potentialMicros[head] = mostMicros;
    reason[head] = bound;
    if (!queued[head]) {
      queued[head] = true;
      pending.add(head);
    }
    return true;
  }

  private List<Bound> cycle(Bound added, Bound last) {
    List<Bound> cycle = new ArrayList<>();
    Bound bound = last;
    while (!bound.equals(added)) {
      cycle.add(bound);
      Bound previous = reason[bound.tail()];
      if (previous == null || cycle.size() > size()) {
        throw new AssertionError("a negative cycle that does not close at " + bound);
      }
      bound = previous;
    }
    cycle.add(added);
    return cycle;
  }
}
