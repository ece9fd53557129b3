// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The offsets of all nodes from one reference node at one instant: an interval for each node, which
 * follows from all bounds together, and one timeline for all nodes, which satisfies every bound.
 * Immutable.
 *
 * <p>Offsets are in microseconds, except that those of an {@link OffsetModel} are in its unit.
 */
public final class OffsetFrame {
  /*
   * With D(k, i) for the shortest path from k to i, no solution has offset(i) - offset(k) above
   * D(k, i), and some solution reaches it. So the interval of i against reference d is [-D(i, d),
   * D(d, i)]: shortest paths from d along the arcs and against them.
   *
   * The timeline is the least-squares fit to the middles of all pairs' intervals. If every pair has
   * both ends, that fit is the mean over all nodes k of the middle solutions m_k(i) = (D(k, i) -
   * D(i, k)) / 2. D(k, .) and -D(., k) are solutions, so each m_k is one, and so is their mean: the
   * fit needs no clamping. Therefore the mean over a sample of nodes is sufficient for a large
   * cluster.
   */

  /**
   * The number of nodes whose middle solutions are averaged; in a larger cluster these are a
   * sample.
   */
  static final int MAX_CENTRES = 64;

  private static final int MIN_CENTRES = 8;

  private final int reference;
  private final double[] low;
  private final double[] high;
  private final double[] timeline;

  private OffsetFrame(int reference, double[] low, double[] high, double[] timeline) {
    this.reference = reference;
    this.low = low;
    this.high = high;
    this.timeline = timeline;
  }

  /**
   * Computes the offsets that a set of bounds implies.
   *
   * @param graph bounds without a contradiction
   * @param nowMicros the instant at which the bounds count
   * @param rho the rate at which they loosen, as a ratio
   */
  static OffsetFrame solve(ConstraintGraph graph, double nowMicros, double rho, int reference) {
    return solve(graph, nowMicros, rho, reference, MAX_CENTRES);
  }

  /**
   * Computes the offsets that a set of bounds implies.
   *
   * @param maxCentres the number of nodes to whose pairs the timeline is fitted, 1 or more; with 1
   *     it is the middle of the intervals
   */
  static OffsetFrame solve(
      ConstraintGraph graph, double nowMicros, double rho, int reference, int maxCentres) {
    Paths paths = new Paths(graph, nowMicros, rho);
    double[] high = paths.from(reference);
    double[] low = paths.to(reference);
    for (int i = 0; i < low.length; i++) {
      low[i] = 0 - low[i];
    }
    return new OffsetFrame(reference, low, high, timeline(paths, reference, low, high, maxCentres));
  }

  private static double[] timeline(
      Paths paths, int reference, double[] low, double[] high, int maxCentres) {
    int nodes = low.length;
    double[] sum = new double[nodes];
    List<Integer> linked = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      sum[i] = (low[i] + high[i]) / 2;
      if (isFinite(low[i], high[i])) {
        linked.add(i);
      }
    }
    linked.remove(Integer.valueOf(reference));
    int affordable = MAX_CENTRES * MAX_CENTRES / Math.max(MAX_CENTRES, linked.size());
    int most = Math.min(maxCentres, Math.max(MIN_CENTRES, affordable));
    int centres = Math.min(linked.size(), most - 1);
    for (int c = 0; c < centres; c++) {
      int centre = linked.get((int) ((long) c * linked.size() / centres));
      double[] from = paths.from(centre);
      double[] to = paths.to(centre);
      double origin = (from[reference] - to[reference]) / 2;
      for (int i : linked) {
        sum[i] += (from[i] - to[i]) / 2 - origin;
      }
    }
    for (int i : linked) {
      sum[i] /= centres + 1;
    }
    return sum;
  }

  private static boolean isFinite(double low, double high) {
    return low > Double.NEGATIVE_INFINITY && high < Double.POSITIVE_INFINITY;
  }

  /** The node whose offset is 0. */
  public int reference() {
    return reference;
  }

  /** The number of nodes. */
  public int size() {
    return low.length;
  }

  /** The least offset of a node; negative infinity if unknown. */
  public double low(int node) {
    return node < low.length ? low[node] : Double.NEGATIVE_INFINITY;
  }

  /** The greatest offset of a node; positive infinity if unknown. */
  public double high(int node) {
    return node < high.length ? high[node] : Double.POSITIVE_INFINITY;
  }

  /** Whether both ends of a node's interval are known. */
  public boolean isBounded(int node) {
    return isFinite(low(node), high(node));
  }

  /**
   * The largest possible distance between any two clocks for which a bound is known.
   *
   * @param aboveMicros the minimum lead of a clock over the reference, 0 or more
   */
  double spreadMicros(double aboveMicros) {
    double least = -aboveMicros;
    double most = 0;
    for (int i = 0; i < low.length; i++) {
      for (double end : new double[] {low[i], high[i]}) {
        if (!Double.isInfinite(end)) {
          least = Math.min(least, end);
          most = Math.max(most, end);
        }
      }
    }
    return most - least;
  }

  /** The middle of a node's interval; meaningless unless it is bounded. */
  public double middle(int node) {
    return (low(node) + high(node)) / 2;
  }

  /** A node's offset on the common timeline; meaningless unless its interval is bounded. */
  public double timeline(int node) {
    return timeline[node];
  }

  /** Shortest paths by label correction, first in first out. */
  private static final class Paths {
    /*
     * Without a negative cycle no node is queued more often than there are nodes. A graph may accept
     * cycles that are negative by as much as the possible rounding error of each of their arcs.
     * Without a limit, the search would follow such a cycle for ever; with it, no length is wrong by
     * more than these errors.
     */

    private final ConstraintGraph graph;
    private final double nowMicros;
    private final double rho;
    private final ArrayDeque<Integer> pending = new ArrayDeque<>();
    private final boolean[] queued;
    private final int[] queuedCount;

    Paths(ConstraintGraph graph, double nowMicros, double rho) {
      this.graph = graph;
      this.nowMicros = nowMicros;
      this.rho = rho;
      this.queued = new boolean[graph.size()];
      this.queuedCount = new int[graph.size()];
    }

    /** The length of the shortest path from one node to each. */
    double[] from(int source) {
      return search(source, true);
    }

    /** The length of the shortest path from each node to one. */
    double[] to(int target) {
      return search(target, false);
    }

    private double[] search(int origin, boolean forward) {
      double[] length = new double[graph.size()];
      Arrays.fill(length, Double.POSITIVE_INFINITY);
      Arrays.fill(queuedCount, 0);
      length[origin] = 0;
      pending.add(origin);
      while (!pending.isEmpty()) {
        int node = pending.remove();
        queued[node] = false;
        for (Bound bound : forward ? graph.outgoing(node) : graph.incoming(node)) {
          int next = forward ? bound.head() : bound.tail();
          double candidate = length[node] + bound.at(nowMicros, rho);
          if (candidate < length[next] - ConstraintGraph.ROUNDING_MICROS) {
            length[next] = candidate;
            if (!queued[next] && queuedCount[next]++ < length.length) {
              queued[next] = true;
              pending.add(next);
            }
          }
        }
      }
      return length;
    }
  }
}
