// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.recorder.EventLog;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A replica of EPaxos (Moraru, Andersen, Kaminsky, 2013): each leads the commands of its own
 * client, and commits in one round trip what no other command conflicts with. Failures of replicas
 * are not handled. Used by the thread of its lane.
 */
final class EpaxosReplica implements ReplicaProgram {
  /** The replicas; there are fewer than of Paxos, as published. */
  static final List<String> MEMBERS = List.of("r00", "r01", "r02", "r09", "r17");

  /** Counts commands that needed a second round trip. */
  static final String SLOW = "slow";

  /** The answers beside its own that a leader needs, on the fast and on the slow path. */
  private static final int ANSWERS = MEMBERS.size() / 2;

  private final Lane lane;
  private final EventLog log;
  private final Map<String, Leading> leading = new HashMap<>();

  /** The commands that this replica has led and committed. */
  private final Set<String> decided = new HashSet<>();

  /**
   * The last known instance of each replica for a key; those before it are its own predecessors.
   */
  private final Map<String, TreeMap<String, Instance>> lastByKey = new TreeMap<>();

  private final ExecutionOrder execution;
  private int count;
  private int fast;
  private int slow;

  private static final class Leading {
    private final Instance proposed;
    private final String client;
    private Instance merged;
    private int answers;
    private boolean onSlowPath;

    Leading(Instance proposed, String client) {
      this.proposed = proposed;
      this.client = client;
      this.merged = proposed;
    }
  }

  EpaxosReplica(Lane lane) {
    this.lane = lane;
    this.log = lane.recorder().log("epaxos");
    this.execution = new ExecutionOrder(lane.recorder().log("paxos"));
    record();
  }

  @Override
  public void receive(String from, Message message) {
    switch (message.kind()) {
      case "e-request" -> lead(from, message.word(0), message.word(1));
      case "e-preaccept" -> {
        Instance seen = afterKnown(Instance.of(message));
        know(seen);
        lane.send(from, seen.message("e-preaccepted"));
      }
      case "e-preaccepted" -> preaccepted(Instance.of(message));
      case "e-accept" -> {
        know(Instance.of(message));
        lane.send(from, Message.of("e-accepted", message.word(0)));
      }
      case "e-accepted" -> accepted(message.word(0));
      case "e-commit" -> commit(Instance.of(message));
      default -> throw new IllegalArgumentException("unknown message " + message.text());
    }
  }

  private void lead(String client, String command, String key) {
    if (decided.contains(command)) {
      lane.send(client, Message.of("reply", command, 0));
      return;
    }
    if (leading.values().stream().anyMatch(led -> led.proposed.command().equals(command))) {
      return; // The client repeats it.
    }
    count++;
    Instance own = new Instance(lane.name() + "." + count, command, key, 1, Set.of());
    Instance proposed = afterKnown(own);
    know(proposed);
    leading.put(proposed.id(), new Leading(proposed, client));
    sendToOthers(proposed.message("e-preaccept"));
  }

  private void sendToOthers(Message message) {
    for (String member : MEMBERS) {
      if (!member.equals(lane.name())) {
        lane.send(member, message);
      }
    }
  }

  /** The instance after those of its key that this replica knows. */
  private Instance afterKnown(Instance instance) {
    Map<String, Instance> last = lastByKey.getOrDefault(instance.key(), new TreeMap<>());
    List<Instance> others =
        last.values().stream().filter(other -> !other.id().equals(instance.id())).toList();
    int order = others.stream().mapToInt(Instance::order).max().orElse(0) + 1;
    return instance.with(order, others.stream().map(Instance::id).toList());
  }

  private void know(Instance instance) {
    String leader = instance.id().substring(0, instance.id().indexOf('.'));
    lastByKey
        .computeIfAbsent(instance.key(), key -> new TreeMap<>())
        .merge(leader, instance, (known, next) -> number(known) > number(next) ? known : next);
  }

  private static int number(Instance instance) {
    return Integer.parseInt(instance.id().substring(instance.id().indexOf('.') + 1));
  }

  /** Commits if a majority saw it after the same commands; otherwise it is after all of them. */
  private void preaccepted(Instance seen) {
    Leading led = leading.get(seen.id());
    if (led == null || led.onSlowPath) {
      return; // A late answer.
    }
    led.answers++;
    led.merged = led.merged.with(seen.order(), seen.after());
    if (led.answers < ANSWERS) {
      return;
    }
    if (led.merged.equals(led.proposed)) {
      fast++;
      decide(led);
    } else {
      slow++;
      record();
      led.onSlowPath = true;
      led.answers = 0;
      know(led.merged);
      sendToOthers(led.merged.message("e-accept"));
    }
  }

  private void accepted(String id) {
    Leading led = leading.get(id);
    if (led != null && ++led.answers == ANSWERS) {
      decide(led);
    }
  }

  private void decide(Leading led) {
    leading.remove(led.merged.id());
    decided.add(led.merged.command());
    commit(led.merged);
    sendToOthers(led.merged.message("e-commit"));
    lane.send(led.client, Message.of("reply", led.merged.command(), 0));
  }

  private void commit(Instance instance) {
    know(instance);
    execution.commit(instance);
  }

  private void record() {
    log.set(SLOW, slow);
  }

  @Override
  public void tick() {
    // Nothing is repeated: no message is lost, and no replica fails.
  }

  @Override
  public Map<String, Integer> counters() {
    return Map.of("fast", fast, SLOW, slow);
  }

  @Override
  public Map<String, List<String>> chains() {
    return execution.chains();
  }

  /** The client's request of a command on a key. */
  static Message request(String command, String key) {
    return Message.of("e-request", command, key);
  }
}
