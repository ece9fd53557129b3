// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

/** Numbers of attempts to lead, which contain the leader: no two replicas use the same. */
final class Ballot {
  private static final long REPLICAS = 100;

  private Ballot() {}

  /** The lowest ballot of a replica above another ballot. */
  static long above(long ballot, String leader) {
    return (ballot / REPLICAS + 1) * REPLICAS + Layout.index(leader);
  }

  static String leader(long ballot) {
    return Layout.replica((int) (ballot % REPLICAS));
  }
}
