// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.examples.paxos.Acceptor.Entry;
import io.retroscope.recorder.EventLog;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of a Paxos replica that leads: it takes over with a higher ballot, proposes, and counts
 * answers. Used by the thread of its lane.
 */
final class Leader {
  private static final long RETRY_NANOS = 2_000_000_000;
  private static final long ANNOUNCE_NANOS = 200_000_000;

  private final Lane lane;
  private final Acceptor acceptor;
  private final int needed;
  private final EventLog log;
  private final Random random = new Random();

  /** 0 before the first attempt to lead. */
  private long ballot;

  private boolean leads;
  private int lastSlot;
  private int announced;
  private long sentNanos;
  private int recordedMessages;
  private final Map<String, Request> waiting = new LinkedHashMap<>();
  private final Set<String> promisers = new HashSet<>();
  private final Map<Integer, Entry> reported = new TreeMap<>();

  /** Rounds that are not chosen and executed yet. */
  private final TreeMap<Integer, Round> rounds = new TreeMap<>();

  private final Map<Fanout, Count> counts = new EnumMap<>(Fanout.class);

  /** A client's request. */
  private record Request(String client, String command, Fanout fanout) {}

  private static final class Round {
    private final Fanout fanout;
    private final String command;
    private final @Nullable String client;
    private final Set<String> accepted = new HashSet<>();
    private long sentNanos;

    Round(Fanout fanout, String command, @Nullable String client) {
      this.fanout = fanout;
      this.command = command;
      this.client = client;
    }
  }

  /** Rounds, repeated ones again, and the messages of these that the leader sent and received. */
  private static final class Count {
    private int rounds;
    private int messages;
  }

  /**
   * A replica that does not lead yet.
   *
   * @param needed the number of replicas that must accept, itself included
   */
  Leader(Lane lane, Acceptor acceptor, int needed) {
    this.lane = lane;
    this.acceptor = acceptor;
    this.needed = needed;
    this.log = lane.recorder().log("leader");
  }

  void request(String client, String command, Fanout fanout) {
    Integer slot = acceptor.slotOf(command);
    if (slot != null) {
      lane.send(client, Message.of("reply", command, slot));
      return;
    }
    if (rounds.values().stream().anyMatch(round -> round.command.equals(command))) {
      return; // The client repeats it.
    }
    if (leads()) {
      count(fanout).messages++;
      propose(command, client, fanout);
    } else if (waiting.put(command, new Request(client, command, fanout)) == null
        && promisers.isEmpty()) {
      prepare();
    }
  }

  /** A replica that has promised a later ballot leads no more. */
  private boolean leads() {
    if (leads && acceptor.promised() > ballot) {
      refused(acceptor.promised());
    }
    return leads;
  }

  private Count count(Fanout fanout) {
    return counts.computeIfAbsent(fanout, f -> new Count());
  }

  private void prepare() {
    ballot = Ballot.above(acceptor.promised(), lane.name());
    sentNanos = System.nanoTime();
    promisers.clear();
    reported.clear();
    acceptor.promise(ballot);
    promised(lane.name(), ballot, List.of());
    acceptor.acceptedFrom(acceptor.executed() + 1).forEach(this::report);
    for (String other : Layout.REPLICAS) {
      if (!other.equals(lane.name())) {
        lane.send(other, Message.of("prepare", ballot, acceptor.executed() + 1));
      }
    }
  }

  /** A replica has promised a ballot, and reports what it had accepted before. */
  void promised(String replica, long promisedBallot, List<String> entries) {
    if (leads || promisedBallot != ballot) {
      return;
    }
    for (String entry : entries) {
      String[] parts = entry.split(":", -1);
      report(Integer.parseInt(parts[0]), new Entry(Long.parseLong(parts[1]), parts[2]));
    }
    promisers.add(replica);
    if (promisers.size() == Layout.MAJORITY) {
      lead();
    }
  }

  private void report(int slot, Entry entry) {
    reported.merge(slot, entry, (a, b) -> a.ballot() >= b.ballot() ? a : b);
  }

  /** Proposes again what may have been chosen, and then what clients have requested meanwhile. */
  private void lead() {
    leads = true;
    lastSlot = acceptor.executed();
    announced = 0;
    int last = reported.keySet().stream().mapToInt(slot -> slot).max().orElse(lastSlot);
    for (int slot = lastSlot + 1; slot <= last; slot++) {
      Entry entry = reported.get(slot);
      propose(entry == null ? "none-" + ballot + "-" + slot : entry.value(), null, Fanout.DIRECT);
    }
    List<Request> requests = new ArrayList<>(waiting.values());
    waiting.clear();
    requests.forEach(request -> request(request.client, request.command, request.fanout));
  }

