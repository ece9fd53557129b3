// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.rql.cut.MessageEnd;
import io.retroscope.rql.lattice.NodeTrace.End;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The order of the nodes' states if receipts come after their sends although the stamps say the
 * opposite: the ends of all messages are replayed, each node's in its own order. Used by one
 * thread.
 */
final class MessageReplay {
  private final Map<NodeTrace, List<End>> ends = new HashMap<>();
  private final Map<End, Place> sendOf = new HashMap<>();
  private final List<Contradiction> contradictions = new ArrayList<>();

  private record Place(NodeTrace node, End end) {}

  /** A message whose receipt has a stamp at or below that of its send. */
  record Contradiction(MessageEnd send, MessageEnd receipt) {}

  /** Finds the pairs of ends. */
  MessageReplay(Collection<NodeTrace> traces) {
    Map<String, List<Place>> sends = new HashMap<>();
    for (NodeTrace trace : traces) {
      ends.put(trace, trace.ends());
      for (End end : trace.ends()) {
        if (end.isSend()) {
          sends
              .computeIfAbsent(end.message().id(), id -> new ArrayList<>(1))
              .add(new Place(trace, end));
        }
      }
    }
    Set<End> received = new HashSet<>();
    List<Place> unmatched = new ArrayList<>();
    for (NodeTrace trace : traces) {
      for (End end : trace.ends()) {
        List<Place> earlier = end.isSend() ? List.of() : fitting(sends, trace, end, true);
        earlier.forEach(send -> received.add(send.end));
        if (earlier.size() == 1) {
          sendOf.put(end, earlier.get(0));
        } else if (!end.isSend() && earlier.isEmpty()) {
          unmatched.add(new Place(trace, end));
        }
      }
    }
    for (Place receipt : unmatched) {
      List<Place> later = fitting(sends, receipt.node, receipt.end, false);
      if (later.size() == 1 && received.add(later.get(0).end)) {
        Place send = later.get(0);
        sendOf.put(receipt.end, send);
        contradictions.add(new Contradiction(send.end.message(), receipt.end.message()));
      }
    }
  }

  private static List<Place> fitting(
      Map<String, List<Place>> sends, NodeTrace receiver, End receipt, boolean isEarlier) {
    MessageEnd received = receipt.message();
    return sends.getOrDefault(received.id(), List.of()).stream()
        .filter(send -> !send.node.equals(receiver))
        .filter(send -> send.end.message().hlc() < received.hlc() == isEarlier)
        .filter(send -> send.end.message().agreesWith(received))
        .toList();
  }

  /** The messages that contradict their stamps. */
  List<Contradiction> contradictions() {
    return contradictions;
  }

  /**
   * Orders the states by all messages.
   *
   * @param size of the computation, in nodes
   * @return whether there is an order; if not, messages contradict each other and nothing changes
   */
  boolean order(int size) {
    Map<NodeTrace, Replayed> replayed = new HashMap<>();
    ends.keySet().forEach(trace -> replayed.put(trace, new Replayed(trace, size)));
    Map<End, int[]> pastOfSend = new HashMap<>();
    boolean moves = true;
    while (moves) {
      moves = false;
      for (Replayed node : replayed.values()) {
        moves |= node.advance(pastOfSend);
      }
    }
    if (!replayed.values().stream().allMatch(Replayed::isComplete)) {
      return false;
    }
    replayed.values().forEach(Replayed::apply);
    return true;
  }

  /** A node whose ends are replayed as far as those of the others allow. */
  private final class Replayed {
    private final NodeTrace trace;
    private final List<int[]> pasts = new ArrayList<>();
    private int[] past;
    private int next;

    Replayed(NodeTrace trace, int size) {
      this.trace = trace;
      this.past = new int[size];
    }

    boolean isComplete() {
      return next == trace.ends().size();
    }

    boolean advance(Map<End, int[]> pastOfSend) {
      int before = next;
      for (; next < trace.ends().size(); next++) {
        End end = trace.ends().get(next);
        passStates(end.states());
        if (end.isSend()) {
          pastOfSend.put(end, afterState(end.states() - 1));
        } else if (sendOf.containsKey(end)) {
          int[] cause = pastOfSend.get(sendOf.get(end).end);
          if (cause == null) {
            break;
          }
          past = merged(past, cause);
        }
      }
      return next > before;
    }

    /** The past of the effects in a state: it has been reached. */
    private int[] afterState(int state) {
      if (trace.index() < 0) {
        return past;
      }
      int[] after = past.clone();
      after[trace.index()] = Math.max(after[trace.index()], state);
      return after;
    }

    private static int[] merged(int[] a, int[] b) {
      int[] both = a.clone();
      for (int i = 0; i < both.length; i++) {
        both[i] = Math.max(both[i], b[i]);
      }
      return Arrays.equals(both, a) ? a : both;
    }

    /** Notes the past of the states before the next end. */
    private void passStates(int count) {
      while (pasts.size() < count) {
        pasts.add(past);
      }
    }

    void apply() {
      passStates(trace.states().size());
      trace.replacePasts(pasts);
    }
  }
}
