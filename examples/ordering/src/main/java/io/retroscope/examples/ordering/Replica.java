// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.examples.ordering.Message.Ask;
import io.retroscope.examples.ordering.Message.Commit;
import io.retroscope.examples.ordering.Message.DoViewChange;
import io.retroscope.examples.ordering.Message.Outcome;
import io.retroscope.examples.ordering.Message.Reply;
import io.retroscope.examples.ordering.Message.StartView;
import io.retroscope.examples.ordering.Message.StartViewChange;
import io.retroscope.examples.ordering.Message.Sync;
import io.retroscope.examples.ordering.Message.SyncReply;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A replica of Speculative Paxos (Ports et al., NSDI 2015): executes each request when it arrives,
 * replies with the digest of its log, and rolls back if other replicas had another order. Crashes
 * are not handled. Thread-safe.
 */
final class Replica {
  private static final int MAX_WAITING = 10_000;

  private final int index;
  private final Quorums quorums;
  private final Surroundings surroundings;

  /* Guarded by `this`. */
  private final SpeculativeLog log = new SpeculativeLog();
  private final Deque<Request> waiting = new ArrayDeque<>();
  private final Set<Integer> changing = new TreeSet<>();
  private final Map<Integer, DoViewChange> logs = new TreeMap<>();
  private final Map<Integer, SyncReply> answers = new TreeMap<>();
  private int view;
  private int lastNormalView;
  private int stable;
  private int lengthAtLastSync;
  private int syncPosition;

  /** What a replica sends and reports. Its methods are called with the replica's lock held. */
  interface Surroundings {
    /** Sends to all replicas, this one included. */
    void multicast(Message message);

    void reply(Reply reply);

    /** The log has grown, or another view has changed it. */
    void changed(int view, SpeculativeLog log, int rolledBack);
  }

  /**
   * A replica with an empty log.
   *
   * @param index from 0; replica 0 leads in the first view
   */
  Replica(int index, Quorums quorums, Surroundings surroundings) {
    this.index = index;
    this.quorums = quorums;
    this.surroundings = surroundings;
  }

  /** Handles a message; those of earlier views have no effect. */
  synchronized void receive(Message message) {
    if (message instanceof Ask ask) {
      onAsk(ask.request());
    } else if (message instanceof Sync sync) {
      onSync(sync);
    } else if (message instanceof SyncReply reply) {
      onSyncReply(reply);
    } else if (message instanceof Commit commit) {
      onCommit(commit);
    } else if (message instanceof StartViewChange change) {
      onStartViewChange(change);
    } else if (message instanceof DoViewChange change) {
      onDoViewChange(change);
    } else if (message instanceof StartView start) {
      onStartView(start);
    }
  }

  /** Begins to synchronize the logs, if this replica leads. To be called regularly. */
  synchronized void synchronize() {
    int position = Math.min(lengthAtLastSync, log.length());
    lengthAtLastSync = log.length();
    if (leads() && isNormal() && position > stable) {
      syncPosition = position;
      answers.clear();
      surroundings.multicast(new Sync(view, position));
    }
  }

  /** Looks at the log while it does not change. */
  synchronized <T> T read(Function<SpeculativeLog, T> look) {
    return look.apply(log);
  }

  private boolean leads() {
    return view % quorums.replicas() == index;
  }

  private boolean isNormal() {
    return view == lastNormalView;
  }

  private void onAsk(Request request) {
    if (!isNormal()) {
      if (waiting.size() < MAX_WAITING) { // A client repeats a request without enough replies.
        waiting.add(request);
      }
      return;
    }
    if (log.positionOf(request.id()) == 0) {
      log.append(request);
      surroundings.changed(view, log, 0);
    }
    reply(log.positionOf(request.id()));
  }

  private void reply(int position) {
    Outcome outcome = new Outcome(view, position, log.digestAt(position), log.readAt(position));
    surroundings.reply(new Reply(index, log.requestAt(position).id(), outcome));
  }

