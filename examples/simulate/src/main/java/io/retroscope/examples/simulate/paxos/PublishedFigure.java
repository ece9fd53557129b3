// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.paxos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A published figure beside that of the model. Immutable.
 *
 * @param subject the quantity, with its unit
 * @param published the figure as published
 * @param model the figure of the model
 * @param remark the source, and the reason for a difference
 */
public record PublishedFigure(String subject, double published, double model, String remark) {
  /** The largest relative difference with which a figure counts as reproduced. */
  private static final double TOLERANCE = 0.002;

  /** Whether both are equal, apart from rounding. */
  public boolean isReproduced() {
    return Math.abs(model - published) <= TOLERANCE * Math.abs(published);
  }

  /** All of them. */
  public static List<PublishedFigure> all() {
    List<PublishedFigure> all = new ArrayList<>();
    LocalNetwork network = LocalNetwork.PUBLISHED;
    MessageCost cost = MessageCost.PUBLISHED;
    double three = network.majorityMillis(3) + LocalNetwork.FIRST_OVERHEAD;
    double five = network.majorityMillis(5) + LocalNetwork.FIRST_OVERHEAD;
    all.add(
        new PublishedFigure(
            "loss from 3 to 5 nodes by the network, %",
            2.9,
            100 * (1 - three / five),
            "published from random draws; this is the exact expectation with 0.04 ms of overhead"));
    double[] capacities = {12_987, 7_874, 5_650, 4_405};
    for (int i = 0; i < capacities.length; i++) {
      int nodes = 3 + 2 * i;
      all.add(
          new PublishedFigure(
              "capacity of Paxos with %d nodes, rounds/s".formatted(nodes),
              capacities[i],
              Work.paxosLeader(nodes).capacity(cost),
              "the leader's processor"));
    }
    double paxos = Work.paxosLeader(5).capacity(cost);
    WideNetwork wide = new WideNetwork(network, cost);
    all.add(
        new PublishedFigure(
            "capacity of EPaxos with 2 % conflicts, times Paxos",
            2.725,
            wide.epaxosCapacity(0.02) / paxos,
            String.format(
                Locale.ROOT,
                "%.3f if the followers' work in repeated rounds counts as well",
                5 * Work.epaxosNodeWithRepetition(5, 0.02).capacity(cost) / paxos)));
    all.add(
        new PublishedFigure(
            "capacity of WPaxos in 5 regions, rounds/s",
            153_675,
            wide.wpaxosCapacity(0.7),
            "70 % of the requests for objects of the own zone, 1 % of the others steal"));
    return List.copyOf(all);
  }
}
