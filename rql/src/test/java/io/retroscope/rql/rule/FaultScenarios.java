// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.event.Event;
import io.retroscope.event.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Systems that keep a rule until a fault is injected: those of the twelve invariants, and those of
 * the six demonstrations. Each plays some rounds, of which a random one is faulty.
 */
final class FaultScenarios {
  private static final Path FOLDER = Path.of("..", "examples", "invariants");
  private static final int ROUNDS = 5;

  private FaultScenarios() {}

  /**
   * A system, and its rule.
   *
   * @param workMicros between two other events of a node, on average
   * @param script plays the rounds on a cluster; without a fault if the second argument is false
   */
  record Scenario(
      String name,
      String rule,
      List<String> nodes,
      long workMicros,
      BiConsumer<FaultyCluster, Boolean> script) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Scenario> all() {
    return List.of(
        invariant(
            "one-leader-per-term", List.of("a", "b", "c", "d", "e"), FaultScenarios::election),
        invariant("no-lost-update", List.of("store", "ann", "bob"), FaultScenarios::lostUpdate),
        invariant("read-your-writes", List.of("ann", "bob", "r1", "r2"), FaultScenarios::staleRead),
        invariant("monotonic-reads", List.of("ann", "bob", "r1", "r2"), FaultScenarios::olderRead),
        invariant("lease-held-once", List.of("a", "b", "c", "grants"), FaultScenarios::lease),
        invariant("committed-by-quorum", List.of("a", "b", "c"), FaultScenarios::quorum),
        invariant("exactly-once", List.of("broker", "w1", "w2", "w3"), FaultScenarios::payments),
        invariant("causal-delivery", List.of("ann", "bob", "cat"), FaultScenarios::chat),
        invariant("bounded-staleness", List.of("r1", "r2", "r3"), FaultScenarios::staleness),
        invariant("answered-in-time", List.of("web", "api1", "api2"), FaultScenarios::requests),
        new Scenario(
            "no-ping-pong",
            file("no-ping-pong"),
            List.of("coord", "m1", "m2", "m3"),
            100_000,
            FaultScenarios::pingPong),
        invariant("config-agrees", List.of("a", "b", "c", "d"), FaultScenarios::rollout),
        demonstration(
            "zookeeper",
            "NEVER SPREAD(r1) >= 2 FROM setd",
            List.of("zk1", "zk2", "zk3", "zk4", "zk5"),
            (cluster, faulty) -> replicas(cluster, faulty, "setd")),
        demonstration(
            "kafka",
            "NEVER EXISTS a, b IN NODES : (a != b AND Cardinality(owns@a INTERSECT owns@b) > 0)"
                + " FROM `group`",
            List.of("c1", "c2", "coordinator"),
            FaultScenarios::partitions),
        demonstration(
            "infinispan",
            "NEVER SPREAD(r1) >= 2 FROM stock",
            List.of("i1", "i2", "i3"),
            (cluster, faulty) -> replicas(cluster, faulty, "stock")),
        demonstration(
            "latency",
            "NEVER EXISTS n IN NODES : (best@n > 100000 AND self@n < 20000) FROM clt",
            List.of("l1", "l2", "l3"),
            FaultScenarios::pings),
        demonstration(
            "raft",
            "NEVER COUNT n IN NODES : (role@n = 'leader') >= 2 FROM raft",
            List.of("s1", "s2", "s3"),
            FaultScenarios::pausedLeader),
        demonstration(
            "redis",
            "NEVER COUNT n IN NODES : (holds@n) >= 2 FROM lock",
            List.of("w1", "w2", "w3", "redis"),
            FaultScenarios::pausedHolder));
  }

  private static Scenario invariant(
      String name, List<String> nodes, BiConsumer<FaultyCluster, Boolean> script) {
    return new Scenario(name, file(name), nodes, 4_000, script);
  }

  private static Scenario demonstration(
      String name, String claim, List<String> nodes, BiConsumer<FaultyCluster, Boolean> script) {
    String rule = "CREATE RULE %s AS (%s);".formatted(name, claim);
    return new Scenario(name, rule, nodes, 4_000, script);
  }

