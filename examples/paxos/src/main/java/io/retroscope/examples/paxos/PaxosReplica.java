// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A replica of Paxos, and of PigPaxos, which differs in the way of a leader's messages only
 * (Charapko, Ailijiang, Demirbas, 2021). Used by the thread of its lane.
 */
final class PaxosReplica implements ReplicaProgram {
  private final Lane lane;
  private final Acceptor acceptor;
  private final Leader leader;
  private final Relay relay;

  /**
   * A replica.
   *
   * @param needed the number of replicas that must accept a value
   */
  PaxosReplica(Lane lane, int needed) {
    this.lane = lane;
    this.acceptor = new Acceptor(lane);
    this.leader = new Leader(lane, acceptor, needed);
    this.relay = new Relay(lane);
  }

  @Override
  public void receive(String from, Message message) {
    switch (message.kind()) {
      case "request" -> leader.request(from, message.word(0), Fanout.valueOf(message.word(1)));
      case "prepare" -> prepare(from, message.ballot(0), message.number(1));
      case "promise" ->
          leader.promised(
              from, message.ballot(0), message.words().subList(1, message.words().size()));
      case "accept" -> {
        if (accept(message)) {
          lane.send(from, Message.of("accepted", message.ballot(0), message.number(1)));
        }
      }
      case "accepted" ->
          leader.answered(Fanout.DIRECT, message.ballot(0), message.number(1), List.of(from));
      case "relay" -> {
        relay.relay(message);
        if (accept(message)) {
          relay.accepted(lane.name(), message.ballot(0), message.number(1));
        }
      }
      case "pass" -> {
        if (accept(message)) {
          lane.send(from, Message.of("passed", message.ballot(0), message.number(1)));
        }
      }
      case "passed" -> relay.accepted(from, message.ballot(0), message.number(1));
      case "gathered" ->
          leader.answered(Fanout.RELAYED, message.ballot(0), message.number(1), message.names(2));
      case "commit" -> acceptor.learn(message.ballot(0), message.number(1), from);
      case "refused" -> leader.refused(message.ballot(0));
      case "fetch" -> acceptor.sendChosen(from, message.number(0));
      case "chosen" -> acceptor.chosen(message.number(0), message.word(1));
      default -> throw new IllegalArgumentException("unknown message " + message.text());
    }
  }

  private void prepare(String from, long ballot, int slot) {
    if (acceptor.promise(ballot)) {
      List<String> words = new ArrayList<>(List.of(Long.toString(ballot)));
      words.addAll(acceptor.words(slot));
      lane.send(from, new Message("promise", words));
    } else {
      lane.send(from, Message.of("refused", acceptor.promised()));
    }
  }

  private boolean accept(Message message) {
    long ballot = message.ballot(0);
    if (!acceptor.accept(ballot, message.number(1), message.word(2))) {
      lane.send(Ballot.leader(ballot), Message.of("refused", acceptor.promised()));
      return false;
    }
    acceptor.learn(ballot, message.number(3), Ballot.leader(ballot));
    return true;
  }

  @Override
  public void tick() {
    relay.tick();
    leader.tick();
    acceptor.fetchMissing();
  }

  @Override
  public Map<String, Integer> counters() {
    Map<String, Integer> counters = new TreeMap<>(leader.counters());
    counters.put("relayed", relay.count());
    return counters;
  }

  @Override
  public Map<String, List<String>> chains() {
    return Map.of("paxos", acceptor.commands());
  }
}
