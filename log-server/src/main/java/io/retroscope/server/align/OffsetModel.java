package io.retroscope.server.align;

import java.util.ArrayList;
import java.util.List;

/**
 * The estimator behind {@link ClockAlignment} by itself, for simulations: nodes are numbers, what
 * events and messages say are figures, and nobody looks for a driver. Not thread-safe.
 *
 * <p>Readings, stamps, delays and instants are in one unit of time, which need not be microseconds.
 * Instants are on one common scale from any origin.
 */
public final class OffsetModel {
  private final double minimumDelay;
  private final OffsetEstimator estimator;
  private final List<NodeClock> clocks = new ArrayList<>();

  /**
   * A model without evidence.
   *
   * @param nodes how many there are; they are numbered from 0
   * @param rho bound on the relative rate of two clocks, a plain ratio, 0 or more
   * @param minimumDelay no message travels faster than this in true time, 0 or more
   */
  public OffsetModel(int nodes, double rho, double minimumDelay) {
    // The slowest clock sees that much of it pass.
    this.minimumDelay = minimumDelay * (1 - rho);
    this.estimator = new OffsetEstimator(rho, AlignmentSettings.DEFAULT.maxHistorySlices());
    for (int i = 0; i < nodes; i++) {
      clocks.add(new NodeClock("", i, rho));
    }
  }

  /** Takes an event: its stamp was read from some clock at or before it. */
  public void stamp(int node, double stamp, double reading, double instant) {
    clocks.get(node).behind(stamp - reading, instant);
  }

  /**
   * Takes a message.
   *
   * @param sentReading the sender's clock when it was sent
   * @param receivedReading the receiver's clock when it was received
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
   * How far the highest clock is at least ahead of a node's, as the stamps of its own events tell.
   *
   * @param instant not before any event of this node
   * @return negative infinity where it had none
   */
  public double leastOffset(int node, double instant) {
    return clocks.get(node).aheadAt(instant, 0);
  }

  /**
   * What all messages together tell of every node's offset from one.
   *
   * @param instant not before any message
   */
  public OffsetFrame offsets(int reference, double instant) {
    return estimator.frameNow(reference, instant);
  }
}
