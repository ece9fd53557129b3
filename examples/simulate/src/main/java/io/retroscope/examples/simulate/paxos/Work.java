// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.paxos;

/**
 * The messages that a node processes per round. A multicast is serialized once. Immutable.
 *
 * @param deserialized the mean number of messages that it receives
 * @param serialized the mean number of messages that it serializes
 */
public record Work(double deserialized, double serialized) {
  /** The leader of Paxos: a client's request, the replies of all others, a multicast, a reply. */
  public static Work paxosLeader(int nodes) {
    return new Work(nodes, 2);
  }

  /**
   * A node of EPaxos that leads as many rounds as each other. A conflict repeats the round; the
   * published model counts the repetition at the leader only.
   *
   * @param conflicts the share of the rounds with a conflict
   */
  public static Work epaxosNode(int nodes, double conflicts) {
    double followed = nodes - 1;
    return new Work(1 + (nodes - 1) * (1 + conflicts) + followed, 1 + 1 + conflicts + followed);
  }

  /** A node of EPaxos, if followers' work in repeated rounds counts as well. */
  public static Work epaxosNodeWithRepetition(int nodes, double conflicts) {
    Work once = epaxosNode(nodes, conflicts);
    double repeated = conflicts * (nodes - 1);
    return new Work(once.deserialized + repeated, once.serialized + repeated);
  }

  /**
   * A node of WPaxos: a round in its zone, and the requests that it passes on or steals for.
   *
   * @param rows the nodes of a zone
   * @param locality the share of requests for objects of the own zone
   * @param steals the share of the other requests that fetch the object
   * @param firstQuorum the nodes that a steal contacts
   */
  public static Work wpaxosNode(int rows, double locality, double steals, int firstQuorum) {
    double passedInZone = locality * (rows - 1) / rows;
    double stolen = steals * (1 - locality);
    double passedToOther = 1 - locality - stolen;
    return new Work(
        rows + passedInZone + passedToOther + stolen * firstQuorum,
        2 + passedInZone + passedToOther + stolen);
  }

  /** The leader of PigPaxos: a client's request, a reply of each group, and what it sends. */
  public static Work pigLeader(int groups) {
    return new Work(groups + 1, 2);
  }

  /** The mean follower of PigPaxos, with relays that change at random. */
  public static Work pigFollower(int nodes, int groups) {
    double followers = nodes - 1;
    return new Work(1 + (followers - groups) / followers, 1 + groups / followers);
  }

  /** Milliseconds of the processor per round. */
  public double millis(MessageCost cost) {
    return deserialized * cost.deserialize() + serialized * cost.serialize();
  }

  /** The square of the coefficient of variation, for independent messages. */
  double squaredVariation(MessageCost cost) {
    double variance =
        deserialized * Math.pow(cost.deserializeDeviation(), 2)
            + serialized * Math.pow(cost.serializeDeviation(), 2);
    return variance / Math.pow(millis(cost), 2);
  }

  /** The rounds per second of a processor that does nothing else. */
  public double capacity(MessageCost cost) {
    return 1_000 / millis(cost);
  }

  /**
   * The mean wait before a round's messages are processed, in milliseconds, by Marchal's
   * approximation for a G/G/1 queue; infinite from the capacity on.
   *
   * @param perSecond rounds per second
   * @param arrivals the square of the coefficient of variation of the times between rounds: 1 if
   *     they begin at random
   */
  public double waitMillis(MessageCost cost, double perSecond, double arrivals) {
    double load = perSecond / capacity(cost);
    if (load >= 1) {
      return Double.POSITIVE_INFINITY;
    }
    double service = squaredVariation(cost);
    double waiting =
        load
            * load
            * (1 + service)
            * (arrivals + load * load * service)
            / (2 * (1 - load) * (1 + load * load * service));
    return waiting / perSecond * 1_000;
  }
}
