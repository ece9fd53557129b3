// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.paxos;

/**
 * The time of a node's processor per message, in milliseconds, with standard deviations. Immutable.
 */
public record MessageCost(
    double serialize, double serializeDeviation, double deserialize, double deserializeDeviation) {
  /** As published. */
  public static final MessageCost PUBLISHED = new MessageCost(0.001, 0.005, 0.025, 0.015);
}
