// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.rql.cut.MessageEnd;
import io.retroscope.rql.cut.SentMessages;
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

  private final SentMessages<Sent> sends = new SentMessages<>();
  private final Map<String, List<MessageEnd>> unmatched = new HashMap<>();
  private long bytes;

  /**
   * A send.
   *
   * @param index of the node in the computation; negative if it is none of its nodes
   * @param state the node's state after the send
   * @param past what must have been reached before that state
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Sent(MessageEnd end, int index, int state, int[] past) {}

  void sent(Sent send) {
    bytes += BYTES_OF_SEND + 2L * send.end().id().length();
    sends.add(send.end(), send);
  }

  /** Returns the sends that may be that of a receipt, which are all before it. */
  List<Sent> of(MessageEnd receipt) {
    return sends.candidatesOf(receipt);
  }

  /** Adds a receipt without a send in the range. */
  void unmatched(MessageEnd receipt) {
    bytes += BYTES_OF_SEND + 2L * receipt.id().length();
    unmatched.computeIfAbsent(receipt.id(), id -> new ArrayList<>(1)).add(receipt);
  }

  /** Removes the receipts of a message that was sent before the range. */
  void sentEarlier(MessageEnd send) {
    List<MessageEnd> waiting = unmatched.get(send.id());
    if (waiting != null) {
      waiting.removeIf(send::canBeSendOf);
      if (waiting.isEmpty()) {
        unmatched.remove(send.id());
      }
    }
  }

  /** Removes a receipt whose send has a stamp at or above its own. */
  void contradicted(MessageEnd receipt) {
    List<MessageEnd> waiting = unmatched.get(receipt.id());
    if (waiting != null) {
      waiting.removeIf(receipt::equals);
      if (waiting.isEmpty()) {
        unmatched.remove(receipt.id());
      }
    }
  }

  boolean hasUnmatched() {
    return !unmatched.isEmpty();
  }

  /** One receipt without a send for each pair of nodes. */
  List<MessageEnd> unmatched() {
    List<MessageEnd> first = new ArrayList<>();
    Set<List<String>> seen = new HashSet<>();
    Iterator<MessageEnd> all = unmatched.values().stream().flatMap(List::stream).iterator();
    while (all.hasNext()) {
      MessageEnd end = all.next();
      if (seen.add(List.of(end.peer(), end.node()))) {
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
