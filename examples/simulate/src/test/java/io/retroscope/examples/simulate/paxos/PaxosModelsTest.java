// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.paxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class PaxosModelsTest {
  private static final long SEED = 20261128;

  @Test
  void normal_knownValues_areExact() {
    assertThat(OrderStatistic.normal(0)).isEqualTo(0.5);
    assertThat(OrderStatistic.normal(1.959964)).isCloseTo(0.975, within(1e-7));
    assertThat(OrderStatistic.normal(-1.959964)).isCloseTo(0.025, within(1e-7));
    assertThat(OrderStatistic.normal(-5)).isCloseTo(2.866516e-7, within(1e-12));
  }

  @Test
  void expected_minimumOfTwo_isTheKnownConstant() {
    assertThat(OrderStatistic.expected(10, 2, 2, 1))
        .isCloseTo(10 - 2 / Math.sqrt(Math.PI), within(1e-6));
  }

  @Test
  void expected_middleOfAnOddNumber_isTheMean() {
    for (int count : new int[] {3, 5, 35}) {
      assertThat(OrderStatistic.expected(0.427, 0.0476, count, (count + 1) / 2))
          .isCloseTo(0.427, within(1e-7));
    }
  }

  @Test
  void expected_differentVariables_isThatOfDraws() {
    double[] means = {28, 65, 115, 137};
    double[] deviations = {30, 2, 20, 2};
    Random random = new Random(SEED);
    int runs = 20_000;
    double sum = 0;
    for (int i = 0; i < runs; i++) {
      double[] drawn = new double[means.length];
      for (int j = 0; j < drawn.length; j++) {
        drawn[j] = means[j] + deviations[j] * random.nextGaussian();
      }
      Arrays.sort(drawn);
      sum += drawn[1];
    }
    assertThat(OrderStatistic.expected(means, deviations, 2)).isCloseTo(sum / runs, within(0.5));
  }

  @Test
  void expected_noSuchVariable_isRefused() {
    assertThatThrownBy(() -> OrderStatistic.expected(1, 1, 3, 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 3: 4");
  }

  @Test
  void publishedFigures_areReproduced_exceptThatOfRandomDraws() {
    List<PublishedFigure> all = PublishedFigure.all();
    assertThat(all).hasSize(7);
    assertThat(all.stream().filter(figure -> !figure.isReproduced()))
        .extracting(PublishedFigure::subject)
        .containsExactly("loss from 3 to 5 nodes by the network, %");
    assertThat(all.get(0).model()).isCloseTo(2.81, within(0.005));
  }

  @Test
  void evenClusters_haveTheMeanRoundTrip_andOddOnesAreFaster() {
    LocalNetwork network = LocalNetwork.PUBLISHED;
    for (int nodes : new int[] {4, 6, 36}) {
      assertThat(network.majorityMillis(nodes)).isCloseTo(network.mean(), within(1e-7));
    }
    for (int nodes : new int[] {5, 7, 35}) {
      assertThat(network.majorityMillis(nodes)).isLessThan(network.mean());
    }
  }

  @Test
  void marchal_randomRounds_isThatOfTheSimulatedQueue() {
    Work work = Work.paxosLeader(5);
    MessageCost cost = MessageCost.PUBLISHED;
    for (double load : new double[] {0.5, 0.8}) {
      double rate = load * work.capacity(cost);
      double simulated = new QueueSimulation(SEED).meanWaitMillis(work, cost, rate, 100_000);
      assertThat(work.waitMillis(cost, rate, 1) / simulated).isCloseTo(1, within(0.05));
    }
    assertThat(work.waitMillis(cost, work.capacity(cost), 1)).isInfinite();
  }

  @Test
  void flexibleQuorum_smaller_gainsLittleAndNoCapacity() {
    LocalNetwork network = LocalNetwork.PUBLISHED;
    double gain = 1 - network.quorumMillis(9, 3) / network.majorityMillis(9);
    assertThat(gain).isBetween(0.05, 0.1);
  }

  @Test
  void wideNetwork_protocols_areRankedAsPublished() {
    WideNetwork wide = new WideNetwork(LocalNetwork.PUBLISHED, MessageCost.PUBLISHED);
    double paxosFromCalifornia = wide.paxosMillis(2, 1_000);
    for (int leader = 0; leader < WideNetwork.REGIONS.size(); leader++) {
      assertThat(wide.paxosMillis(leader, 1_000)).isGreaterThanOrEqualTo(paxosFromCalifornia);
    }
    assertThat(wide.epaxosMillis(2, 0.02, 1_000)).isLessThan(paxosFromCalifornia);
    assertThat(wide.wpaxosMillis(0.7, 1_000)).isLessThan(paxosFromCalifornia / 2);
    assertThat(wide.wpaxosMillis(0.9, 1_000)).isLessThan(wide.wpaxosMillis(0.7, 1_000) / 2);
    assertThat(wide.epaxosCapacity(1)).isLessThan(wide.epaxosCapacity(0));
  }

  @Test
  void relays_leaderHandlesItsGroupsOnly() {
    Work leader = Work.pigLeader(3);
    assertThat(leader).isEqualTo(new Work(4, 2));
    assertThat(Work.pigFollower(25, 3).deserialized()).isCloseTo(1 + 21.0 / 24, within(1e-12));
    assertThat(leader.capacity(MessageCost.PUBLISHED))
        .isGreaterThan(6 * Work.paxosLeader(25).capacity(MessageCost.PUBLISHED));
  }
}
