// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.NodeAlignment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that the step of a clock is found at its node and its place, and that offsets are known
 * again soon, in clusters of three nodes.
 */
class StepPlaceTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final long STEP_AT_MICROS = 5_000_000;
  private static final int NODES = 3;

  /** Which nodes exchange messages. */
  enum Talk {
    /** The node that steps talks to one other node, and this one to the third. */
    STAR {
      @Override
      int[][] pairs() {
        return new int[][] {{0, 1}, {1, 0}, {0, 2}, {2, 0}};
      }
    },
    /** Each node sends to the next one. */
    RING {
      @Override
      int[][] pairs() {
        return new int[][] {{0, 1}, {1, 2}, {2, 0}};
      }
    },
    /** All nodes talk to each other. */
    ALL {
      @Override
      int[][] pairs() {
        return new int[][] {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}};
      }
    };

    abstract int[][] pairs();
  }

  private static final class Cluster {
    private final Random random = new Random(7);
    private final List<HybridLogicalClock> clocks = new ArrayList<>();
    private final ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
    private final int stepping;
    private final long stepMicros;
    private long nowMicros;
    private int messages;

    Cluster(int stepping, long stepMicros) {
      this.stepping = stepping;
      this.stepMicros = stepMicros;
      for (int i = 0; i < NODES; i++) {
        int node = i;
        clocks.add(
            new HybridLogicalClock(() -> reading(node), 0, HybridLogicalClock.RemotePolicy.ACCEPT));
      }
    }

    private long reading(int node) {
      return START_MICROS
          + nowMicros
          + (node == stepping && nowMicros >= STEP_AT_MICROS ? stepMicros : 0);
    }

    void message(int from, int to) {
      String id = "m" + messages++;
      HlcReading sent = new HlcReading();
      clocks.get(from).tick(sent);
      record(from, sent, new EventBody.Send(name(to), id));
      nowMicros += 300 + random.nextInt(200);
      HlcReading received = new HlcReading();
      clocks.get(to).observe(sent.hlc, received);
      record(to, received, new EventBody.Receive(name(from), id));
    }

    private void record(int node, HlcReading reading, EventBody body) {
      alignment.record(
          new Event(name(node), "", reading.hlc, reading.physicalMicros, 0, Set.of(), body));
    }

    static String name(int node) {
      return "abc".substring(node, node + 1);
    }

    /** Exchanges messages until an instant; {@code pauseMicros} is between two of them. */
    void run(int[][] pairs, long pauseMicros, long untilMicros) {
      for (int i = 0; nowMicros < untilMicros; i++) {
        nowMicros += pauseMicros;
        message(pairs[i % pairs.length][0], pairs[i % pairs.length][1]);
      }
    }

    Optional<NodeAlignment.Step> stepOf(int node) {
      return alignment.offsets().alignment().stream()
          .filter(row -> row.node().equals(name(node)))
          .findFirst()
          .flatMap(NodeAlignment::lastStep);
    }

    /** The largest uncertainty of an offset; empty if one is unknown or wrong. */
    Optional<Long> uncertaintyMicros() {
      int reference = "abc".indexOf(alignment.driverNode().orElseThrow());
      long most = 0;
      for (NodeAlignment row : alignment.offsets().alignment()) {
        long truth = reading(reference) - reading("abc".indexOf(row.node()));
        if (row.offset().isEmpty()
            || row.offset().get().lowMicros().isEmpty()
            || row.offset().get().highMicros().isEmpty()
            || row.offset().get().lowMicros().getAsLong() > truth
            || row.offset().get().highMicros().getAsLong() < truth) {
          return Optional.empty();
        }
        most =
            Math.max(
                most,
                row.offset().get().highMicros().getAsLong()
                    - row.offset().get().lowMicros().getAsLong());
      }
      return Optional.of(most);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "STAR, 2, 30000", "STAR, 2, 3000", "STAR, 2, 500", "STAR, 2, 300", "STAR, 2, 100000",
    "STAR, 2, -500", "STAR, 2, -3000", "STAR, 2, -300", "STAR, 0, 30000", "STAR, 0, -3000",
    "STAR, 1, 3000", "STAR, 1, -30000", "RING, 0, 30000", "RING, 1, 3000", "RING, 2, 500",
    "RING, 2, -500", "RING, 1, -3000", "ALL, 0, 30000", "ALL, 1, 3000", "ALL, 2, 500",
    "ALL, 0, -3000", "ALL, 1, -300"
  })
  void step_ofOneClock_isFoundAtItsNodeAndPlaceOnly(Talk talk, int node, long stepMillis) {
    Cluster cluster = new Cluster(node, stepMillis * 1_000);
    cluster.run(talk.pairs(), 5_000, STEP_AT_MICROS - 20_000);
    assertThat(cluster.uncertaintyMicros()).isPresent();
    cluster.run(talk.pairs(), 5_000, STEP_AT_MICROS + 5_000_000);

    assertThat(cluster.uncertaintyMicros())
        .hasValueSatisfying(u -> assertThat(u).isLessThan(150_000));
    for (int other = 0; other < NODES; other++) {
      if (other != node) {
        assertThat(cluster.stepOf(other)).as(Cluster.name(other)).isEmpty();
      }
    }
    NodeAlignment.Step step = cluster.stepOf(node).orElseThrow();
    long cycleMicros = 5_500L * talk.pairs().length;
    long placeMicros = HlcTimestamp.micros(step.hlc()) - START_MICROS - STEP_AT_MICROS;
    long expectedMicros = Math.max(0, stepMillis * 1_000);
    assertThat(placeMicros).isBetween(expectedMicros - cycleMicros, expectedMicros + cycleMicros);
    assertThat(step.sizeMicros())
        .isBetween(Math.abs(stepMillis) * 900 - cycleMicros, Math.abs(stepMillis) * 1_000 + 1_000);
  }

  @ParameterizedTest
  @CsvSource({"STAR", "RING", "ALL"})
  void step_none_isNotReported(Talk talk) {
    Cluster cluster = new Cluster(0, 0);
    cluster.run(talk.pairs(), 5_000, 2 * STEP_AT_MICROS);
    for (int node = 0; node < NODES; node++) {
      assertThat(cluster.stepOf(node)).isEmpty();
    }
  }
}
