// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * A state machine that holds the last value, and records its server's role and what it applies.
 * Ratis calls it from several threads.
 */
class TracedStateMachine extends BaseStateMachine {
  private final Recorder recorder;
  private final EventLog log;

  TracedStateMachine(Recorder recorder) {
    this.recorder = recorder;
    this.log = recorder.log("raft");
    log.event().set("role", "follower").set("term", 0).set("applied", 0).record();
  }

  /** The leader puts its stamp into the entry: sixteen hexadecimal digits, its name, the value. */
  @Override
  public TransactionContext startTransaction(RaftClientRequest request) {
    String value = request.getMessage().getContent().toStringUtf8();
    log.set("proposed", value);
    String stamp = HexFormat.of().toHexDigits(recorder.send(""));
    return TransactionContext.newBuilder()
        .setStateMachine(this)
        .setServerRole(RaftPeerRole.LEADER)
        .setClientRequest(request)
        .setLogData(ByteString.copyFromUtf8(stamp + " " + recorder.node() + " " + value))
        .build();
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    String[] parts = entry.getStateMachineLogEntry().getLogData().toStringUtf8().split(" ", 3);
    receive(parts[1], HexFormat.fromHexDigitsToLong(parts[0]));
    updateLastAppliedTermIndex(TermIndex.valueOf(entry));
    log.event()
        .set("applied", entry.getIndex())
        .set("entryTerm", entry.getTerm())
        .set("value", parts[2])
        .record();
    return CompletableFuture.completedFuture(Message.valueOf(parts[2]));
  }

  /** Records that the stamp is received, before the server acts on the entry. */
  void receive(String leader, long stamp) {
    if (!leader.equals(recorder.node())) {
      recorder.receive(leader, stamp);
    }
  }

  @Override
  public void notifyLeaderChanged(RaftGroupMemberId member, RaftPeerId leader) {
    record(leader.equals(member.getPeerId()) ? RoleNote.LEADER : RoleNote.FOLLOWER);
  }

  /** A leader that steps down may learn much later who leads; it is a follower from here on. */
  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    record(RoleNote.FOLLOWER);
  }

  private void record(String role) {
    long began = PhysicalClock.system().freshMicros();
    try {
      record(log, role, getServer().join().getDivision(getGroupId()).getInfo().getCurrentTerm());
    } catch (IOException e) {
      recorder.caveat("cannot read the term: " + e.getMessage());
    }
    new RoleNote(recorder.node(), role, began, PhysicalClock.system().freshMicros()).write();
  }

  /** Records both in one event: apart, a new leader has its old term for a moment. */
  void record(EventLog log, String role, long term) {
    log.event().set("role", role).set("term", term).record();
  }
}
