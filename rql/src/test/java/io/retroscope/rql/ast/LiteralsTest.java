// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LiteralsTest {
  @ParameterizedTest
  @CsvSource({
    "0s, 0",
    "1us, 1",
    "1500us, 1500",
    "1500ms, 1500000",
    "-1m, -60000000",
    "2h, 7200000000",
    "106751991d, 9223372022400000000",
    "-9223372036854775808us, -9223372036854775808",
  })
  void duration_micros_printAndReadBack(String text, long micros) {
    assertThat(Literals.duration(micros)).isEqualTo(text);
    assertThat(Literals.durationMicros(text)).hasValue(micros);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "s",
        "5",
        "5 s",
        "5S",
        "1.5s",
        "5weeks",
        "--5s",
        "106751992d",
        "99999999999999999999us"
      })
  void durationMicros_noDurationOrTooLong_isEmpty(String text) {
    assertThat(Literals.durationMicros(text)).isEqualTo(OptionalLong.empty());
  }
}
