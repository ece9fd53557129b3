// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that intervals are as tight as the messages allow, against an oracle that uses every
 * message.
 */
class BoundOracleTest {
  private static final double RHO = 200e-6;
  private static final double NONE = Double.POSITIVE_INFINITY;

  private final List<Message> messages = new ArrayList<>();
  private int nodes;

  /** A message as a constraint: offset of sender - offset of receiver is at most bound. */
  private record Message(int sender, int receiver, double bound, double sent, double received) {}

  private OffsetEstimator simulate(Random random, double seconds) {
    nodes = 2 + random.nextInt(7);
    OffsetEstimator estimator = new OffsetEstimator(RHO, 1 << 20);
    double[] offset = random.doubles(nodes, 0, 50_000).toArray();
    double[] rate = random.doubles(nodes, -RHO / 2.1, RHO / 2.1).toArray();
    int count = 5 + random.nextInt(400);
    double[] times = random.doubles(count, 0, seconds * 1e6).sorted().toArray();
    for (double sent : times) {
      int sender = random.nextInt(nodes);
      int receiver = (sender + 1 + random.nextInt(nodes - 1)) % nodes;
      double delay = 50 - 3_000 * Math.log(1 - random.nextDouble());
      double read = offset[receiver] + rate[receiver] * (sent + delay) + sent + delay;
      double bound = read - (sent + offset[sender] + rate[sender] * sent);
      // The offset from the highest clock decreases as the node's own reading increases.
      messages.add(new Message(sender, receiver, bound, sent, sent + delay));
      estimator.message(sender, receiver, bound, sent, sent + delay, 0);
    }
    return estimator;
  }

  /** All-pairs shortest paths over every message, each aged to the instant. */
  private double[][] tightest(double instant) {
    double[][] most = new double[nodes][nodes];
    for (double[] row : most) {
      Arrays.fill(row, NONE);
    }
    for (int i = 0; i < nodes; i++) {
      most[i][i] = 0;
    }
    for (Message m : messages) {
      double aged = m.bound + RHO * Math.abs(instant - m.received);
      most[m.receiver][m.sender] = Math.min(most[m.receiver][m.sender], aged);
    }
    for (int via = 0; via < nodes; via++) {
      for (int i = 0; i < nodes; i++) {
        for (int j = 0; j < nodes; j++) {
          most[i][j] = Math.min(most[i][j], most[i][via] + most[via][j]);
        }
      }
    }
    return most;
  }

  private void assertTight(OffsetFrame frame, double instant, double looser) {
    double[][] most = tightest(instant);
    int reference = frame.reference();
    for (int i = 0; i < nodes; i++) {
      assertBetween(frame.high(i), most[reference][i], looser);
      assertBetween(-frame.low(i), most[i][reference], looser);
    }
    assertOneTimeline(frame, most, looser);
  }

  private static void assertBetween(double actual, double tightest, double looser) {
    if (Double.isInfinite(tightest)) {
      assertThat(actual).isEqualTo(NONE);
    } else {
      assertThat(actual).isBetween(tightest - 1e-3, tightest + looser + 1e-3);
    }
  }

  /**
   * Checks that the estimates of all nodes satisfy every bound together, not only those from the
   * reference.
   */
  private void assertOneTimeline(OffsetFrame frame, double[][] most, double looser) {
    for (int i = 0; i < nodes; i++) {
      for (int j = 0; j < nodes; j++) {
        if (frame.isBounded(i) && frame.isBounded(j)) {
          assertThat(frame.timeline(j) - frame.timeline(i))
              .isLessThanOrEqualTo(most[i][j] + looser + 1e-3);
        }
      }
    }
    assertThat(frame.timeline(frame.reference())).isCloseTo(0, within(1e-6));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void frameNow_anyMessages_isAsTightAsAllOfThemAllow(long block) {
    for (long seed = block * 100; seed < block * 100 + 100; seed++) {
      messages.clear();
      Random random = new Random(seed);
      OffsetEstimator estimator = simulate(random, 30);
      assertThat(estimator.steps()).as("seed %d", seed).isEmpty();
      double later = estimator.nowMicros() + random.nextInt(10_000_000);
      assertTight(
          estimator.frameNow(random.nextInt(nodes), estimator.nowMicros()),
          estimator.nowMicros(),
          0);
      assertTight(estimator.frameNow(random.nextInt(nodes), later), later, 0);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  void frameAt_anyInstant_isLooserByWhatOneSliceHidesAtMost(long block) {
    for (long seed = block * 100; seed < block * 100 + 100; seed++) {
      messages.clear();
      Random random = new Random(seed);
      OffsetEstimator estimator = simulate(random, 30);
      for (int i = 0; i < 10; i++) {
        double instant = random.nextDouble() * 30e6;
        // Only evidence from the instant's own second is thinned, and every bound on a path may be
        // from it.
        double looser = RHO * 1e6 * nodes;
        assertTight(estimator.frameAt(random.nextInt(nodes), instant, 0), instant, looser);
      }
    }
  }
}
