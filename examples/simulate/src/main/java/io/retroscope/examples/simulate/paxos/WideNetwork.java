// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.paxos;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Five regions with their mean round trips in milliseconds, and protocols between them. */
public final class WideNetwork {
  /** Virginia, Oregon, California, Ireland and Japan. */
  public static final List<String> REGIONS = List.of("VA", "OR", "CA", "IR", "JP");

  private static final double[][] ROUND_TRIPS = {
    {0, 86, 65, 80, 156},
    {86, 0, 28, 154, 131},
    {65, 28, 0, 137, 115},
    {80, 154, 137, 0, 218},
    {156, 131, 115, 218, 0},
  };

  /** Of each mean round trip, as published. */
  private static final double DEVIATION = 2;

  private static final int WPAXOS_ROWS = 3;
  private static final double WPAXOS_STEALS = 0.01;

  private final LocalNetwork local;
  private final MessageCost cost;

  /** The network with these local round trips within a region. */
  public WideNetwork(LocalNetwork local, MessageCost cost) {
    this.local = local;
    this.cost = cost;
  }

  /** The mean round trip between two regions. */
  public static double roundTrip(int from, int to) {
    return ROUND_TRIPS[from][to];
  }

  private double quorumMillis(int leader, int quorum) {
    double[] means =
        IntStream.range(0, REGIONS.size())
            .filter(region -> region != leader)
            .mapToDouble(region -> ROUND_TRIPS[leader][region])
            .toArray();
    double[] deviations = means.clone();
    Arrays.fill(deviations, DEVIATION);
    return OrderStatistic.expected(means, deviations, quorum - 1);
  }

  private double ownMillis() {
    return local.mean() + 3 * cost.serialize() + cost.deserialize();
  }

  /**
   * The mean latency of Paxos, for clients that are evenly distributed over the regions.
   *
   * @param perSecond rounds of all regions
   */
  public double paxosMillis(int leader, double perSecond) {
    double toLeader =
        IntStream.range(0, REGIONS.size())
            .mapToDouble(region -> ROUND_TRIPS[region][leader])
            .average()
            .orElseThrow();
    return toLeader
        + quorumMillis(leader, REGIONS.size() / 2 + 1)
        + ownMillis()
        + Work.paxosLeader(REGIONS.size()).waitMillis(cost, perSecond, 1);
  }

  /** The mean latency of EPaxos for clients of a region; its fast quorum of five is three. */
  public double epaxosMillis(int region, double conflicts, double perSecond) {
    double quorum = quorumMillis(region, REGIONS.size() / 2 + 1);
    return quorum * (1 + conflicts)
        + ownMillis()
        + Work.epaxosNode(REGIONS.size(), conflicts)
            .waitMillis(cost, perSecond / REGIONS.size(), 1);
  }

  /** The rounds per second of EPaxos, all regions together. */
  public double epaxosCapacity(double conflicts) {
    return REGIONS.size() * Work.epaxosNode(REGIONS.size(), conflicts).capacity(cost);
  }

  /** The published WPaxos: three nodes per zone, all of which accept; a steal contacts ten. */
  private static Work wpaxosNode(double locality) {
    return Work.wpaxosNode(WPAXOS_ROWS, locality, WPAXOS_STEALS, 2 * REGIONS.size());
  }

  /** The rounds per second of WPaxos, all regions together. */
  public double wpaxosCapacity(double locality) {
    return WPAXOS_ROWS * REGIONS.size() * wpaxosNode(locality).capacity(cost);
  }

  /** The mean latency of WPaxos over all regions. */
  public double wpaxosMillis(double locality, double perSecond) {
    double round =
        local.quorumMillis(WPAXOS_ROWS, WPAXOS_ROWS)
            + ownMillis()
            + wpaxosNode(locality).waitMillis(cost, perSecond / (WPAXOS_ROWS * REGIONS.size()), 1);
    double sum = 0;
    for (int region = 0; region < REGIONS.size(); region++) {
      double[] trips = ROUND_TRIPS[region];
      double mean = Arrays.stream(trips).sum() / (REGIONS.size() - 1);
      double most = Arrays.stream(trips).max().orElseThrow();
      double stolen = WPAXOS_STEALS * (1 - locality);
      sum +=
          round
              + locality * local.mean() * (WPAXOS_ROWS - 1) / WPAXOS_ROWS
              + (1 - locality - stolen) * mean
              + stolen * most;
    }
    return sum / REGIONS.size();
  }
}
