// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.paxos.PaxosOracle.Behind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that nothing was found where something must be, and the other way round, do not hold. */
final class PaxosOracleTest {
  private static final Failure FAILURE = new Failure("z2", 1_000, 3_000, 4_000);
  private static final Delay LATE = new Delay("z0", "z1", 6_000, 7_000);

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
    assertThat(PaxosOracle.moved(3, 3, 3, true).holds()).isTrue();
    assertThat(PaxosOracle.moved(0, 0, 0, false).holds()).isTrue();
    assertThat(PaxosOracle.moved(0, 0, 0, true).holds()).as("none").isFalse();
    assertThat(PaxosOracle.moved(3, 3, 3, false).holds()).as("without an object").isFalse();
    assertThat(PaxosOracle.moved(3, 2, 2, true).holds()).as("did not follow").isFalse();
    assertThat(PaxosOracle.moved(3, 4, 4, true).holds()).as("without a user").isFalse();
    assertThat(PaxosOracle.moved(3, 3, 2, true).holds()).as("not found").isFalse();
  }

  @Test
  void owners_oneForEachMoveAndTheFirst_hold() {
    assertThat(PaxosOracle.owners(List.of(9L, 217L, 225L), 2, true).holds()).isTrue();
    assertThat(PaxosOracle.owners(List.of(), 0, false).holds()).isTrue();
    assertThat(PaxosOracle.owners(List.of(9L, 217L, 217L), 2, true).holds()).as("two").isFalse();
    assertThat(PaxosOracle.owners(List.of(), 2, true).holds()).as("none recorded").isFalse();
  }

  @Test
  void behind_outsideOfFailures_holdsInDelaysOnly() {
    assertThat(holds(List.of(begun(2_000)))).isTrue();
    assertThat(holds(List.of(begun(2_000), begun(6_500)), LATE)).as("in a delay").isTrue();
    assertThat(holds(List.of(begun(2_000), begun(7_001)), LATE)).as("after it").isFalse();
    assertThat(holds(List.of(begun(6_500)), LATE)).as("never in a failure").isFalse();
  }

  @Test
  void behind_twiceInAFailure_holdsInDelaysBetweenOtherZonesOnly() {
    List<Behind> twice = List.of(begun(2_000), begun(3_500));
    assertThat(holds(twice)).isFalse();
    assertThat(holds(twice, new Delay("z0", "z1", 3_400, 3_600))).as("of others").isTrue();
    assertThat(holds(twice, new Delay("z0", "z2", 900, 4_000))).as("to the stopped").isFalse();
    assertThat(holds(twice, new Delay("z2", "z0", 900, 4_000))).as("from the stopped").isFalse();
  }

  @Test
  void behind_sinceADelayBeforeTheFailure_holdsIfItLasts() {
    Delay before = new Delay("z0", "z1", 500, 900);
    assertThat(holds(List.of(new Behind(800, 3_500)), before)).isTrue();
    assertThat(holds(List.of(new Behind(800, 1_500)), before)).as("has ended").isFalse();
    assertThat(holds(List.of(new Behind(800, 3_500)))).as("without a delay").isFalse();
  }

  private static Behind begun(long micros) {
    return new Behind(micros, micros + 100);
  }

  private static boolean holds(List<Behind> stretches, Delay... delays) {
    return PaxosOracle.behind(stretches, List.of(FAILURE), List.of(delays)).holds();
  }
}
