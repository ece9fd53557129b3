// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.retroscope.examples.simulate.migration.MigrationRun.Result;
import io.retroscope.examples.simulate.migration.Policy.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MigrationTest {
  private static final long SEED = 20261128;
  private static final int OBJECTS = 50;

  /** The regions of an object after each of these accesses. */
  private static List<Integer> owners(Policy policy, int owner, int... accesses) {
    List<Integer> owners = new ArrayList<>();
    int now = owner;
    for (int region : accesses) {
      now = policy.wanted(region, now);
      owners.add(now);
    }
    return owners;
  }

  @Test
  void consecutive_threeInARow_moves() {
    assertThat(owners(new Policy.Consecutive(3), 0, 1, 1, 0, 1, 1, 1, 2))
        .containsExactly(0, 0, 0, 0, 0, 1, 1);
  }

  @Test
  void majority_moreThanHalfOfTheWindow_moves() {
    assertThat(owners(new Policy.Majority(4), 0, 2, 1, 2, 0, 2, 2))
        .containsExactly(0, 0, 0, 0, 0, 2);
  }

  /** The numbers of regions have no meaning, so that their average is any region. */
  @Test
  void average_fromOneRegionToAnother_visitsThoseBetween() {
    assertThat(owners(new Policy.Average(0.2), 1, 1, 3, 3, 3, 3, 3, 3, 3))
        .containsSubsequence(1, 2, 3);
  }

  /** No access comes from California, which is between the three. */
  @Test
  void gravity_accessesFromThreeRegions_choosesThePlaceBetween() {
    assertThat(owners(new Policy.Gravity(3), 3, 0, 1, 4)).containsExactly(3, 3, 2);
  }

  @Test
  void centre_accesses_isTheWeightedMeanRoundTrip() {
    int[] accesses = {10, 0, 2, 6, 3};
    assertThat(CentreOfGravity.millis(0, region -> accesses[region]))
        .isCloseTo((2 * 65 + 6 * 80 + 3 * 156) / 21.0, within(1e-9));
    assertThat(CentreOfGravity.millis(0, region -> 0)).isZero();
  }

  @Test
  void policies_movingUsers_areFarBetterThanNone_andTheAverageIsTheWorst() {
    double none = run(Kind.NONE).latencyMillis();
    for (Kind kind : List.of(Kind.CONSECUTIVE, Kind.MAJORITY, Kind.GRAVITY)) {
      assertThat(run(kind).latencyMillis()).as(kind.title()).isLessThan(none / 2);
      assertThat(run(kind).detours()).as(kind.title()).isLessThan(2);
    }
    assertThat(run(Kind.AVERAGE).latencyMillis()).isBetween(none / 2, none);
    assertThat(run(Kind.AVERAGE).detours()).isGreaterThan(10);
    assertThat(run(Kind.CONSECUTIVE).jitters()).isGreaterThan(10 * run(Kind.MAJORITY).jitters());
  }

  private static Result run(Kind kind) {
    return MigrationRun.of(kind, Workload.moving(OBJECTS), 1, SEED);
  }

  @Test
  void filter_skewedUsers_keepsTheShareOfEachRegion() {
    for (Kind kind : List.of(Kind.CONSECUTIVE, Kind.MAJORITY, Kind.AVERAGE, Kind.GRAVITY)) {
      Result open = MigrationRun.of(kind, Workload.skewed(OBJECTS), 1, SEED);
      Result filtered = MigrationRun.of(kind, Workload.skewed(OBJECTS), 0.25, SEED);
      assertThat(open.largestShare()).as(kind.title()).isGreaterThan(0.4);
      assertThat(filtered.largestShare()).as(kind.title()).isLessThanOrEqualTo(0.25);
      assertThat(filtered.refused()).as(kind.title()).isPositive();
    }
  }
}
