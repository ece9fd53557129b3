// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.migration.Act.Script;
import io.retroscope.examples.simulate.migration.Policy.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StoredObjectTest {
  private static final Act ACT =
      new Act(1, 0, true, new Script(Kind.CONSECUTIVE, 100, 0, false, false));

  @Test
  void access_threeInARowFromAnother_wantsItThere() {
    StoredObject object = new StoredObject(0, 0, true);
    assertThat(object.access(3, 0, ACT)).isZero();
    assertThat(object.access(3, 0, ACT)).isZero();
    assertThat(object.access(3, 0, ACT)).isEqualTo(3);
    assertThat(object.value).isEqualTo(3);
  }

  /** Otherwise the first accesses after a move would count as if there had been none before. */
  @Test
  void take_withAccesses_continuesThem() {
    StoredObject object = new StoredObject(0, 0, false);
    object.take(7, List.of(4, 1, 1), 4, ACT);
    assertThat(object.owned).isTrue();
    assertThat(object.value).isEqualTo(7);
    assertThat(object.history()).containsExactly(4, 1, 1);
    assertThat(object.access(1, 4, ACT)).isEqualTo(1);
  }

  @Test
  void parse_textOfARegion_isEqual() {
    RegionState state = new RegionState(1, 2, 3, List.of(4, 5), 6);
    assertThat(RegionState.parse(state.text())).isEqualTo(state);
    RegionState empty = new RegionState(1, 2, 3, List.of(), 0);
    assertThat(RegionState.parse(empty.text())).isEqualTo(empty);
  }
}
