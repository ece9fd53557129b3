// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.ordering.Message.Ask;
import io.retroscope.examples.ordering.Message.Reply;
import io.retroscope.examples.ordering.Unanswered.Done;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The protocol on a simulated network, in which messages of one link keep their order. */
final class SpeculativePaxosTest {
  private static final long SEED = 20261128;
  private static final int RUNS = 60;
  private static final int REQUESTS = 40;

  @ParameterizedTest
  @ValueSource(ints = {3, 5, 7})
  void requests_inAnyOrder_areExecutedOnceInOneOrderAndNeverMoveOnceDone(int replicas) {
    for (long seed = SEED; seed < SEED + RUNS; seed++) {
      Network network = new Network(replicas, new Quorums(replicas).superquorum(), seed);
      network.run();
      assertThat(network.moved()).as("seed %d", seed).isEmpty();
      assertThat(network.done).as("seed %d", seed).hasSize(REQUESTS);
      List<Request> first = network.replicas.get(0).read(log -> log.after(0));
      assertThat(first).as("seed %d", seed).hasSize(REQUESTS).doesNotHaveDuplicates();
      Map<String, String> content = network.replicas.get(0).read(SpeculativeLog::content);
      for (Replica replica : network.replicas) {
        assertThat(replica.<List<Request>>read(log -> log.after(0)))
            .as("seed %d", seed)
            .isEqualTo(first);
        assertThat(replica.read(SpeculativeLog::content)).as("seed %d", seed).isEqualTo(content);
        assertThat(replica.read(SpeculativeLog::committed)).isEqualTo(REQUESTS);
      }
      assertThat(content).isEqualTo(executed(first));
    }
  }

  private static Map<String, String> executed(List<Request> requests) {
    TransactionalStore store = new TransactionalStore();
    requests.forEach(store::execute);
    return store.content();
  }

  /** A majority is not enough for a speculative result: another majority need not keep it. */
  @ParameterizedTest
  @ValueSource(ints = {5, 7})
  void requests_takenAsDoneWithAMajority_moveInSomeRuns(int replicas) {
    int moved = 0;
    for (long seed = SEED; seed < SEED + 10 * RUNS && moved == 0; seed++) {
      Network network = new Network(replicas, new Quorums(replicas).majority(), seed);
      network.run();
      moved = network.moved().size();
    }
    assertThat(moved).as("seeds from %d", SEED).isPositive();
  }

  /** A commit may overtake the request: the leader repeats it until all have committed. */
  @Test
  void commit_beforeTheRequestArrives_isRepeated() {
    Network network = new Network(5, 4, SEED);
    Request request = new Request("c#1", new Transaction(List.of(), List.of("k")));
    for (Replica replica : network.replicas.subList(0, 4)) {
      replica.receive(new Ask(request));
    }
    network.synchronizeAndDeliver();
    network.synchronizeAndDeliver();
    Replica late = network.replicas.get(4);
    late.receive(new Ask(request));
    assertThat(late.<Integer>read(SpeculativeLog::committed)).isZero();
    network.synchronizeAndDeliver();
    assertThat(late.<Integer>read(SpeculativeLog::committed)).isEqualTo(1);
  }

  /** All replicas and one client. */
  private static final class Network {
    private final Random random;
    private final List<Replica> replicas = new ArrayList<>();
    private final Map<String, Deque<Runnable>> links = new TreeMap<>();
    private final Unanswered unanswered;
    private final List<Done> done = new ArrayList<>();

    Network(int count, int needed, long seed) {
      this.random = new Random(seed);
      this.unanswered = new Unanswered(needed);
      for (int i = 0; i < count; i++) {
        replicas.add(new Replica(i, new Quorums(count), new Node(i)));
      }
    }

    private final class Node implements Replica.Surroundings {
      private final int index;

      private Node(int index) {
        this.index = index;
      }

      @Override
      public void multicast(Message message) {
        toAll("r" + index, message);
      }

      @Override
      public void reply(Reply reply) {
        link("r" + index + " to client")
            .add(() -> unanswered.replied(reply, 0).ifPresent(done::add));
      }

      @Override
      public void changed(int view, SpeculativeLog log, int rolledBack) {}
    }

    private Deque<Runnable> link(String name) {
      return links.computeIfAbsent(name, n -> new ArrayDeque<>());
    }

    private void toAll(String from, Message message) {
      for (int i = 0; i < replicas.size(); i++) {
        Replica to = replicas.get(i);
        link(from + " to " + i).add(() -> to.receive(message));
      }
    }

    /** Sends each request on links of its own, so that requests overtake each other. */
    void run() {
      RetwisWorkload workload = new RetwisWorkload(random);
      int sent = 0;
      for (int step = 0; step < 200_000 && !isSettled(); step++) {
        if (sent < REQUESTS && random.nextInt(30) == 0) {
          Request request = new Request("c#" + ++sent, workload.next());
          unanswered.asked(request, 0);
          toAll(request.id(), new Ask(request));
        }
        if (random.nextInt(50) == 0) {
          replicas.forEach(Replica::synchronize);
        }
        deliver();
      }
    }

    void synchronizeAndDeliver() {
      replicas.forEach(Replica::synchronize);
      while (links.values().stream().anyMatch(link -> !link.isEmpty())) {
        deliver();
      }
    }

    private void deliver() {
      List<String> busy =
          links.entrySet().stream()
              .filter(link -> !link.getValue().isEmpty())
              .map(Map.Entry::getKey)
              .toList();
      if (!busy.isEmpty()) {
        link(busy.get(random.nextInt(busy.size()))).remove().run();
      }
    }

    private boolean isSettled() {
      return done.size() == REQUESTS
          && replicas.stream().allMatch(r -> r.read(log -> log.committed() == REQUESTS));
    }

    /** The requests that a client took as done, and that are elsewhere in the final log. */
    List<Done> moved() {
      Map<String, Integer> positions = new HashMap<>();
      Replica last = replicas.get(replicas.size() - 1);
      last.read(log -> log.after(0)).forEach(r -> positions.put(r.id(), positions.size() + 1));
      return done.stream()
          .filter(
              d ->
                  positions.getOrDefault(d.id(), 0) != d.outcome().position()
                      || !last.read(log -> log.digestAt(d.outcome().position()))
                          .equals(d.outcome().digest()))
          .toList();
    }
  }
}