  private static String file(String name) {
    try {
      return Files.readString(FOLDER.resolve(name + ".rql"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The round with the fault; none if there is none. */
  private static int faultyRound(FaultyCluster cluster, boolean faulty) {
    int round = 1 + cluster.random().nextInt(ROUNDS - 1);
    return faulty ? round : -1;
  }

  /** A voter votes twice in a term. */
  private static void election(FaultyCluster cluster, boolean faulty) {
    List<String> all = List.of("a", "b", "c", "d", "e");
    all.forEach(n -> cluster.set(n, "raft", Map.of("role", "follower", "term", 0)));
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < ROUNDS; round++) {
      int term = round + 1;
      boolean twice = round == fault;
      List<String> order = new ArrayList<>(all);
      Collections.shuffle(order, cluster.random());
      String first = order.get(0);
      String second = order.get(1);
      Set<String> voters = Set.of(order.get(2), order.get(3));
      cluster.later(first, 40_000L * term, () -> candidate(cluster, first, term, voters, () -> {}));
      if (twice) {
        // The first voter has voted for the other candidate already.
        cluster.later(
            second,
            40_000L * term + 9_000,
            () -> candidate(cluster, second, term, Set.of(order.get(2), order.get(4)), () -> {}));
        String voter = order.get(2);
        cluster.onSend("vote-%d-%s-%s".formatted(term, voter, second), cluster::injected);
      }
    }
    cluster.work(40_000L * (ROUNDS + 1));
  }

  private static void candidate(
      FaultyCluster cluster, String node, int term, Set<String> voters, Runnable leads) {
    Set<String> votes = new HashSet<>();
    cluster.set(node, "raft", Map.of("role", "candidate", "term", term));
    for (String voter : voters) {
      cluster.send(
          node,
          voter,
          "ask-%d-%s-%s".formatted(term, node, voter),
          () -> {
            cluster.set(voter, "raft", "term", term);
            cluster.send(
                voter,
                node,
                "vote-%d-%s-%s".formatted(term, voter, node),
                () -> {
                  votes.add(voter);
                  if (votes.size() == voters.size()) {
                    cluster.set(node, "raft", "role", "leader");
                    leads.run();
                    cluster.later(
                        node, 15_000, () -> cluster.set(node, "raft", "role", "follower"));
                  }
                });
          });
    }
  }

  /** A client writes with a version that it read before another client's write. */
  private static void lostUpdate(FaultyCluster cluster, boolean faulty) {
    int[] version = {3};
    cluster.set("store", "kv", "version", version[0]);
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < ROUNDS; round++) {
      boolean stale = round == fault;
      String writer = cluster.any(List.of("ann", "bob"));
      String id = "-" + round;
      cluster.later(
          writer,
          30_000L * round + 1_000,
          () ->
              cluster.send(
                  writer,
                  "store",
                  "read" + id,
                  () -> {
                    int found = version[0] - (stale ? 1 : 0);
                    cluster.send(
                        "store",
                        writer,
                        "found" + id,
                        () -> {
                          cluster.line(writer, "kv", "read", Map.of("found", found));
                          cluster.later(
                              writer,
                              3_000,
                              () -> write(cluster, writer, id, found, version, stale));
                        });
                  }));
    }
    cluster.work(30_000L * ROUNDS);
  }

  private static void write(
      FaultyCluster cluster, String writer, String id, int base, int[] version, boolean stale) {
    Event send =
        cluster.send(
            writer,
            "store",
            "write" + id,
            () -> {
              cluster.line("store", "kv", "write", Map.of("by", writer, "base", base));
              cluster.set("store", "kv", "version", ++version[0]);
            });
    if (stale) {
      cluster.injected(send);
    }
  }

  /** A session reads from a replica that has not got its write. */
  private static void staleRead(FaultyCluster cluster, boolean faulty) {
    sessions(cluster, faulty, true);
  }

  /** A session reads from a replica that is older than the one before. */
  private static void olderRead(FaultyCluster cluster, boolean faulty) {
    sessions(cluster, faulty, false);
  }

  private static void sessions(FaultyCluster cluster, boolean faulty, boolean ofWriter) {
    Map<String, Integer> versions = new HashMap<>(Map.of("r1", 1, "r2", 1));
    List<String> clients = List.of("ann", "bob");
    if (ofWriter) {
      clients.forEach(client -> cluster.set(client, "session", "written", 1));
    } else {
      clients.forEach(client -> cluster.set(client, "session", "seen_cart", 1));
    }
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < ROUNDS; round++) {
      int version = round + 2;
      boolean slow = round == fault;
      String client = cluster.any(clients);
      cluster.later(
          client,
          40_000L * round + 1_000,
          () ->
              cluster.send(
                  client,
                  "r1",
                  "put-" + version,
                  () -> {
                    versions.put("r1", version);
                    long link = slow ? 25_000 : 800;
                    cluster.send(
                        "r1", "r2", "copy-" + version, link, () -> versions.put("r2", version));
                    cluster.send(
                        "r1",
                        client,
                        "stored-" + version,
                        () -> {
                          if (ofWriter) {
                            cluster.set(client, "session", "written", version);
                          }
                        });
                  }));
      read(cluster, client, "r1", 40_000L * round + 9_000, versions, ofWriter, false);
      read(cluster, client, "r2", 40_000L * round + 16_000, versions, ofWriter, slow);
    }
    cluster.work(40_000L * ROUNDS);
  }

  private static void read(
      FaultyCluster cluster,
      String client,
      String replica,
      long at,
      Map<String, Integer> versions,
      boolean ofWriter,
      boolean isFault) {
    String id = client + "-" + at;
    cluster.later(
        client,
        at,
        () ->
            cluster.send(
                client,
                replica,
                "get-" + id,
                () -> {
                  int found = versions.get(replica);
                  Event reply =
                      cluster.send(
                          replica,
                          client,
                          "got-" + id,
                          () -> {
                            if (ofWriter) {
                              Map<String, Object> fields =
                                  Map.of("replica", replica, "found", found);
                              cluster.line(client, "session", "read", fields);
                            } else {
                              cluster.set(client, "session", "seen_cart", found);
                            }
                          });
                  if (isFault) {
                    cluster.injected(reply);
                  }
                }));
  }

  /** A lease is granted before it was released. */
  private static void lease(FaultyCluster cluster, boolean faulty) {
    List<String> holders = List.of("a", "b", "c");
    holders.forEach(node -> cluster.set(node, "lease", "lease_eu", false));
    int fault = faultyRound(cluster, faulty);
    grant(cluster, 0, fault, cluster.any(holders));
    cluster.work(200_000);
  }

  private static void grant(FaultyCluster cluster, int round, int fault, String holder) {
    if (round == ROUNDS) {
      return;
    }
    List<String> others = new ArrayList<>(List.of("a", "b", "c"));
    others.remove(holder);
    String next = cluster.any(others);
    Event send =
        cluster.send(
            "grants",
            holder,
            "grant-" + round,
            () -> {
              cluster.set(holder, "lease", "lease_eu", true);
              cluster.later(
                  holder,
                  15_000 + cluster.random().nextInt(10_000),
                  () -> {
                    cluster.set(holder, "lease", "lease_eu", false);
                    cluster.send(
                        holder,
                        "grants",
                        "release-" + round,
                        () -> {
                          if (round + 1 != fault) {
                            grant(cluster, round + 1, fault, next);
                          }
                        });
                  });
            });
    if (round == fault) {
      cluster.injected(send);
    }
    if (round + 1 == fault) {
      cluster.later("grants", 10_000, () -> grant(cluster, round + 1, fault, next));
    }
  }

  /** A follower acknowledges an entry before it stores it. */
  private static void quorum(FaultyCluster cluster, boolean faulty) {
    cluster.nodes().forEach(node -> cluster.set(node, "raft", "stored", 0));
    cluster.later("a", 20_000, () -> cluster.set("a", "raft", "commit", 0));
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < ROUNDS; round++) {
      int entry = round + 1;
      String early = round == fault ? cluster.any(List.of("b", "c")) : "";
      cluster.later(
          "a",
          60_000L * entry,
          () -> {
            cluster.set("a", "raft", "stored", entry);
            for (String follower : List.of("b", "c")) {
              replicate(cluster, follower, entry, early);
            }
          });
    }
    cluster.work(60_000L * (ROUNDS + 1));
  }