  private void onSync(Sync sync) {
    if (sync.view() == view && isNormal() && sync.position() <= log.length()) {
      surroundings.multicast(
          new SyncReply(
              view, sync.position(), index, log.digestAt(sync.position()), log.committed()));
    }
  }

  private void onSyncReply(SyncReply reply) {
    if (!leads() || !isNormal() || reply.view() != view || reply.position() != syncPosition) {
      return;
    }
    answers.put(reply.replica(), reply);
    Map<String, Long> digests =
        answers.values().stream()
            .collect(Collectors.groupingBy(SyncReply::digest, Collectors.counting()));
    long most = digests.values().stream().mapToLong(Long::longValue).max().orElseThrow();
    String digest =
        digests.entrySet().stream()
            .filter(entry -> entry.getValue() == most)
            .findFirst()
            .orElseThrow()
            .getKey();
    if (most >= quorums.superquorum()) {
      surroundings.multicast(new Commit(view, syncPosition, digest, committedByAll()));
    } else if (most + quorums.replicas() - answers.size() < quorums.superquorum()) {
      enter(view + 1);
    }
  }

  private int committedByAll() {
    return answers.size() < quorums.replicas()
        ? stable
        : answers.values().stream().mapToInt(SyncReply::committed).min().orElseThrow();
  }

  private void onCommit(Commit commit) {
    if (commit.view() != view || !isNormal() || commit.position() > log.length()) {
      return;
    }
    if (!log.digestAt(commit.position()).equals(commit.digest())) {
      enter(view + 1);
      return;
    }
    if (commit.position() > log.committed()) {
      log.commit(commit.position());
      surroundings.changed(view, log, 0);
    }
    stable = Math.max(stable, commit.stable());
  }

  private void enter(int newView) {
    view = newView;
    changing.clear();
    logs.clear();
    surroundings.multicast(new StartViewChange(view, index));
  }

  private void onStartViewChange(StartViewChange change) {
    if (change.view() > view) {
      enter(change.view());
    }
    if (change.view() == view && !isNormal()) {
      changing.add(change.replica());
      if (changing.size() == quorums.majority()) {
        surroundings.multicast(
            new DoViewChange(
                view, index, lastNormalView, log.committed(), stable, log.after(stable)));
      }
    }
  }

  private void onDoViewChange(DoViewChange change) {
    if (change.view() > view) {
      enter(change.view());
    }
    if (change.view() != view || isNormal() || !leads() || logs.size() == quorums.majority()) {
      return;
    }
    logs.put(change.replica(), change);
    if (logs.size() == quorums.majority()) {
      List<Request> merged =
          Reconciliation.merge(logs.values(), stable, log.after(stable), quorums);
      int committed = logs.values().stream().mapToInt(DoViewChange::committed).max().orElseThrow();
      surroundings.multicast(new StartView(view, stable, committed, merged));
    }
  }

  private void onStartView(StartView start) {
    if (start.view() < view || (start.view() == view && isNormal())) {
      return;
    }
    view = start.view();
    lastNormalView = view;
    int same = start.stable();
    while (same < log.length()
        && same - start.stable() < start.log().size()
        && log.requestAt(same + 1).equals(start.log().get(same - start.stable()))) {
      same++;
    }
    List<Request> rolledBack = log.after(same);
    log.rollBackTo(same);
    start.log().subList(same - start.stable(), start.log().size()).forEach(log::append);
    log.commit(start.committed());
    surroundings.changed(view, log, rolledBack.size());
    for (int position = start.stable() + 1; position <= log.length(); position++) {
      reply(position);
    }
    // The logs of the merge may lack requests that arrived here, and will not arrive again.
    rolledBack.forEach(this::onAsk);
    while (!waiting.isEmpty()) {
      onAsk(waiting.remove());
    }
  }
}
