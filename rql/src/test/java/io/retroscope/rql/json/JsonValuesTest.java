// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.TimestampValue;
import org.junit.jupiter.api.Test;

class JsonValuesTest {
  @Test
  void text_double_alwaysShowsPointOrExponent() {
    assertThat(JsonValues.text(Value.of(3.0))).isEqualTo("3.0");
    assertThat(JsonValues.text(Value.of(1e300))).isEqualTo("1.0E300");
    assertThat(JsonValues.text(Value.of(Double.NaN))).isEqualTo("\"NaN\"");
  }

  @Test
  void text_durationAndTimestamp_areMicrosAndBareStamp() {
    assertThat(JsonValues.text(new DurationValue(-5))).isEqualTo("-5");
    assertThat(JsonValues.text(new TimestampValue(HlcTimestamp.pack(12, 3)))).isEqualTo("\"12.3\"");
  }

  @Test
  void text_set_isSorted() {
    assertThat(JsonValues.text(Value.setOf(Value.of("b"), Value.of(2), Value.of("a"))))
        .isEqualTo("[2,\"a\",\"b\"]");
  }

  @Test
  void parse_notOneValue_saysWhy() {
    assertThatThrownBy(() -> JsonValues.parse("1 2")).hasMessage("more than one JSON value");
    assertThatThrownBy(() -> JsonValues.parse("")).hasMessage("value: a value is missing");
    assertThatThrownBy(() -> JsonValues.parse("{x:1}")).hasMessageStartingWith("not valid JSON");
    assertThat(JsonValues.parse("[1]")).isEqualTo(Value.setOf(Value.of(1)));
  }
}
