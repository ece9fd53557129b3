// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

/** What the clients use in an act. */
enum Protocol {
  /** One leader, which sends to all. */
  PAXOS,
  /** One leader, which sends to a relay in each zone. */
  PIG,
  /** Each replica leads the commands of its own client. */
  EPAXOS,
  /** Each object has an owner, which moves to the zone that uses it. */
  WPAXOS,
  /** Nothing. */
  NONE
}
