// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.paxos;

/**
 * A local network whose round trips are normal, in milliseconds. Immutable.
 *
 * @param mean of the round trips
 */
public record LocalNetwork(double mean, double deviation) {
  /** As measured and published. */
  public static final LocalNetwork PUBLISHED = new LocalNetwork(0.427, 0.0476);

  /** A constant overhead of four messages of 0.01 ms each, as in the first published model. */
  public static final double FIRST_OVERHEAD = 0.04;

  /**
   * The mean time to the last reply that a quorum needs.
   *
   * @param quorum with the leader, which replies to itself at once
   */
  public double quorumMillis(int nodes, int quorum) {
    return OrderStatistic.expected(mean, deviation, nodes - 1, quorum - 1);
  }

  /** The quorum of a majority. */
  public double majorityMillis(int nodes) {
    return quorumMillis(nodes, nodes / 2 + 1);
  }

  /** The mean latency that a client sees, with the queue of the leader. */
  public double latencyMillis(int nodes, int quorum, MessageCost cost, double perSecond) {
    double deviationOfAll =
        Math.sqrt(
            deviation * deviation
                + Math.pow(cost.serializeDeviation(), 2)
                + Math.pow(cost.deserializeDeviation(), 2));
    LocalNetwork withCost =
        new LocalNetwork(mean + cost.serialize() + cost.deserialize(), deviationOfAll);
    return withCost.quorumMillis(nodes, quorum)
        + Work.paxosLeader(nodes).waitMillis(cost, perSecond, 1)
        + 3 * cost.serialize()
        + cost.deserialize()
        + mean;
  }
}
