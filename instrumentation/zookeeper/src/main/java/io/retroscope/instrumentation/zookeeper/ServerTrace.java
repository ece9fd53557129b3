// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.recorder.ChangeDraft;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.quorum.QuorumPacket;
import org.apache.zookeeper.txn.TxnHeader;
import org.jspecify.annotations.Nullable;

/**
 * The trace of one ZooKeeper server, which records its actions as events.
 *
 * <table>
 *   <caption>The logs. The variable of a znode is its path without the leading slash.</caption>
 *   <tr><td>{@code setd}</td><td>a server's replicas: the version of each znode there</td></tr>
 *   <tr><td>{@code apply}</td><td>{@code zxid}, the transaction of the next change</td></tr>
 *   <tr><td>{@code proposal}</td><td>the leader's proposals, with {@code zxid}</td></tr>
 *   <tr><td>{@code quorum}</td><td>some of the messages between servers</td></tr>
 * </table>
 *
 * <p>A znode has version 0 when it is created and is unset when it is deleted. One transaction,
 * including a multi, is one event of each log.
 *
 * <p>Thread-safe. ZooKeeper applies transactions one at a time.
 */
final class ServerTrace {
  /*
   * Changes are recorded before they are made. ZooKeeper fires watches while it makes them, so a
   * client could act on a change before an event recorded afterwards had its stamp.
   *
   * A change is two events of one variable each, `apply` and then `setd`: that costs the server a
   * fraction of one event with two variables, and `setd` contains only znodes.
   *
   * HAZARD: a server that starts, or that follows a new leader, replays old transactions through
   * the same methods, and a snapshot bypasses them. Nothing is therefore recorded until the server
   * is synchronized and about to serve clients; then its whole state is recorded as one event.
   */
  static final String STATE_LOG = "setd";
  static final String APPLY_LOG = "apply";
  static final String PROPOSAL_LOG = "proposal";
  static final String MESSAGE_LOG = "quorum";
  static final String ZXID = "zxid";

  /**
   * The interval at which one of the messages to other servers is recorded; all of them carry the
   * clock.
   */
  static final long MESSAGE_INTERVAL_MICROS = 20_000;

  private final TracedZnodes traced;
  private final Recorder recorder;
  private final EventLog state;
  private final EventLog applies;
  private final EventLog proposals;
  private final EventLog messages;
  private final AtomicLong lastMessageMicros = new AtomicLong();
  private final AtomicLong messageCount = new AtomicLong();

  private final ServingWatch watch;

  /* Guarded by `this`. */
  private final HeldZnodes held;
  private @Nullable Object served;

  ServerTrace(TracedZnodes traced, Recorder recorder, ServingWatch watch) {
    this.traced = traced;
    this.recorder = recorder;
    this.watch = watch;
    this.held = new HeldZnodes(recorder);
    this.state = recorder.log(STATE_LOG);
    this.applies = recorder.log(APPLY_LOG);
    this.proposals = recorder.log(PROPOSAL_LOG);
    this.messages = recorder.log(MESSAGE_LOG);
  }

  /** Records a transaction that is about to change the tree. */
  synchronized void applying(TxnHeader header, Record txn, DataTree tree) throws IOException {
    if (served == null) {
      return;
    }
    List<ZnodeChange> changes = changes(header, txn, tree);
    changes.removeIf(change -> !held.take(change, tree.getNode(change.path()) != null));
    held.recordLeftOut();
    if (!changes.isEmpty()) {
      applies.set(ZXID, header.getZxid());
      record(state, changes);
    }
  }

  private List<ZnodeChange> changes(TxnHeader header, Record txn, DataTree tree)
      throws IOException {
    List<ZnodeChange> changes = Transactions.changes(header.getType(), txn);
    if (header.getType() == OpCode.closeSession) {
      for (String path : tree.getEphemerals(header.getClientId())) {
        changes.add(ZnodeChange.deleted(path));
      }
    }
    return lastOfTraced(changes);
  }

