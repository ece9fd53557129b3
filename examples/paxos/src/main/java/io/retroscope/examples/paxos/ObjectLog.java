// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.examples.paxos.Acceptor.Entry;
import io.retroscope.recorder.EventLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** The log of an object of WPaxos at a replica, which may own it. Used by one thread. */
final class ObjectLog {
  /** The requests in a row from another zone after which that zone is invited to take over. */
  private static final int INVITE_AFTER = 3;

  private static final int ZONE_QUORUM = 2;
  private static final long RETRY_NANOS = 500_000_000;

  private final String name;
  private final Lane lane;
  private final BiConsumer<ObjectLog, Boolean> onOwner;
  private final EventLog log;
  private final Random random = new Random();
  private final TreeMap<Integer, Entry> accepted = new TreeMap<>();
  private final Chain chain;
  private final Map<Integer, String> committed = new TreeMap<>();
  private final Map<String, Integer> slots = new HashMap<>();
  private long promised;

  /* As the owner, or one that takes over. */
  private long ballot;
  private boolean owns;
  private boolean takesOver;
  private long retryNanos;
  private int lastSlot;
  private final Set<String> promisers = new HashSet<>();
  private final Map<Integer, Entry> reported = new TreeMap<>();
  private final TreeMap<Integer, Round> rounds = new TreeMap<>();
  private final Map<String, String> waiting = new LinkedHashMap<>();
  private String lastClient = "";
  private int inARow;

  private static final class Round {
    private final String command;
    private String client;
    private final Set<String> accepted = new HashSet<>();

    Round(String command, String client) {
      this.command = command;
      this.client = client;
    }
  }

  /** The log of an object; the consumer is called when this replica begins or ceases to own it. */
  ObjectLog(String name, Lane lane, BiConsumer<ObjectLog, Boolean> onOwner) {
    this.name = name;
    this.lane = lane;
    this.onOwner = onOwner;
    this.log = lane.recorder().log("paxos");
    this.chain = new Chain("wpaxos/" + name);
  }

  String name() {
    return name;
  }

  long ballot() {
    return promised;
  }

  List<String> commands() {
    return chain.commands();
  }

  /** Proposes a command, or forwards it to the owner; an object without one is taken over. */
  void request(String command, String client) {
    if (owns) {
      requestOfOwner(command, client);
    } else if (promised == 0 || takesOver || Ballot.leader(promised).equals(lane.name())) {
      waiting.put(command, client);
      if (!takesOver) {
        takeOver();
      }
    } else {
      lane.send(Ballot.leader(promised), WpaxosReplica.request(command, name, client));
    }
  }

  private void requestOfOwner(String command, String client) {
    Integer slot = slots.get(command);
    Optional<Round> same =
        rounds.values().stream().filter(round -> round.command.equals(command)).findFirst();
    if (slot != null) {
      lane.send(client, Message.of("reply", command, slot)); // The client repeats it.
    } else if (same.isPresent()) {
      same.get().client = client;
    } else {
      propose(command, client);
      invite(client);
    }
  }

  private void invite(String client) {
    inARow = client.equals(lastClient) ? inARow + 1 : 1;
    lastClient = client;
    String first = Layout.replicas("z" + client.substring(1)).get(0);
    if (inARow >= INVITE_AFTER && !first.equals(lane.name())) {
      inARow = 0;
      lane.send(first, Message.of("w-invite", name));
    }
  }

  void receive(String from, Message message) {
    switch (message.kind()) {
      case "w-invite" -> {
        if (!owns && !takesOver) {
          takeOver();
        }
      }
      case "w-prepare" -> prepare(from, message.ballot(1), message.number(2));
      case "w-promise" ->
          promised(from, message.ballot(1), message.words().subList(2, message.words().size()));
      case "w-accept" -> accept(from, message.ballot(1), message.number(2), message.word(3));
      case "w-accepted" -> accepted(from, message.ballot(1), message.number(2));
      case "w-refused" -> refused(message.ballot(1));
      case "w-commit" -> commit(message.number(1), message.word(2));
      default -> throw new IllegalArgumentException("unknown message " + message.text());
    }
  }

  /** Requests promises of a higher ballot from all zones. */
  private void takeOver() {
    takesOver = true;
    retryNanos = System.nanoTime() + RETRY_NANOS + random.nextInt((int) RETRY_NANOS);
    ballot = Ballot.above(promised, lane.name());
    promisers.clear();
    reported.clear();
    for (String member : WpaxosReplica.MEMBERS) {
      lane.send(member, Message.of("w-prepare", name, ballot, chain.length() + 1));
    }
  }

