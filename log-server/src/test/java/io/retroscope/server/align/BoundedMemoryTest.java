// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that memory is bounded, however many events arrive. */
class BoundedMemoryTest {
  private static final double RHO = 200e-6;

  @Test
  void add_evidenceForDays_keepsSoManySlicesAndStaysSound() {
    EvidenceTrail trail = new EvidenceTrail(RHO);
    Random random = new Random(1);
    double[] bounds = random.doubles(200_000, 100, 5_000).toArray();
    for (int i = 0; i < bounds.length; i++) {
      trail.add(bounds[i], i * 1e6, 0, 64);
      assertThat(trail.sliceCount()).isLessThanOrEqualTo(65);
    }
    for (int k = 0; k < 100; k++) {
      int at = random.nextInt(bounds.length);
      double tightest = Double.POSITIVE_INFINITY;
      for (int i = Math.max(0, at - 100); i < Math.min(bounds.length, at + 100); i++) {
        tightest = Math.min(tightest, bounds[i] + RHO * Math.abs(i - at) * 1e6);
      }
      assertThat(trail.boundAt(at * 1e6, 0)).isGreaterThanOrEqualTo(tightest - 1e-6);
    }
  }

  @Test
  void addGap_thousandsOfSteps_keepsSoManySlices() {
    EvidenceTrail trail = new EvidenceTrail(RHO);
    for (int i = 0; i < 10_000; i++) {
      trail.add(1_000, i * 10e6, 0, 64);
      trail.addGap(i * 10e6 + 1e6, i * 10e6 + 2e6, 64);
      assertThat(trail.sliceCount()).isLessThanOrEqualTo(68);
    }
    assertThat(trail.boundAt(9_999 * 10e6, 0)).isEqualTo(1_000);
  }

  @Test
  void message_manyPairs_shareTheSummariesOfThePast() {
    int most = 1 << 14;
    OffsetEstimator estimator = new OffsetEstimator(RHO, most);
    Random random = new Random(2);
    int nodes = 10;
    for (int i = 0; i < 500_000; i++) {
      int from = random.nextInt(nodes);
      int to = (from + 1 + random.nextInt(nodes - 1)) % nodes;
      estimator.message(from, to, 500 + random.nextInt(500), i * 1e5, i * 1e5 + 700, 0);
    }
    assertThat(estimator.pairCount()).isEqualTo(90);
    assertThat(estimator.sliceCount()).isLessThanOrEqualTo(most);
    assertThat(estimator.steps()).isEmpty();
  }

  @Test
  void message_contradictionsForEver_keepSoManyReports() {
    OffsetEstimator estimator = new OffsetEstimator(RHO, 1 << 14);
    Random random = new Random(3);
    for (int i = 0; i < 20_000; i++) {
      int from = random.nextInt(3);
      estimator.message(
          from,
          (from + 1 + random.nextInt(2)) % 3,
          random.nextInt(100_000) - 50_000,
          i * 1e5,
          i * 1e5 + 50,
          0);
    }
    assertThat(estimator.steps()).hasSizeBetween(10, StepDetector.MAX_STEPS);
    assertThat(estimator.sliceCount()).isLessThanOrEqualTo(1 << 14);
  }

  @Test
  void matcher_idsWithoutEnd_remembersTheNewest() {
    MessageMatcher matcher = new MessageMatcher(1_000);
    int[] matched = new int[1];
    MessageMatcher.Matches matches =
        new MessageMatcher.Matches() {
          @Override
          public void matched(MessageMatcher.End send, MessageMatcher.End receive) {
            matched[0]++;
          }

          @Override
          public void revoked(MessageMatcher.End send, MessageMatcher.End receive) {
            matched[0]--;
          }
        };
    for (int i = 0; i < 50_000; i++) {
      matcher.send("m" + i, new MessageMatcher.End(0, "a", "b", 2L * i, i), matches);
      if (i >= 10) {
        int late = i - 10;
        matcher.receive("m" + late, new MessageMatcher.End(1, "b", "a", 2L * i + 1, i), matches);
      }
    }
    assertThat(matched[0]).isEqualTo(49_990);
    assertThat(matcher.size()).isEqualTo(1_000);
    matcher.receive("m7", new MessageMatcher.End(2, "c", "a", Long.MAX_VALUE, 0), matches);
    assertThat(matched[0]).isEqualTo(49_990);
  }
}
