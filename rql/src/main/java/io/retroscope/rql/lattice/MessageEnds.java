// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.event.EventBody;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The sends of a range, by the identities of their messages. Used by one thread. */
final class MessageEnds {
  private static final long BYTES_OF_SEND = 120;

  private final Map<String, List<Sent>> sends = new HashMap<>();
  private final Map<String, List<Received>> unmatched = new HashMap<>();
  private long bytes;

  /**
   * A send.
   *
   * @param index of the node in the computation; negative if it is none of its nodes
   * @param state the node's state after the send
   * @param past what must have been reached before that state
   * @param hlc packed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Sent(String node, int index, int state, int[] past, String to, long hlc) {
    private boolean fits(String receiver, String from, long received) {
      return hlc < received
          && (to.isEmpty() || to.equals(receiver))
          && (from.isEmpty() || from.equals(node));
    }
  }

  /** A receipt without a send in the range. */
  record Received(String node, String from, String id, long hlc) {}

  void sent(String id, Sent send) {
    bytes += BYTES_OF_SEND + 2L * id.length();
    sends.computeIfAbsent(id, same -> new ArrayList<>(1)).add(send);
  }

  /** Returns the sends that may be that of a receipt, which are all before it. */
  List<Sent> of(String node, EventBody.Receive receive, long hlc) {
    List<Sent> fitting = new ArrayList<>(1);
    for (Sent send : sends.getOrDefault(receive.id(), List.of())) {
      if (send.fits(node, receive.from(), hlc)) {
        fitting.add(send);
      }
    }
    return fitting;
  }

  void unmatched(String node, EventBody.Receive receive, long hlc) {
    bytes += BYTES_OF_SEND + 2L * receive.id().length();
    unmatched
        .computeIfAbsent(receive.id(), id -> new ArrayList<>(1))
        .add(new Received(node, receive.from(), receive.id(), hlc));
  }

  /** Removes the receipts of a message that was sent before the range. */
  void sentEarlier(String node, EventBody.Send send, long hlc) {
    List<Received> waiting = unmatched.get(send.id());
    if (waiting != null) {
      Sent earlier = new Sent(node, -1, 0, new int[0], send.to(), hlc);
      waiting.removeIf(end -> earlier.fits(end.node(), end.from(), end.hlc()));
      if (waiting.isEmpty()) {
        unmatched.remove(send.id());
      }
    }
  }

  /** Removes a receipt whose send has a stamp at or above its own. */
  void contradicted(String node, String id, long hlc) {
    List<Received> waiting = unmatched.get(id);
    if (waiting != null) {
      waiting.removeIf(end -> end.node().equals(node) && end.hlc() == hlc);
      if (waiting.isEmpty()) {
        unmatched.remove(id);
      }
    }
  }

  boolean hasUnmatched() {
    return !unmatched.isEmpty();
  }

  /** One receipt without a send for each pair of nodes. */
  List<Received> unmatched() {
    List<Received> first = new ArrayList<>();
    Set<List<String>> seen = new HashSet<>();
    Iterator<Received> all = unmatched.values().stream().flatMap(List::stream).iterator();
    while (all.hasNext()) {
      Received end = all.next();
      if (seen.add(List.of(end.from(), end.node()))) {
        first.add(end);
      }
    }
    return first;
  }

  /** The estimated size in memory. */
  long bytes() {
    return bytes;
  }
}