  private static void replicate(FaultyCluster cluster, String follower, int entry, String early) {
    boolean lies = follower.equals(early);
    long link = early.isEmpty() || lies ? 1_000 : 30_000;
    cluster.send(
        "a",
        follower,
        "entry-%d-%s".formatted(entry, follower),
        link,
        () -> {
          Runnable store = () -> cluster.set(follower, "raft", "stored", entry);
          if (lies) {
            cluster.later(follower, 20_000, store);
          } else {
            store.run();
          }
          Event ack =
              cluster.send(
                  follower,
                  "a",
                  "ack-%d-%s".formatted(entry, follower),
                  () -> cluster.set("a", "raft", "commit", entry));
          if (lies) {
            cluster.injected(ack);
          }
        });
  }

  /** A broker delivers a payment again, to another worker. */
  private static void payments(FaultyCluster cluster, boolean faulty) {
    List<String> workers = List.of("w1", "w2", "w3");
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < ROUNDS; round++) {
      int payment = round + 17;
      boolean again = round == fault;
      String worker = cluster.any(workers);
      cluster.later(
          "broker", 20_000L * round + 1_000, () -> deliver(cluster, worker, payment, "first"));
      if (again) {
        String other = worker.equals("w1") ? "w2" : "w1";
        cluster.later(
            "broker",
            20_000L * round + 8_000,
            () -> cluster.injected(deliver(cluster, other, payment, "again")));
      }
    }
    cluster.work(20_000L * ROUNDS);
  }

  private static Event deliver(FaultyCluster cluster, String worker, int payment, String which) {
    return cluster.send(
        "broker",
        worker,
        "pay-%d-%s".formatted(payment, which),
        () -> cluster.line(worker, "shop", "charged", Map.of("payment", payment)));
  }

  /** A question takes longer to a node than the answer of another node to it. */
  private static void chat(FaultyCluster cluster, boolean faulty) {
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < ROUNDS; round++) {
      String question = "question-" + round;
      String answer = "answer-" + round;
      boolean slow = round == fault;
      cluster.later(
          "ann",
          30_000L * round + 1_000,
          () -> {
            heard(cluster, "ann", question, "");
            cluster.send(
                "ann",
                "bob",
                question + "-bob",
                () -> {
                  heard(cluster, "bob", question, "");
                  cluster.later(
                      "bob",
                      3_000,
                      () -> {
                        heard(cluster, "bob", answer, question);
                        cluster.send(
                            "bob",
                            "cat",
                            answer + "-cat",
                            () -> heard(cluster, "cat", answer, question));
                      });
                });
            Event send =
                cluster.send(
                    "ann",
                    "cat",
                    question + "-cat",
                    slow ? 15_000 : 900,
                    () -> heard(cluster, "cat", question, ""));
            if (slow) {
              cluster.injected(send);
            }
          });
    }
    cluster.work(30_000L * ROUNDS);
  }

  private static void heard(FaultyCluster cluster, String node, String text, String after) {
    Map<String, Object> fields =
        after.isEmpty() ? Map.of("text", text) : Map.of("text", text, "after", after);
    cluster.line(node, "chat", "deliver", fields);
    cluster.add(node, "chat", "delivered", text);
  }

  /** The link to a replica is slow. */
  private static void staleness(FaultyCluster cluster, boolean faulty) {
    List<String> all = List.of("r1", "r2", "r3");
    all.forEach(node -> cluster.set(node, "kv", "cart", 1));
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < ROUNDS; round++) {
      int version = round + 2;
      String slow = round == fault ? cluster.any(List.of("r2", "r3")) : "";
      cluster.later(
          "r1",
          250_000L * round + 1_000,
          () -> {
            cluster.set("r1", "kv", "cart", version);
            for (String replica : List.of("r2", "r3")) {
              boolean isSlow = replica.equals(slow);
              Event send =
                  cluster.send(
                      "r1",
                      replica,
                      "copy-%d-%s".formatted(version, replica),
                      isSlow ? 150_000 : 2_000,
                      () -> cluster.set(replica, "kv", "cart", version));
              if (isSlow) {
                cluster.injected(send);
              }
            }
          });
    }
    cluster.work(250_000L * ROUNDS);
  }

  /** A server pauses after it has received a request, or the request takes long. */
  private static void requests(FaultyCluster cluster, boolean faulty) {
    int fault = faultyRound(cluster, faulty);
    cluster.line("web", "http", "request", Map.of("request", 16));
    cluster.line("web", "http", "cancelled", Map.of("cancelled", 16));
    for (int round = 0; round < 4 * ROUNDS; round++) {
      int request = round + 17;
      boolean isFault = round == 4 * fault;
      boolean pauses = cluster.random().nextBoolean();
      String server = cluster.any(List.of("api1", "api2"));
      cluster.later(
          "web",
          40_000L * round + 1_000,
          () -> {
            cluster.line("web", "http", "request", Map.of("request", request));
            long link = isFault && !pauses ? 260_000 : 1_000;
            Event send =
                cluster.send(
                    "web",
                    server,
                    "request-" + request,
                    link,
                    () -> answer(cluster, server, request));
            if (isFault && !pauses) {
              cluster.injected(send);
            }
            if (isFault && pauses) {
              cluster.onReceipt(
                  "request-" + request,
                  receipt -> {
                    cluster.injected(receipt);
                    cluster.pause(server, 260_000);
                  });
            }
          });
    }
    // The servers heartbeat, so that the rule is decided.
    cluster.work(40_000L * 4 * ROUNDS + 400_000);
  }

  private static void answer(FaultyCluster cluster, String server, int request) {
    cluster.later(
        server,
        5_000,
        () -> {
          cluster.line(server, "http", "answer", Map.of("answer", request));
          cluster.send(server, "web", "answer-" + request, () -> {});
        });
  }

  /** A monitor suspects the new owner at once. */
  private static void pingPong(FaultyCluster cluster, boolean faulty) {
    int[] owner = {1};
    cluster.set("coord", "partitions", "owner", "c1");
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < ROUNDS; round++) {
      long at = 3_000_000L * (round + 1);
      suspect(cluster, at, "suspect-" + round, owner, false);
      if (round == fault) {
        suspect(cluster, at + 250_000, "suspect-again-" + round, owner, false);
        suspect(cluster, at + 500_000, "suspect-still-" + round, owner, true);
      }
    }
    cluster.work(3_000_000L * (ROUNDS + 1));
  }

  private static void suspect(
      FaultyCluster cluster, long at, String id, int[] owner, boolean isFault) {
    String monitor = cluster.any(List.of("m1", "m2", "m3"));
    cluster.later(
        monitor,
        at,
        () -> {
          Event send =
              cluster.send(
                  monitor,
                  "coord",
                  id,
                  () -> {
                    owner[0] = 3 - owner[0];
                    cluster.set("coord", "partitions", "owner", "c" + owner[0]);
                  });
          if (isFault) {
            cluster.injected(send);
          }
        });
  }

  /** The message with a new configuration is lost for one node. */
  private static void rollout(FaultyCluster cluster, boolean faulty) {
    List<String> others = List.of("b", "c", "d");
    List.of("a", "b", "c", "d").forEach(node -> cluster.set(node, "config", "limit", 10));
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < ROUNDS; round++) {
      int limit = 20 + round;
      String lost = round == fault ? cluster.any(others) : "";
      cluster.later(
          "a",
          800_000L * round + 1_000,
          () -> {
            cluster.set("a", "config", "limit", limit);
            for (String node : others) {
              String id = "limit-%d-%s".formatted(limit, node);
              if (node.equals(lost)) {
                cluster.injected(cluster.lose("a", node, id));
              } else {
                cluster.send("a", node, id, () -> cluster.set(node, "config", "limit", limit));
              }
            }
          });
    }
    cluster.work(800_000L * ROUNDS);
  }

  /** The link from the leader to a replica is slow. */
  private static void replicas(FaultyCluster cluster, boolean faulty, String log) {
    List<String> nodes = cluster.nodes();
    nodes.forEach(node -> cluster.set(node, log, "r1", 0));
    String leader = cluster.any(nodes);
    List<String> followers = nodes.stream().filter(node -> !node.equals(leader)).toList();
    int fault = faultyRound(cluster, faulty);
    String slow = cluster.any(followers);
    Map<String, Integer> applied = new HashMap<>();
    for (int version = 1; version <= 4 * ROUNDS; version++) {
      int next = version;
      boolean isSlow = version >= 4 * fault && version < 4 * fault + 3 && fault >= 0;
      cluster.later(
          leader,
          8_000L * version,
          () -> {
            cluster.set(leader, log, "r1", next);
            for (String follower : followers) {
              boolean waits = isSlow && follower.equals(slow);
              Event send =
                  cluster.send(
                      leader,
                      follower,
                      "set-%d-%s".formatted(next, follower),
                      waits ? 30_000 - 8_000L * (next - 4L * fault) : 1_000,
                      () -> {
                        if (applied.merge(follower, next, Math::max) == next) {
                          cluster.set(follower, log, "r1", next);
                        }
                      });
              if (waits && next == 4 * fault) {
                cluster.injected(send);
              }
            }
          });
    }
    cluster.work(8_000L * 4 * ROUNDS);
  }

  /** A consumer stops, and its partitions are given to the other one. */
  private static void partitions(FaultyCluster cluster, boolean faulty) {
    Set<String> ofFirst = Set.of("p0", "p1");
    cluster.set("c1", "group", "owns", strings(ofFirst));
    cluster.set("c2", "group", "owns", strings(Set.of("p2", "p3")));
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < ROUNDS; round++) {
      for (String consumer : List.of("c1", "c2")) {
        long at = 40_000L * round + 2_000 + cluster.random().nextInt(2_000);
        cluster.later(
            consumer,
            at,
            () -> cluster.send(consumer, "coordinator", "poll-" + consumer + at, () -> {}));
      }
      if (round == fault) {
        long at = 40_000L * round + 10_000;
        cluster.later(
            "c1",
            at,
            () -> {
              cluster.injected(cluster.latest("c1"));
              cluster.pause("c1", 90_000);
            });
        cluster.later(
            "coordinator",
            at + 30_000,
            () ->
                cluster.send(
                    "coordinator",
                    "c2",
                    "assign-" + at,
                    () ->
                        cluster.set(
                            "c2", "group", "owns", strings(Set.of("p0", "p1", "p2", "p3")))));
        cluster.later(
            "c1", at + 91_000, () -> cluster.set("c1", "group", "owns", strings(Set.of())));
      }
    }
    cluster.work(40_000L * ROUNDS);
  }

  private static Value strings(Set<String> texts) {
    return Value.setOf(texts.stream().map(Value::of).toArray(Value[]::new));
  }

  /** All links of a node are slow. */
  private static void pings(FaultyCluster cluster, boolean faulty) {
    List<String> nodes = cluster.nodes();
    nodes.forEach(node -> cluster.set(node, "clt", Map.of("best", 800, "self", 50)));
    int fault = faultyRound(cluster, faulty);
    String slow = cluster.any(nodes);
    for (int round = 0; round < ROUNDS; round++) {
      for (String node : nodes) {
        boolean isSlow = round == fault && node.equals(slow);
        long at = 300_000L * round + 1_000 + cluster.random().nextInt(3_000);
        int number = round;
        cluster.later(node, at, () -> round(cluster, node, number, isSlow));
      }
    }
    cluster.work(300_000L * ROUNDS);
  }

  private static void round(FaultyCluster cluster, String node, int round, boolean slow) {
    Set<String> heard = new HashSet<>();
    int began = cluster.millis();
    for (String peer : cluster.nodes()) {
      if (peer.equals(node)) {
        continue;
      }
      String id = "ping-%s-%s-%d".formatted(node, peer, round);
      Runnable pong =
          () ->
              cluster.send(
                  peer,
                  node,
                  "pong" + id,
                  slow ? 60_000 : 700,
                  () -> {
                    if (heard.isEmpty()) {
                      int micros = 1_000 * (cluster.millis() - began);
                      cluster.set(node, "clt", Map.of("best", micros, "self", 40));
                    }
                    heard.add(peer);
                  });
      Event send = cluster.send(node, peer, id, slow ? 60_000 + 500 * peer.charAt(1) : 700, pong);
      if (slow && cluster.cause().isEmpty()) {
        cluster.injected(send);
      }
    }
  }

  /** The leader stops, and the others elect another one. */
  private static void pausedLeader(FaultyCluster cluster, boolean faulty) {
    List<String> nodes = cluster.nodes();
    nodes.forEach(node -> cluster.set(node, "raft", Map.of("role", "follower", "term", 1)));
    String[] leader = {cluster.any(nodes)};
    cluster.set(leader[0], "raft", "role", "leader");
    int fault = faultyRound(cluster, faulty);
    for (int round = 0; round < 4 * ROUNDS; round++) {
      int number = round;
      cluster.later(
          leader[0],
          10_000L * round,
          () -> {
            for (String node : nodes) {
              if (!node.equals(leader[0])) {
                cluster.send(leader[0], node, "beat-%d-%s".formatted(number, node), () -> {});
              }
            }
          });
    }
    if (fault >= 0) {
      String old = leader[0];
      List<String> others = nodes.stream().filter(node -> !node.equals(old)).toList();
      String next = cluster.any(others);
      String voter = others.get(0).equals(next) ? others.get(1) : others.get(0);
      long at = 40_000L * fault + 5_000;
      cluster.later(
          old,
          at,
          () -> {
            cluster.injected(cluster.latest(old));
            cluster.pause(old, 80_000);
          });
      cluster.later(next, at + 30_000, () -> candidate(cluster, next, 2, Set.of(voter), () -> {}));
      cluster.later(old, at + 81_000, () -> cluster.set(old, "raft", "role", "follower"));
    }
    cluster.work(40_000L * ROUNDS);
  }

  /** The holder of a lock pauses for longer than its lease. */
  private static void pausedHolder(FaultyCluster cluster, boolean faulty) {
    List<String> workers = List.of("w1", "w2", "w3");
    workers.forEach(node -> cluster.set(node, "lock", "holds", false));
    int fault = faultyRound(cluster, faulty);
    turn(cluster, 0, fault, cluster.any(workers));
    cluster.work(60_000L * ROUNDS);
  }

  private static void turn(FaultyCluster cluster, int round, int fault, String holder) {
    if (round > ROUNDS) {
      return;
    }
    List<String> others = new ArrayList<>(List.of("w1", "w2", "w3"));
    others.remove(holder);
    String next = cluster.any(others);
    boolean pauses = round == fault;
    cluster.send(
        "redis",
        holder,
        "locked-" + round,
        () -> {
          cluster.set(holder, "lock", Map.of("holds", true, "turn", round));
          if (pauses) {
            cluster.later(
                holder,
                5_000,
                () -> {
                  cluster.injected(cluster.latest(holder));
                  cluster.pause(holder, 60_000);
                });
          }
          cluster.later(
              holder,
              12_000,
              () -> {
                cluster.set(holder, "lock", "holds", false);
                cluster.send(
                    holder,
                    "redis",
                    "unlock-" + round,
                    () -> {
                      if (!pauses) {
                        turn(cluster, round + 1, fault, next);
                      }
                    });
              });
        });
    if (pauses) {
      cluster.later("redis", 30_000, () -> turn(cluster, round + 1, fault, next));
    }
  }
}
