// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.examples.ordering.Message.Outcome;
import io.retroscope.examples.ordering.Message.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The requests of a client to which no superquorum has replied equally. Thread-safe. */
final class Unanswered {
  private final int needed;

  /* Guarded by `this`. */
  private final Map<String, Pending> pending = new TreeMap<>();

  /** A request, when it was sent first and last, and the latest outcome from each replica. */
  private static final class Pending {
    private final Request request;
    private final long firstNanos;
    private final Map<Integer, Outcome> outcomes = new HashMap<>();
    private long lastNanos;

    private Pending(Request request, long nowNanos) {
      this.request = request;
      this.firstNanos = nowNanos;
      this.lastNanos = nowNanos;
    }
  }

  /**
   * A request that is done.
   *
   * @param nanos since it was first sent
   */
  record Done(String id, Outcome outcome, long nanos) {}

  /**
   * No requests.
   *
   * @param needed the number of replicas whose replies must be equal
   */
  Unanswered(int needed) {
    this.needed = needed;
  }

  synchronized void asked(Request request, long nowNanos) {
    pending.put(request.id(), new Pending(request, nowNanos));
  }

  synchronized int count() {
    return pending.size();
  }

  /** Counts a reply; if enough are equal, the request is done. */
  synchronized Optional<Done> replied(Reply reply, long nowNanos) {
    Pending request = pending.get(reply.id());
    if (request == null) {
      return Optional.empty();
    }
    request.outcomes.put(reply.replica(), reply.outcome());
    long equal = request.outcomes.values().stream().filter(reply.outcome()::equals).count();
    if (equal < needed) {
      return Optional.empty();
    }
    pending.remove(reply.id());
    return Optional.of(new Done(reply.id(), reply.outcome(), nowNanos - request.firstNanos));
  }

  /** The requests that were last sent this long ago; they count as sent again. */
  synchronized List<Request> dueAgain(long nowNanos, long waitNanos) {
    List<Pending> due =
        pending.values().stream().filter(p -> nowNanos - p.lastNanos >= waitNanos).toList();
    due.forEach(p -> p.lastNanos = nowNanos);
    return due.stream().map(p -> p.request).toList();
  }
}
