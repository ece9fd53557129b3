// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import java.util.List;

/** The kinds of traits, the plainest first. */
enum TraitKind {
  /** A variable had a value at some node. */
  HELD(false, 0),
  /** A variable had a value at a certain node. */
  HELD_AT(false, 0),
  /** The greatest value, at least a bound. */
  HIGH(true, 0),
  /** The least value, at most a bound. */
  LOW(true, 0),
  /** A number became less at a node. */
  FELL(false, 0),
  /** A variable had a value at two nodes at one cut. */
  HELD_TWICE(false, 1),
  /** A value was kept for at least a duration. */
  LASTED(true, 1),
  /** The greatest difference between nodes at one cut, at least a bound. */
  APART(true, 1),
  /** Nodes had different values for at least a duration. */
  DIFFERED(true, 1),
  /** A node gave no sign for at least a duration. */
  SILENT(true, 1),
  /** A message of a log was sent and is not received for at least a duration until the end. */
  UNRECEIVED(true, 1),
  /** A message of a log took at least a duration. */
  SLOW(true, 1),
  /** A variable changed at most a duration before the end of the run. */
  CHANGED_LATE(true, 1),
  /** A number was less than another one at its node. */
  BELOW(false, 1),
  /** Two variables had values at one node at one cut. */
  AT_NODE(false, 2),
  /** Two variables had values at one cut, at any nodes. */
  AT_ONCE(false, 2),
  /** A value came before any other node or the same one had another value. */
  NOT_AFTER(false, 3),
  /** A value came at a node before this node had another value. */
  NODE_NOT_AFTER(false, 3),

  // The following are evidence of rules that hold, see Proposals; they do not distinguish runs.

  /** Two numbers of a log had values at one node at one cut. */
  COMPARED(false, 4),
  /** The least number of nodes whose number was at least the greatest of another one, negated. */
  BACKED(true, 4),
  /** The number of values of a number that nodes but the first had while a variable had a value. */
  RANKED(true, 4),
  /** Two nodes had one value of a number while another variable had a value. */
  CLASHED(false, 4),
  /** The number of values that log lines had for a field. */
  LISTED(true, 4),
  /** Two log lines had one value for a field. */
  REPEATED(false, 4),
  /** The longest time from a value in one field to the same value in another one. */
  ANSWERED(true, 4),
  /** A value in one field did not come later in another one. */
  UNANSWERED(false, 4),
  /** A field of a log line had a value while its node had a set. */
  LOOKED_UP(false, 4),
  /** A field of a log line had a value that was not in the set of its node. */
  MISSING(false, 4);

  private static final List<TraitKind> ALL = List.of(values());

  private final boolean isMeasure;
  private final int complexity;

  TraitKind(boolean isMeasure, int complexity) {
    this.isMeasure = isMeasure;
    this.complexity = complexity;
  }

  /** The place among the kinds, which keys contain. */
  int code() {
    return compareTo(HELD);
  }

  /** The kind at a place. */
  static TraitKind of(int code) {
    return ALL.get(code);
  }

  /** Whether the trait is a number that is compared with a bound. */
  boolean isMeasure() {
    return isMeasure;
  }

  /** Whether the kind is evidence of rules, and does not distinguish runs. */
  boolean isEvidence() {
    return compareTo(COMPARED) >= 0;
  }

  /** Whether the kind is about the order or coincidence of two values. */
  boolean isOfTwoValues() {
    return this == AT_NODE || this == AT_ONCE || this == NOT_AFTER || this == NODE_NOT_AFTER;
  }

  /** How much there is to read in a trait of the kind; of equals the plainer one is shown. */
  int complexity() {
    return complexity;
  }
}
