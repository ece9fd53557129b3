// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that nothing was found where something must be, and the other way round, do not hold. */
final class PaxosOracleTest {
  private static final Failure FAILURE = new Failure("z2", 1_000, 3_000, 4_000);
  private static final Stall STALL = new Stall(6_000, 7_000);

  @Test
  void conflicts_ofClientsThatShareAKeyOnly_hold() {
    assertThat(PaxosOracle.conflicts(16, 16, 111, true).holds()).isTrue();
    assertThat(PaxosOracle.conflicts(0, 0, 127, false).holds()).isTrue();
    assertThat(PaxosOracle.conflicts(0, 0, 127, true).holds()).as("none").isFalse();
    assertThat(PaxosOracle.conflicts(1, 1, 126, false).holds()).as("without a key").isFalse();
    assertThat(PaxosOracle.conflicts(15, 16, 111, true).holds()).as("other rows").isFalse();
  }

  @Test
  void moves_ofASharedObjectOnly_hold() {
    assertThat(PaxosOracle.moved(3, 3, true).holds()).isTrue();
    assertThat(PaxosOracle.moved(0, 0, false).holds()).isTrue();
    assertThat(PaxosOracle.moved(0, 0, true).holds()).as("none").isFalse();
    assertThat(PaxosOracle.moved(3, 3, false).holds()).as("without an object").isFalse();
  }

  @Test
  void owners_oneForEachMoveAndTheFirst_hold() {
    assertThat(PaxosOracle.owners(List.of(9L, 217L, 225L), 2, true).holds()).isTrue();
    assertThat(PaxosOracle.owners(List.of(), 0, false).holds()).isTrue();
    assertThat(PaxosOracle.owners(List.of(9L, 217L, 217L), 2, true).holds()).as("two").isFalse();
    assertThat(PaxosOracle.owners(List.of(), 2, true).holds()).as("none recorded").isFalse();
  }

  @Test
  void behind_outsideOfFailures_holdsInStallsOnly() {
    assertThat(holds(List.of(2_000L))).isTrue();
    assertThat(holds(List.of(2_000L, 6_500L))).as("in a stall").isTrue();
    assertThat(holds(List.of(2_000L, 7_001L))).as("after it").isFalse();
    assertThat(holds(List.of(2_000L, 3_500L))).as("twice in a failure").isFalse();
    assertThat(holds(List.of(6_500L))).as("never in a failure").isFalse();
  }

  private static boolean holds(List<Long> begins) {
    return PaxosOracle.behind(begins, List.of(FAILURE), List.of(STALL)).holds();
  }
}
