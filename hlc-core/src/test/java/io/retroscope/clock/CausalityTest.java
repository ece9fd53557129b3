// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random histories of a few nodes whose clocks drift, step and stop. The nodes exchange messages
 * that overtake each other, and they crash and restart.
 */
class CausalityTest {
  private static final long T = 1_795_200_000_000_000L;
  private static final long MAX_OFFSET = 60_000_000;
  private static final int NODES = 4;
  private static final int STEPS = 3_000;
  private static final int HISTORIES = 40;

  /** An event or its message: the stamp, and the vector clock, which is the oracle. */
  private static final class Stamped {
    final long hlc;
    final int[] vector;

    Stamped(long hlc, int[] vector) {
      this.hlc = hlc;
      this.vector = vector;
    }
  }

  private final long seed = Long.getLong("seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Node[] nodes = new Node[NODES];
  private final List<Stamped> underWay = new ArrayList<>();
  private final List<Stamped> events = new ArrayList<>();

  /** The highest reading of any clock, or the highest bound of any restart. */
  private long highestMicros;

  /** A node with its physical clock, which outlives the process. */
  private final class Node {
    final ManualClock physical = new ManualClock(T + random.nextInt(2_000_000));
    final MemoryBound bound = new MemoryBound();
    final int[] vector = new int[NODES];
    final int index;
    HybridLogicalClock clock;

    Node(int index) throws Exception {
      this.index = index;
      clock = start();
    }

    HybridLogicalClock start() throws Exception {
      if (bound.load().isPresent()) {
        highestMicros = Math.max(highestMicros, HlcTimestamp.micros(bound.inForce()));
        // Far enough from the bound, in either direction, that no start waits.
        physical.advance(random.nextBoolean() ? 1_000_000 : -1_000_000);
      }
      return HybridLogicalClock.restored(physical, MAX_OFFSET, RemotePolicy.REFUSE, bound);
    }

    void passTime() {
      int what = random.nextInt(100);
      if (what < 90) {
        physical.advance(random.nextInt(3) * (50 + 5L * index));
      } else if (what == 90) {
        physical.advance(random.nextInt(4_000_000) - 2_000_000);
      }
      highestMicros = Math.max(highestMicros, physical.micros());
    }

    void event(long hlc) {
      vector[index]++;
      events.add(new Stamped(hlc, vector.clone()));
    }
  }

  @Test
  void stamps_ofRandomHistories_respectCausesAndStayBelowTheHighestClock() throws Exception {
    for (int history = 0; history < HISTORIES; history++) {
      underWay.clear();
      events.clear();
      highestMicros = 0;
      for (int i = 0; i < NODES; i++) {
        nodes[i] = new Node(i);
      }
      for (int step = 0; step < STEPS; step++) {
        step(nodes[random.nextInt(NODES)]);
      }
      check();
    }
  }

  private void step(Node node) throws Exception {
    node.passTime();
    int what = random.nextInt(100);
    if (what < 40 || (what < 70 && underWay.isEmpty())) {
      long hlc = node.clock.tick();
      node.event(hlc);
      if (what < 25) {
        underWay.add(new Stamped(hlc, node.vector.clone()));
      }
    } else if (what < 70) {
      receive(node, underWay.remove(random.nextInt(underWay.size())));
    } else if (what == 70 && node.clock.isBound(node.clock.last())) {
      node.clock = node.start();
    } else if (what < 80) {
      node.clock.extendBound();
    }
    long carriedMicros = events.size() / HlcTimestamp.MAX_LOGICAL + 1L;
    assertThat(HlcTimestamp.micros(node.clock.last()))
        .as("-Dseed=%d", seed)
        .isLessThanOrEqualTo(highestMicros + carriedMicros);
  }

  private void receive(Node node, Stamped message) {
    HlcReading reading = new HlcReading();
    if (node.clock.observe(message.hlc, reading)) {
      for (int i = 0; i < NODES; i++) {
        node.vector[i] = Math.max(node.vector[i], message.vector[i]);
      }
    }
    node.event(reading.hlc);
  }

  /** Happened-before by vector clock implies a lower stamp. */
  private void check() {
    for (int later = 0; later < events.size(); later += 7) {
      for (int earlier = 0; earlier < events.size(); earlier += 3) {
        Stamped cause = events.get(earlier);
        Stamped effect = events.get(later);
        if (earlier != later && cause.hlc >= effect.hlc && happenedBefore(cause, effect)) {
          throw new AssertionError(
              "-Dseed=%d: the cause has %d, the effect %d".formatted(seed, cause.hlc, effect.hlc));
        }
      }
    }
  }

  private static boolean happenedBefore(Stamped a, Stamped b) {
    boolean less = false;
    for (int i = 0; i < NODES; i++) {
      if (a.vector[i] > b.vector[i]) {
        return false;
      }
      less |= a.vector[i] < b.vector[i];
    }
    return less;
  }
}
