// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The offsets of all nodes from one reference node at one instant, from messages where these give
 * bounds and otherwise from stamps. Immutable.
 */
final class NodeOffsets {
  private final double[] estimateMicros;
  private final double[] lowMicros;
  private final double[] highMicros;

  private NodeOffsets(int nodes) {
    estimateMicros = new double[nodes];
    lowMicros = new double[nodes];
    highMicros = new double[nodes];
  }

  /** Combines the evidence of messages and stamps. */
  static NodeOffsets of(
      OffsetFrame frame, List<NodeClock> nodes, double instantMicros, double lagMicros) {
    NodeOffsets offsets = new NodeOffsets(nodes.size());
    double reachMicros = reachMicros(frame, nodes, instantMicros, lagMicros);
    double referenceAheadMicros =
        Math.max(0, nodes.get(frame.reference()).aheadAt(instantMicros, lagMicros));
    for (NodeClock node : nodes) {
      int i = node.index();
      offsets.lowMicros[i] = frame.low(i);
      offsets.highMicros[i] = frame.high(i);
      if (frame.isBounded(i)) {
        offsets.estimateMicros[i] = frame.timeline(i);
      } else {
        offsets.fromStamps(
            i, node.aheadAt(instantMicros, lagMicros), referenceAheadMicros, reachMicros);
      }
    }
    return offsets;
  }

  /**
   * The maximum lead of the highest clock over the reference. The highest clock is one of those
   * that no stamp shows to be below another: if messages link all of these to the reference, the
   * lead is known.
   *
   * @return positive infinity if it is unknown
   */
  private static double reachMicros(
      OffsetFrame frame, List<NodeClock> nodes, double instantMicros, double lagMicros) {
    double reachMicros = 0;
    for (NodeClock node : nodes) {
      boolean hasClock = node.lastSeenMicros() > Double.NEGATIVE_INFINITY;
      if (hasClock
          && !(node.aheadAt(instantMicros, lagMicros) > 0)
          && node.index() != frame.reference()) {
        reachMicros = Math.max(reachMicros, -frame.low(node.index()));
      }
    }
    return reachMicros;
  }

  /** Sets a lower end from stamps alone, for a node to which messages give none. */
  private void fromStamps(
      int i, double aheadMicros, double referenceAheadMicros, double reachMicros) {
    boolean known = aheadMicros > Double.NEGATIVE_INFINITY;
    if (known && lowMicros[i] == Double.NEGATIVE_INFINITY) {
      lowMicros[i] = Math.min(Math.max(0, aheadMicros) - reachMicros, highMicros[i]);
    }
    double guessMicros = known ? Math.max(0, aheadMicros) - referenceAheadMicros : Double.NaN;
    if (lowMicros[i] > Double.NEGATIVE_INFINITY && highMicros[i] < Double.POSITIVE_INFINITY) {
      estimateMicros[i] = (lowMicros[i] + highMicros[i]) / 2;
    } else if (lowMicros[i] > Double.NEGATIVE_INFINITY
        || highMicros[i] < Double.POSITIVE_INFINITY) {
      estimateMicros[i] = Math.max(lowMicros[i], Math.min(highMicros[i], known ? guessMicros : 0));
    } else {
      estimateMicros[i] = guessMicros;
    }
  }

  /**
   * A node's offset.
   *
   * @param wideningMicros added to both sides of the interval
   * @return empty if nothing is known
   */
  Optional<Offset> offset(int node, double wideningMicros) {
    if (node >= estimateMicros.length || Double.isNaN(estimateMicros[node])) {
      return Optional.empty();
    }
    return Optional.of(
        new Offset(
            Math.round(estimateMicros[node]),
            end(Math.floor(lowMicros[node] - wideningMicros)),
            end(Math.ceil(highMicros[node] + wideningMicros))));
  }

  private static OptionalLong end(double micros) {
    return Double.isInfinite(micros) ? OptionalLong.empty() : OptionalLong.of((long) micros);
  }

  /** Whether both ends of a node's interval are known. */
  boolean isBounded(int node) {
    return lowMicros(node) > Double.NEGATIVE_INFINITY
        && highMicros(node) < Double.POSITIVE_INFINITY;
  }

  /** Whether an end of a node's interval is known. */
  boolean isPartlyBounded(int node) {
    return lowMicros(node) > Double.NEGATIVE_INFINITY
        || highMicros(node) < Double.POSITIVE_INFINITY;
  }

  /** The least offset of a node, negative infinity if unknown. */
  double lowMicros(int node) {
    return node < lowMicros.length ? lowMicros[node] : Double.NEGATIVE_INFINITY;
  }

  /** The greatest offset of a node, positive infinity if unknown. */
  double highMicros(int node) {
    return node < highMicros.length ? highMicros[node] : Double.POSITIVE_INFINITY;
  }

  /** A node's offset on the timeline; NaN if nothing is known. */
  double estimateMicros(int node) {
    return node < estimateMicros.length ? estimateMicros[node] : Double.NaN;
  }
}
