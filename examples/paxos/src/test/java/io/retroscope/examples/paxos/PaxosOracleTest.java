// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.paxos.PaxosOracle.Behind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that nothing was found where something must be, and the other way round, do not hold. */
final class PaxosOracleTest {
  private static final Failure FAILURE = new Failure("z2", 1_000, 3_000, 4_000);
  private static final Stall STALL = new Stall("z1", 6_000, 7_000);

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
    assertThat(holds(List.of(begun(2_000)))).isTrue();
    assertThat(holds(List.of(begun(2_000), begun(6_500)), STALL)).as("in a stall").isTrue();
    assertThat(holds(List.of(begun(2_000), begun(7_001)), STALL)).as("after it").isFalse();
    assertThat(holds(List.of(begun(6_500)), STALL)).as("never in a failure").isFalse();
  }

  @Test
  void behind_twiceInAFailure_holdsInStallsOfOtherZonesOnly() {
    List<Behind> twice = List.of(begun(2_000), begun(3_500));
    assertThat(holds(twice)).isFalse();
    assertThat(holds(twice, new Stall("z1", 3_400, 3_600))).as("of another zone").isTrue();
    assertThat(holds(twice, new Stall("z2", 1_000, 4_000))).as("of the stopped zone").isFalse();
  }

  @Test
  void behind_sinceAStallBeforeTheFailure_holdsIfItLasts() {
    Stall before = new Stall("z1", 500, 900);
    assertThat(holds(List.of(new Behind(800, 3_500)), before)).isTrue();
    assertThat(holds(List.of(new Behind(800, 1_500)), before)).as("has ended").isFalse();
    assertThat(holds(List.of(new Behind(800, 3_500)))).as("without a stall").isFalse();
  }

  private static Behind begun(long micros) {
    return new Behind(micros, micros + 100);
  }

  private static boolean holds(List<Behind> stretches, Stall... stalls) {
    return PaxosOracle.behind(stretches, List.of(FAILURE), List.of(stalls)).holds();
  }
}
