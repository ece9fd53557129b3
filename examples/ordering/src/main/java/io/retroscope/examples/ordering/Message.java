// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import java.io.Serializable;
import java.util.List;

/** The messages of Speculative Paxos. Immutable. */
sealed interface Message extends Serializable {
  /** A client's request, by multicast. */
  record Ask(Request request) implements Message {}

  /** A replica's speculative reply to the client. Replicas with equal digests agree on the past. */
  record Reply(int replica, String id, Outcome outcome) implements Message {}

  /** The view, the position in the log, the chained digest there, and the values that were read. */
  record Outcome(int view, int position, String digest, List<String> read) implements Serializable {
    public Outcome {
      read = List.copyOf(read);
    }
  }

  /** The leader requests the digests at a position. */
  record Sync(int view, int position) implements Message {}

  /** The answer, and the position up to which the replica has committed. */
  record SyncReply(int view, int position, int replica, String digest, int committed)
      implements Message {}

  /** A superquorum has this digest. Every replica has committed the log up to {@code stable}. */
  record Commit(int view, int position, String digest, int stable) implements Message {}

  /** A replica has found different digests, or joins another that has: a new view begins. */
  record StartViewChange(int view, int replica) implements Message {}

  /** The log of a replica after a stable position, for the leader of the new view. */
  record DoViewChange(
      int view, int replica, int lastNormalView, int committed, int stable, List<Request> log)
      implements Message {
    public DoViewChange {
      log = List.copyOf(log);
    }
  }

  /** The merged log after a stable position, which all adopt. */
  record StartView(int view, int stable, int committed, List<Request> log) implements Message {
    public StartView {
      log = List.copyOf(log);
    }
  }
}
