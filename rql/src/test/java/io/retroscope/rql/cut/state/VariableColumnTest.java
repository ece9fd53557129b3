// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import org.junit.jupiter.api.Test;

class VariableColumnTest {
  private final VariableColumn column = new VariableColumn("t", "v", 0, new WalkTexts());

  @Test
  void before_typeOfNumbersChangesInTheCut_isTheValueOfTheOldType() {
    column.write(0, 7, 1);
    column.write(0, Value.of("other"), 2);
    assertThat(column.packedType()).isEqualTo(ValueType.LONG);
    column.write(1, Value.of("text"), 2);
    assertThat(column.packedType()).isEqualTo(ValueType.STRING);
    assertThat(column.before(0, 2)).isEqualTo(Value.of(7));
    assertThat(column.at(0)).isEqualTo(Value.of("other"));
    assertThat(column.at(1)).isEqualTo(Value.of("text"));
    assertThat(column.changedIn(2)).isTrue();
  }

  @Test
  void before_manyNodesInTheCut_areTheValuesOfTheCutBefore() {
    for (int node = 0; node < 9; node++) {
      column.write(node, 10 + node, 1);
      assertThat(column.before(node, 1)).isNull();
    }
    for (int node = 8; node >= 0; node--) {
      column.write(node, 20 + node, 2);
      column.write(node, 30 + node, 2);
    }
    for (int node = 0; node < 9; node++) {
      assertThat(column.before(node, 2)).isEqualTo(Value.of(10 + node));
      assertThat(column.before(node, 3)).isEqualTo(Value.of(30 + node));
    }
    assertThat(column.before(9, 2)).isNull();
    assertThat(column.changedIn(2)).isTrue();
    column.write(3, 33, 3);
    assertThat(column.changedIn(3)).isFalse();
    assertThat(column.before(3, 3)).isEqualTo(Value.of(33));
    assertThat(column.before(4, 3)).isEqualTo(Value.of(34));
    for (int node = 0; node < 3; node++) {
      column.write(node, 5, 4);
      column.write(node, 30 + node, 4);
    }
    assertThat(column.changedIn(4)).isFalse();
  }

  @Test
  void before_typeOfNumbersChangesAfterSeveralNodesWereUnset_areValuesOfTheOldType() {
    for (int node = 0; node < 4; node++) {
      column.write(node, 7 + node, 1);
    }
    for (int node = 3; node >= 0; node--) {
      column.write(node, null, 2);
    }
    column.write(0, Value.of("text"), 2);
    assertThat(column.packedType()).isEqualTo(ValueType.STRING);
    for (int node = 0; node < 4; node++) {
      assertThat(column.before(node, 2)).isEqualTo(Value.of(7 + node));
    }
  }

  @Test
  void write_moreTextsThanAColumnMayAdd_keepsThemAsObjects() {
    for (int i = 0; i < 2_000; i++) {
      column.write(0, Value.of("text " + i), i);
      assertThat(column.at(0)).isEqualTo(Value.of("text " + i));
    }
    assertThat(column.isPacked(0)).isFalse();
    column.write(0, Value.of("text 0"), 3_000);
    assertThat(column.isPacked(0)).isTrue();
  }

  @Test
  void write_doubleWithoutAnOrder_isNoNumber() {
    for (double number : new double[] {-0.0, Double.NaN, Double.POSITIVE_INFINITY}) {
      column.write(0, Value.of(1.5), 1);
      column.write(0, Value.of(number), 2);
      assertThat(column.isPacked(0)).isFalse();
      assertThat(column.at(0)).isEqualTo(Value.of(number));
    }
    column.write(1, Value.of(-1.5), 3);
    column.write(2, Value.of(0.25), 3);
    column.write(0, Value.of(-2.5), 3);
    assertThat(column.isAllPacked()).isTrue();
    assertThat(column.min()).isEqualTo(column.number(0)).isLessThan(column.number(1));
    assertThat(column.max()).isEqualTo(column.number(2));
  }
}
