// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.List;

/** How a leader's message gets to the other replicas. */
enum Fanout {
  /** To each of them: Paxos. */
  DIRECT("accept", "accepted"),

  /** To a random relay in each zone, which gathers the answers of the zone: PigPaxos. */
  RELAYED("relay", "gathered");

  private final String request;
  private final String answer;

  Fanout(String request, String answer) {
    this.request = request;
    this.answer = answer;
  }

  /** The kind of the leader's messages. */
  String request() {
    return request;
  }

  /** The kind of the messages that answer them. */
  String answer() {
    return answer;
  }

  /** The groups that get one message each. */
  List<List<String>> groups(String leader) {
    return this == RELAYED
        ? Layout.groupsWithout(leader)
        : Layout.REPLICAS.stream().filter(other -> !other.equals(leader)).map(List::of).toList();
  }
}
