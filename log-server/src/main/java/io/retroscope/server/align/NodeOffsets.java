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
  private final double[] estimate;
  private final double[] low;
  private final double[] high;

  private NodeOffsets(int nodes) {
    estimate = new double[nodes];
    low = new double[nodes];
    high = new double[nodes];
  }

  /** Combines the evidence of messages and stamps. */
  static NodeOffsets of(OffsetFrame frame, List<NodeClock> nodes, double instant, double lag) {
    NodeOffsets offsets = new NodeOffsets(nodes.size());
    double reach = reach(frame, nodes, instant, lag);
    double referenceAhead = Math.max(0, nodes.get(frame.reference()).aheadAt(instant, lag));
    for (NodeClock node : nodes) {
      int i = node.index();
      offsets.low[i] = frame.low(i);
      offsets.high[i] = frame.high(i);
      if (frame.isBounded(i)) {
        offsets.estimate[i] = frame.timeline(i);
      } else {
        offsets.fromStamps(i, node.aheadAt(instant, lag), referenceAhead, reach);
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
  private static double reach(
      OffsetFrame frame, List<NodeClock> nodes, double instant, double lag) {
    double reach = 0;
    for (NodeClock node : nodes) {
      boolean hasClock = node.lastSeen() > Double.NEGATIVE_INFINITY;
      if (hasClock && !(node.aheadAt(instant, lag) > 0) && node.index() != frame.reference()) {
        reach = Math.max(reach, -frame.low(node.index()));
      }
    }
    return reach;
  }

  /** Sets a lower end from stamps alone, for a node to which messages give none. */
  private void fromStamps(int i, double ahead, double referenceAhead, double reach) {
    boolean known = ahead > Double.NEGATIVE_INFINITY;
    if (known && low[i] == Double.NEGATIVE_INFINITY) {
      low[i] = Math.min(Math.max(0, ahead) - reach, high[i]);
    }
    double guess = known ? Math.max(0, ahead) - referenceAhead : Double.NaN;
    if (low[i] > Double.NEGATIVE_INFINITY && high[i] < Double.POSITIVE_INFINITY) {
      estimate[i] = (low[i] + high[i]) / 2;
    } else if (low[i] > Double.NEGATIVE_INFINITY || high[i] < Double.POSITIVE_INFINITY) {
      estimate[i] = Math.max(low[i], Math.min(high[i], known ? guess : 0));
    } else {
      estimate[i] = guess;
    }
  }

  /**
   * A node's offset.
   *
   * @param wideningMicros added to both sides of the interval
   * @return empty if nothing is known
   */
  Optional<Offset> offset(int node, double wideningMicros) {
    if (node >= estimate.length || Double.isNaN(estimate[node])) {
      return Optional.empty();
    }
    return Optional.of(
        new Offset(
            Math.round(estimate[node]),
            end(Math.floor(low[node] - wideningMicros)),
            end(Math.ceil(high[node] + wideningMicros))));
  }

  private static OptionalLong end(double micros) {
    return Double.isInfinite(micros) ? OptionalLong.empty() : OptionalLong.of((long) micros);
  }

  /** The least offset of a node, negative infinity if unknown. */
  double lowMicros(int node) {
    return node < low.length ? low[node] : Double.NEGATIVE_INFINITY;
  }

  /** The greatest offset of a node, positive infinity if unknown. */
  double highMicros(int node) {
    return node < high.length ? high[node] : Double.POSITIVE_INFINITY;
  }

  /** A node's offset on the timeline; NaN if nothing is known. */
  double estimateMicros(int node) {
    return node < estimate.length ? estimate[node] : Double.NaN;
  }
}