  private void prepare(String from, long newBallot, int slot) {
    if (newBallot <= promised) {
      lane.send(from, Message.of("w-refused", name, promised));
      return;
    }
    promised = newBallot;
    cede();
    if (newBallot > ballot) {
      takesOver = false; // Another one does, and would be refused here.
    }
    List<String> words = new ArrayList<>(List.of(name, Long.toString(newBallot)));
    accepted
        .tailMap(slot)
        .forEach((at, entry) -> words.add(at + ":" + entry.ballot() + ":" + entry.value()));
    lane.send(from, new Message("w-promise", words));
  }

  /**
   * Ceases to own the object; commands that are not committed are requested again from the next
   * owner.
   */
  private void cede() {
    if (owns) {
      owns = false;
      onOwner.accept(this, false);
      rounds.values().forEach(round -> waiting.put(round.command, round.client));
      rounds.clear();
    }
  }

  private void promised(String from, long promisedBallot, List<String> entries) {
    if (!takesOver || promisedBallot != ballot) {
      return;
    }
    for (String entry : entries) {
      String[] parts = entry.split(":", -1);
      reported.merge(
          Integer.parseInt(parts[0]),
          new Entry(Long.parseLong(parts[1]), parts[2]),
          (a, b) -> a.ballot() >= b.ballot() ? a : b);
    }
    promisers.add(from);
    boolean inEachZone =
        WpaxosReplica.ZONES.stream()
            .allMatch(
                zone ->
                    WpaxosReplica.members(zone).stream().filter(promisers::contains).count()
                        >= ZONE_QUORUM);
    if (inEachZone) {
      own();
    }
  }

  /** Proposes again what may have been committed, and then what has been requested meanwhile. */
  private void own() {
    takesOver = false;
    owns = true;
    inARow = 0;
    onOwner.accept(this, true);
    lastSlot = chain.length();
    reported.forEach(
        (slot, entry) -> {
          if (slot > lastSlot) {
            String client = waiting.remove(entry.value());
            propose(entry.value(), client == null ? "-" : client);
          }
        });
    Map<String, String> requests = new LinkedHashMap<>(waiting);
    waiting.clear();
    requests.forEach(this::request);
  }

  private void propose(String command, String client) {
    lastSlot++;
    rounds.put(lastSlot, new Round(command, client));
    for (String member : WpaxosReplica.zoneOf(lane.name())) {
      lane.send(member, Message.of("w-accept", name, ballot, lastSlot, command));
    }
  }

  private void accept(String from, long acceptedBallot, int slot, String command) {
    if (acceptedBallot < promised) {
      lane.send(from, Message.of("w-refused", name, promised));
      return;
    }
    promised = acceptedBallot;
    accepted.put(slot, new Entry(acceptedBallot, command));
    lane.send(from, Message.of("w-accepted", name, acceptedBallot, slot));
  }

  private void accepted(String from, long acceptedBallot, int slot) {
    Round round = rounds.get(slot);
    if (!owns || acceptedBallot != ballot || round == null) {
      return;
    }
    round.accepted.add(from);
    if (round.accepted.size() == ZONE_QUORUM) {
      rounds.remove(slot);
      commit(slot, round.command);
      for (String member : WpaxosReplica.MEMBERS) {
        if (!member.equals(lane.name())) {
          lane.send(member, Message.of("w-commit", name, slot, round.command));
        }
      }
      if (!round.client.equals("-")) {
        lane.send(round.client, Message.of("reply", round.command, slot));
      }
    }
  }

  private void refused(long higher) {
    promised = Math.max(promised, higher);
    if (higher > ballot) {
      cede();
      takesOver = false;
    }
  }

  private void commit(int slot, String command) {
    if (slot > chain.length()) {
      committed.put(slot, command);
    }
    String next = committed.remove(chain.length() + 1);
    while (next != null) {
      chain.add(next);
      slots.put(next, chain.length());
      log.event().set("place", chain.place()).set("head", chain.head()).record();
      next = committed.remove(chain.length() + 1);
    }
  }

  /** Requests again what waits: of the owner if there is one, or with a higher ballot. */
  void tick() {
    if (waiting.isEmpty() || System.nanoTime() < retryNanos) {
      return;
    }
    if (takesOver) {
      takeOver();
      return;
    }
    retryNanos = System.nanoTime() + RETRY_NANOS;
    Map<String, String> requests = new LinkedHashMap<>(waiting);
    waiting.clear();
    requests.forEach(this::request);
  }
}