  private void propose(String command, @Nullable String client, Fanout fanout) {
    lastSlot++;
    rounds.put(lastSlot, new Round(fanout, command, client));
    send(lastSlot);
  }

  private void send(int slot) {
    Round round = rounds.get(slot);
    if (round == null) {
      return;
    }
    List<List<String>> groups = round.fanout.groups(lane.name());
    count(round.fanout).rounds++;
    count(round.fanout).messages += groups.size();
    record(slot);
    sentNanos = System.nanoTime();
    round.sentNanos = sentNanos;
    announced = acceptor.executed();
    for (List<String> group : groups) {
      String to = group.get(random.nextInt(group.size()));
      lane.send(
          to,
          Message.of(
              round.fanout.request(), ballot, slot, round.command, announced, Message.join(group)));
    }
    if (acceptor.accept(ballot, slot, round.command)) {
      accepted(ballot, slot, List.of(lane.name()));
    }
  }

  private void record(int slot) {
    Count direct = count(Fanout.DIRECT);
    Count relayed = count(Fanout.RELAYED);
    recordedMessages = direct.messages + relayed.messages;
    log.event()
        .set("proposed", slot)
        .set("direct", direct.messages)
        .set("directRounds", direct.rounds)
        .set("relayed", relayed.messages)
        .set("relayedRounds", relayed.rounds)
        .record();
  }

  /** An answer has arrived, even if it is late. */
  void answered(Fanout fanout, long answeredBallot, int slot, List<String> replicas) {
    count(fanout).messages++;
    accepted(answeredBallot, slot, replicas);
  }

  private void accepted(long acceptedBallot, int slot, List<String> replicas) {
    Round round = rounds.get(slot);
    if (!leads || acceptedBallot != ballot || round == null) {
      return;
    }
    round.accepted.addAll(replicas);
    while (!rounds.isEmpty() && rounds.firstEntry().getValue().accepted.size() >= needed) {
      Map.Entry<Integer, Round> first = rounds.pollFirstEntry();
      chosen(first.getKey(), first.getValue());
    }
  }

  private void chosen(int slot, Round round) {
    acceptor.chosen(slot, round.command);
    if (round.client != null) {
      count(round.fanout).messages++;
      lane.send(round.client, Message.of("reply", round.command, slot));
    }
  }

  /** Another replica leads with a higher ballot; the clients repeat lost commands. */
  void refused(long higher) {
    acceptor.promise(higher);
    if (higher > ballot) {
      leads = false;
      promisers.clear();
      rounds.clear();
    }
  }

  void tick() {
    long now = System.nanoTime();
    if (now - sentNanos > ANNOUNCE_NANOS && messages() > recordedMessages) {
      record(lastSlot);
    }
    if (!leads() && !waiting.isEmpty() && now - sentNanos > RETRY_NANOS) {
      prepare();
    }
    if (!leads) {
      return;
    }
    for (Integer slot : List.copyOf(rounds.keySet())) {
      Round round = rounds.get(slot);
      if (round != null && now - round.sentNanos > RETRY_NANOS) {
        send(slot);
      }
    }
    if (rounds.isEmpty() && announced < acceptor.executed() && now - sentNanos > ANNOUNCE_NANOS) {
      announce();
    }
  }

  private int messages() {
    return counts.values().stream().mapToInt(count -> count.messages).sum();
  }

  /** Sends the last chosen slot, if no further proposal does. */
  private void announce() {
    announced = acceptor.executed();
    record(lastSlot);
    for (String other : Layout.REPLICAS) {
      if (!other.equals(lane.name())) {
        lane.send(other, Message.of("commit", ballot, announced));
      }
    }
  }

  /** By fanout: its rounds, and their messages as the lane counts them, without clients'. */
  Map<String, Integer> counters() {
    Map<String, Integer> counters = new TreeMap<>();
    counts.forEach(
        (fanout, count) -> {
          counters.put(fanout.request() + ".rounds", count.rounds);
          counters.put(
              fanout.request() + ".messages",
              lane.sent(fanout.request()) + lane.received(fanout.answer()));
        });
    return counters;
  }
}
