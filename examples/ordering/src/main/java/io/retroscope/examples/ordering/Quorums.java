// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

/**
 * The quorums of 2f+1 replicas. Immutable.
 *
 * @param replicas their number, odd
 */
record Quorums(int replicas) {
  Quorums {
    if (replicas < 1 || replicas % 2 == 0) {
      throw new IllegalArgumentException("replicas must be odd, not " + replicas);
    }
  }

  private int failures() {
    return replicas / 2;
  }

  /** f+1: any two of them share a replica. */
  int majority() {
    return failures() + 1;
  }

  /** f+⌈f/2⌉+1, about three quarters: the replicas that must agree on a speculative result. */
  int superquorum() {
    return failures() + retained();
  }

  /** ⌈f/2⌉+1: the least number of a superquorum that is in every majority. */
  int retained() {
    return (failures() + 1) / 2 + 1;
  }
}
