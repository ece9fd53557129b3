// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.event.Value;
import io.retroscope.rql.cut.MessageEnd;
import io.retroscope.rql.lattice.Computation.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The states of one node while they are read, and its vector clock. Used by one thread. */
final class NodeTrace {
  private static final long BYTES_OF_STATE = 120;
  private static final long BYTES_OF_END = 56;

  private final String name;

  /** The index in the computation; negative if the node is none of its nodes. */
  private final int index;

  private final List<State> states = new ArrayList<>();
  private final List<End> ends = new ArrayList<>();

  /** Shared by states and sends, so it is replaced and never changed. */
  private int[] past;

  private boolean isReported;
  private @Nullable Double share;

  /**
   * An end of a message, in the order of the node's own stamps.
   *
   * @param states the number of the node's states before it
   */
  record End(MessageEnd message, boolean isSend, int states) {}

  NodeTrace(String name, int index, int[] nothing) {
    this.name = name;
    this.index = index;
    this.past = nothing;
  }

  /** Sets the state at the start. */
  void begin(@Nullable Value[] values) {
    states.add(new State(values, Long.MIN_VALUE, past));
  }

  /** Adds a state unless it is equal to the one before; returns the bytes that it takes. */
  long add(@Nullable Value[] values, long hlc) {
    if (Arrays.equals(values, states.get(states.size() - 1).values())) {
      return 0;
    }
    states.add(new State(values, hlc, past));
    return BYTES_OF_STATE + 40L * values.length;
  }

  /** Notes an end of a message; returns the bytes that it takes. */
  long end(boolean isSend, MessageEnd message) {
    ends.add(new End(message, isSend, states.size()));
    return BYTES_OF_END;
  }

  /** The ends of its messages. */
  List<End> ends() {
    return ends;
  }

  int index() {
    return index;
  }

  /** Replaces what must have been reached before each state. */
  void replacePasts(List<int[]> pasts) {
    for (int i = 0; i < states.size(); i++) {
      State state = states.get(i);
      states.set(i, new State(state.values(), state.hlc(), pasts.get(i)));
    }
  }

  MessageEnds.Sent send(MessageEnd end) {
    return new MessageEnds.Sent(end, index, states.size() - 1, past);
  }

  /** Orders the next states of this node after a send; returns the bytes that it takes. */
  long receive(MessageEnds.Sent send) {
    int[] merged = past.clone();
    for (int node = 0; node < merged.length; node++) {
      merged[node] = Math.max(merged[node], send.past()[node]);
    }
    if (send.index() >= 0) {
      merged[send.index()] = Math.max(merged[send.index()], send.state());
    }
    if (Arrays.equals(merged, past)) {
      return 0;
    }
    past = merged;
    return 16 + 4L * merged.length;
  }

  String name() {
    return name;
  }

  List<State> states() {
    return states;
  }

  /** Sets the share of its messages that the node records; null for all. */
  void share(@Nullable Double recorded) {
    share = recorded;
  }

  /** Returns the share of its messages that the node records if it is not all of them, once. */
  @Nullable Double unreportedShare() {
    Double found = isReported ? null : share;
    isReported |= found != null;
    return found;
  }
}
