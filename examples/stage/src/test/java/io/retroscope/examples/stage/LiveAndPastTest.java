// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.cut.HlcRange;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LiveAndPastTest {
  @Test
  void difference_sameRows_isNone() {
    LiveAndPast both = LiveAndPast.of(List.of(row(1, 7), row(2, 8)), List.of(row(1, 7), row(2, 8)));
    assertThat(both.difference()).isEmpty();
    assertThat(both.liveCount()).isEqualTo(2);
  }

  @Test
  void difference_otherValue_namesTheRow() {
    LiveAndPast both = LiveAndPast.of(List.of(row(1, 7), row(2, 8)), List.of(row(1, 7), row(2, 9)));
    assertThat(both.difference()).hasValueSatisfying(text -> assertThat(text).contains("row 2"));
  }

  @Test
  void difference_missingRow_isFound() {
    assertThat(LiveAndPast.of(List.of(row(1, 7)), List.of()).difference()).isPresent();
    assertThat(LiveAndPast.of(List.of(), List.of(row(1, 7))).difference()).isPresent();
  }

  @Test
  void within_rowsBeforeAndAfter_areNotCompared() {
    LiveAndPast both =
        LiveAndPast.within(
            new HlcRange(2, 3), List.of(row(2, 8), row(4, 1)), List.of(row(1, 7), row(2, 8)));
    assertThat(both.difference()).isEmpty();
    assertThat(both.liveCount()).isEqualTo(1);
  }

  @Test
  void difference_liveRowWithoutANode_isLeftOut() {
    SetValue missing = new SetValue(List.of(Value.of("c2")));
    Match incomplete = new Match(2, Map.of("r1", Value.of(5), "missing", missing));
    LiveAndPast both =
        LiveAndPast.of(List.of(row(1, 7), incomplete), List.of(row(1, 7), row(2, 8)));
    assertThat(both.difference()).isEmpty();
    assertThat(both.incompleteCount()).isEqualTo(1);
  }

  private static Match row(long hlc, long value) {
    return new Match(hlc, Map.of("hlc", Value.of(hlc), "r1", Value.of(value)));
  }
}
