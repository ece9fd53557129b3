// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

/** The forms of rules that are proposed, the most specific first. */
enum Template {
  /** A state has one node for each value of a number, such as a leader for each term. */
  ONE_PER_NUMBER(4),
  /** Several nodes back the greatest value of a number, such as a quorum the commit index. */
  BACKED(3),
  /** A value comes once. */
  ONCE(4),
  /** A value in one field is followed by the same one in another. */
  ANSWERED(4),
  /** A value is in the set of its node. */
  IN_SET(4),
  /** A number is not less than another one. */
  ORDERED(2),
  /** At most one node has a value. */
  AT_MOST_ONE(7),
  /** A variable has one of a few values. */
  ONE_OF(3),
  /** The nodes agree, but for a while. */
  AGREEMENT(2),
  /** A state ends. */
  ENDS(1),
  /** Nodes are not far apart. */
  BOUNDED_LAG(2),
  /** The numbers of a log do not fall. */
  MONOTONE(4),
  /** A number does not exceed a bound. */
  AT_MOST(2),
  /** A number is not below a bound. */
  AT_LEAST(2);

  private final int most;

  Template(int most) {
    this.most = most;
  }

  /** The most rules of the form that are proposed. */
  int most() {
    return most;
  }
}
