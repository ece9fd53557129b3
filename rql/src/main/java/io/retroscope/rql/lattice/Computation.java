// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.event.Value;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The states of some nodes in a range, and the messages that order them. A node's states are
 * numbered from 0, the one at the start of the range; each later one was made by an event.
 * Immutable.
 *
 * @param nodes in natural order; their indexes identify them
 * @param states of each node, by its index
 * @param messages with both ends in the range, in the order of their receipts
 */
record Computation(List<String> nodes, List<List<State>> states, List<Message> messages) {
  /**
   * A state of a node.
   *
   * @param values of the followed variables, in their order; null for none
   * @param hlc packed, the stamp of the event that made it; of no meaning for the first state
   * @param past for each node, the state that must have been reached before this one; of no meaning
   *     for the node itself
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record State(@Nullable Value[] values, long hlc, int[] past) {}

  /**
   * A message between two nodes, of which each may be unknown to the computation.
   *
   * @param sent packed, the stamp of the send
   * @param received packed, the stamp of the receipt
   */
  record Message(String from, String to, String id, long sent, long received) {}

  /** The number of nodes. */
  int size() {
    return nodes.size();
  }

  /** The number of the last state of a node. */
  int last(int node) {
    return states.get(node).size() - 1;
  }

  State state(int node, int state) {
    return states.get(node).get(state);
  }

  /** The state of a node that must have been reached before a state of another node. */
  int required(int node, int state, int other) {
    return state(node, state).past()[other];
  }

  /** The cut with the first state of each node. */
  int[] start() {
    return new int[size()];
  }

  /** The cut with the last state of each node. */
  int[] end() {
    int[] end = new int[size()];
    for (int node = 0; node < end.length; node++) {
      end[node] = last(node);
    }
    return end;
  }

  /** Whether a node has a value at the start of the range, or an event in it. */
  boolean hasContent() {
    return states.stream()
        .anyMatch(
            own -> own.size() > 1 || Arrays.stream(own.get(0).values()).anyMatch(Objects::nonNull));
  }

  /** Whether the next state of a node can be added to a consistent cut. */
  boolean isEnabled(int[] cut, int node) {
    if (cut[node] == last(node)) {
      return false;
    }
    int[] past = state(node, cut[node] + 1).past();
    for (int other = 0; other < cut.length; other++) {
      if (other != node && past[other] > cut[other]) {
        return false;
      }
    }
    return true;
  }

  /** The number of states that a cut has passed. */
  static long height(int[] cut) {
    long height = 0;
    for (int state : cut) {
      height += state;
    }
    return height;
  }
}
