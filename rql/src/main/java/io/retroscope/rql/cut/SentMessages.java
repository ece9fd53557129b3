// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sends by the identities of their messages, among which those of receipts are found. Of several
 * sends that can be that of a receipt, the latest one counts. Used by one thread.
 *
 * @param <T> a remembered send
 */
public final class SentMessages<T> {
  private final Map<String, List<Sent<T>>> byId = new HashMap<>();

  private record Sent<T>(MessageEnd end, T value) {}

  /** Adds a send; those of one identity in the order of their stamps. */
  public void add(MessageEnd send, T value) {
    byId.computeIfAbsent(send.id(), id -> new ArrayList<>(1)).add(new Sent<>(send, value));
  }

  /** The send of a receipt; empty if no known send can be it. */
  public Optional<T> sendOf(MessageEnd receipt) {
    List<Sent<T>> sends = byId.getOrDefault(receipt.id(), List.of());
    for (int i = sends.size() - 1; i >= 0; i--) {
      if (sends.get(i).end().canBeSendOf(receipt)) {
        return Optional.of(sends.get(i).value());
      }
    }
    return Optional.empty();
  }

  /** All sends that can be that of a receipt; more than one if the identity is ambiguous. */
  public List<T> candidatesOf(MessageEnd receipt) {
    List<T> candidates = new ArrayList<>(1);
    for (Sent<T> sent : byId.getOrDefault(receipt.id(), List.of())) {
      if (sent.end().canBeSendOf(receipt)) {
        candidates.add(sent.value());
      }
    }
    return candidates;
  }
}