  /** The last change of each traced znode in one transaction. */
  private List<ZnodeChange> lastOfTraced(List<ZnodeChange> changes) {
    changes.removeIf(change -> !traced.contains(change.path()));
    if (changes.size() <= 1) {
      return changes;
    }
    Map<String, ZnodeChange> last = new LinkedHashMap<>();
    changes.forEach(change -> last.put(change.path(), change));
    return new ArrayList<>(last.values());
  }

  /**
   * Handles the failure of a recorded transaction: the actual state of its znodes is recorded
   * again.
   */
  synchronized void failed(TxnHeader header, Record txn, DataTree tree) throws IOException {
    if (served == null) {
      return;
    }
    List<ZnodeChange> actual = new ArrayList<>();
    for (ZnodeChange change : changes(header, txn, tree)) {
      ZnodeChange found = ZnodeChange.actual(change.path(), tree.getNode(change.path()));
      if (held.take(found, !change.isDeletion())) {
        actual.add(found);
      }
    }
    held.recordLeftOut();
    record(state, actual);
  }

  /** Records a transaction that the leader is about to propose to its followers. */
  synchronized void proposing(TxnHeader header, Record txn) throws IOException {
    List<ZnodeChange> changes = lastOfTraced(Transactions.changes(header.getType(), txn));
    changes.removeIf(change -> !held.takesProposal(change.path()));
    if (!changes.isEmpty()) {
      draft(proposals, changes).set(ZXID, header.getZxid()).record();
    }
  }

  /**
   * Notes that a server is synchronized with its leader and about to serve clients. No effect if it
   * is known to serve, because versions of ZooKeeper announce it in one place or in two.
   */
  synchronized void servingBegins(Object server, DataTree tree) {
    if (server == served) {
      return;
    }
    List<ZnodeChange> changes = held.takeAll(tree, traced);
    held.recordLeftOut();
    record(state, changes);
    served = server;
    watch.servingBegins();
  }

  /**
   * Notes that a server is about to stop serving clients; transactions that it applies after that
   * are a replay. No effect if another one has started to serve.
   */
  synchronized void servingEnds(Object server) {
    if (server == served) {
      served = null;
      watch.servingEnds();
    }
  }

  private static void record(EventLog log, List<ZnodeChange> changes) {
    if (changes.size() == 1 && !changes.get(0).isDeletion()) {
      log.set(changes.get(0).variable(), changes.get(0).version());
    } else if (!changes.isEmpty()) {
      draft(log, changes).record();
    }
  }

  private static ChangeDraft draft(EventLog log, List<ZnodeChange> changes) {
    ChangeDraft draft = log.event();
    changes.forEach(change -> add(draft, change));
    return draft;
  }

  private static ChangeDraft add(ChangeDraft draft, ZnodeChange change) {
    return change.isDeletion()
        ? draft.unset(change.variable())
        : draft.set(change.variable(), change.version());
  }

  /** A private copy of an outgoing packet, with a stamp. */
  StampedPacket stamp(QuorumPacket packet) {
    watch.message();
    if (!isMessageDue()) {
      return new StampedPacket(packet, new Stamp(recorder.tick()));
    }
    String id = recorder.incarnation() + "." + messageCount.incrementAndGet();
    String from = recorder.node();
    long hlc = messages.send("", Stamp.messageId(from, id));
    return new StampedPacket(packet, new Stamp(hlc, from, id));
  }

  /**
   * Whether a message must be recorded, by the time of the clock's last stamp, so that no clock is
   * read.
   */
  private boolean isMessageDue() {
    long now = HlcTimestamp.micros(recorder.clock().last());
    long last = lastMessageMicros.get();
    return now - last >= MESSAGE_INTERVAL_MICROS && lastMessageMicros.compareAndSet(last, now);
  }

  /** Handles an incoming packet: its stamp is removed and moves the clock. */
  void receive(QuorumPacket packet) {
    watch.message();
    Stamp stamp = StampedPacket.takeStamp(packet);
    if (stamp == null) {
      return;
    }
    if (stamp.isOfRecordedMessage()) {
      messages.receive(stamp.from(), Stamp.messageId(stamp.from(), stamp.id()), stamp.hlc());
    } else {
      recorder.observe(stamp.hlc());
    }
  }
}
