// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.ArrayList;
import java.util.List;

/**
 * The estimator of {@link ClockAlignment} alone, for simulations: nodes are numbers, events and
 * messages are figures, and there is no driver. Not thread-safe.
 *
 * <p>Readings, stamps, delays and instants are in one unit of time, which need not be microseconds.
 * Instants are on one common scale with any origin.
 */
public final class OffsetModel {
  private final double minimumDelay;
  private final OffsetEstimator estimator;
  private final List<NodeClock> clocks = new ArrayList<>();

  /**
   * A model without evidence.
   *
   * @param nodes the number of nodes; they are numbered from 0
   * @param rho bound on the relative rate of two clocks, as a ratio, 0 or more
   * @param minimumDelay the minimum delay of a message in true time, 0 or more
   */
  public OffsetModel(int nodes, double rho, double minimumDelay) {
    // The delay as measured by the slowest clock.
    this.minimumDelay = minimumDelay * (1 - rho);
    this.estimator = new OffsetEstimator(rho, AlignmentSettings.DEFAULT.maxHistorySlices());
    for (int i = 0; i < nodes; i++) {
      clocks.add(new NodeClock("", i, rho));
    }
  }

  /**
   * Adds an event: its stamp was read from some clock at or before it.
   *
   * @param stamp the physical part of its stamp
   * @param reading its node's own clock at the event
   * @param instant the event's instant
   */
  public void stamp(int node, double stamp, double reading, double instant) {
    clocks.get(node).noteLag(stamp - reading, instant);
  }

  /**
   * Adds a message.
   *
   * @param sentReading the sender's clock when it was sent
   * @param sentInstant the instant at which it was sent
   * @param receivedReading the receiver's clock when it was received
   * @param receivedInstant the instant at which it was received
   */
  public void message(
      int sender,
      double sentReading,
      double sentInstant,
      int receiver,
      double receivedReading,
      double receivedInstant) {
    double bound = receivedReading - sentReading - minimumDelay;
    estimator.message(sender, receiver, bound, sentInstant, receivedInstant, 0);
  }

  /**
   * The minimum lead of the highest clock over a node's, from the stamps of its own events.
   *
   * @param instant not before any event of this node
   * @return negative infinity if it has no events
   */
  public double leastOffset(int node, double instant) {
    return clocks.get(node).aheadAt(instant, 0);
  }

  /**
   * The offsets of all nodes from one, from all messages together.
   *
   * @param instant not before any message
   */
  public OffsetFrame offsets(int reference, double instant) {
    return estimator.frameNow(reference, instant);
  }
}
