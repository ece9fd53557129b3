// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Evidence that contradicts itself must neither hang the server nor yield impossible intervals. */
class ContradictoryEvidenceTest {
  private static final double RHO = 2e-4;
  private static final double TOLERANCE_MICROS = 1e-3;

  /** Several clocks step while the search for the first that did is still open. */
  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
  void frameNow_ofClocksThatStepAtRandom_hasIntervalsThatAreNotEmpty() {
    int bounded = 0;
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int nodes = 3 + random.nextInt(4);
      double[] clockMicros = new double[nodes];
      OffsetEstimator estimator = new OffsetEstimator(RHO, 10_000);
      double nowMicros = 0;
      for (int i = 0; i < 400; i++) {
        nowMicros += random.nextInt(20_000);
        if (random.nextInt(25) == 0) {
          clockMicros[random.nextInt(nodes)] += random.nextInt(20_001) - 10_000;
        }
        int sender = random.nextInt(nodes);
        int receiver = (sender + 1 + random.nextInt(nodes - 1)) % nodes;
        double delayMicros = 20 + random.nextInt(200);
        double boundMicros = clockMicros[sender] - clockMicros[receiver] + delayMicros;
        double sentMicros = nowMicros - delayMicros;
        estimator.message(
            sender, receiver, boundMicros, Math.min(sentMicros, nowMicros), nowMicros, 0);
        bounded += checkedIntervals(estimator.roughFrameNow(0, nowMicros), seed, i);
        bounded += checkedIntervals(estimator.frameNow(0, nowMicros), seed, i);
      }
    }
    assertThat(bounded).as("intervals with both ends").isGreaterThan(100_000);
  }

  private static int checkedIntervals(OffsetFrame frame, long seed, int message) {
    int bounded = 0;
    for (int node = 0; node < frame.size(); node++) {
      if (frame.isBounded(node)) {
        bounded++;
        assertThat(frame.high(node) - frame.low(node))
            .as("interval of node %d after message %d, seed %d", node, message, seed)
            .isGreaterThanOrEqualTo(-TOLERANCE_MICROS);
      }
    }
    return bounded;
  }

  /** A cycle of three arcs, each accepted within the rounding error, is negative as a whole. */
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
  void solve_cycleThatIsNegativeWithinTheRoundingErrors_ends() {
    ConstraintGraph graph = new ConstraintGraph(0);
    graph.grow(3);
    double third = -0.9 * ConstraintGraph.ROUNDING_MICROS;
    for (int node = 0; node < 3; node++) {
      graph.addUnchecked(new Bound(node, (node + 1) % 3, third, 0));
    }

    OffsetFrame frame = OffsetFrame.solve(graph, 0, 0, 0);

    assertThat(frame.high(1)).isCloseTo(0, within(1e-4));
    assertThat(frame.low(1)).isCloseTo(0, within(1e-4));
  }
}
