// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A replica of all protocols; the kind of a message shows whose it is. */
final class Replica implements Lane.Program {
  /* Counters of messages between replicas. */
  static final String SENT = "sent";
  static final String RECEIVED = "received";

  private final Lane lane;
  private final ReplicaProgram paxos;

  /** By the first letters of the kinds of their messages. */
  private final Map<String, ReplicaProgram> others = new TreeMap<>();

  /** A replica of Paxos that waits for this many to accept a value, and of the others. */
  Replica(Lane lane, int needed) {
    this.lane = lane;
    this.paxos = new PaxosReplica(lane, needed);
    if (EpaxosReplica.MEMBERS.contains(lane.name())) {
      others.put("e-", new EpaxosReplica(lane));
    }
    if (WpaxosReplica.MEMBERS.contains(lane.name())) {
      others.put("w-", new WpaxosReplica(lane));
    }
  }

  @Override
  public void receive(String from, Message message) {
    others.getOrDefault(message.kind().substring(0, 2), paxos).receive(from, message);
  }

  @Override
  public void tick() {
    programs().forEach(ReplicaProgram::tick);
  }

  private List<ReplicaProgram> programs() {
    List<ReplicaProgram> programs = new ArrayList<>(others.values());
    programs.add(paxos);
    return programs;
  }

  ReplicaState state() {
    Map<String, Integer> counters =
        new TreeMap<>(Map.of(SENT, lane.sentToReplicas(), RECEIVED, lane.receivedFromReplicas()));
    Map<String, List<String>> chains = new TreeMap<>();
    for (ReplicaProgram program : programs()) {
      counters.putAll(program.counters());
      chains.putAll(program.chains());
    }
    return new ReplicaState(lane.name(), counters, chains);
  }
}
