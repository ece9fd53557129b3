// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FieldFilterTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "password",
        "userPassword",
        "API_KEY",
        "x-api-key",
        "Authorization",
        "accessToken"
      })
  void accepts_defaultAndNameOfASecret_isFalse(String name) {
    assertThat(FieldFilter.DEFAULT.accepts(name)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ms", "orderId", "key", "a.b"})
  void accepts_defaultAndOrdinaryName_isTrue(String name) {
    assertThat(FieldFilter.DEFAULT.accepts(name)).isTrue();
  }

  @Test
  void accepts_included_onlyThose() {
    FieldFilter filter = FieldFilter.DEFAULT.including("ms, order*");

    assertThat(filter.accepts("ms")).isTrue();
    assertThat(filter.accepts("orderId")).isTrue();
    assertThat(filter.accepts("user")).isFalse();
    assertThat(filter.accepts("orderToken")).isFalse();
  }

  @Test
  void accepts_excludedNothing_takesSecretsToo() {
    assertThat(FieldFilter.DEFAULT.excluding("").accepts("password")).isTrue();
  }

  @Test
  void accepts_dotInPattern_isLiteral() {
    assertThat(FieldFilter.DEFAULT.including("a.b").accepts("axb")).isFalse();
  }
}
