// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarningTrailerTest {
  @Test
  void value_isJsonInAscii() {
    assertThat(WarningTrailer.value(List.of())).isEqualTo("[]");
    assertThat(WarningTrailer.value(List.of("node \"ä\"\r\nX: y", "b\\c")))
        .isEqualTo("[\"node \\\"\\u00e4\\\"\\u000d\\u000aX: y\",\"b\\\\c\"]");
  }

  @Test
  void value_ofManyWarnings_isShortenedWithTheirNumber() {
    String value = WarningTrailer.value(Collections.nCopies(100, "x".repeat(97)));
    assertThat(value).hasSizeLessThan(4_100).endsWith("x\",\"and 60 more\"]");
  }
}
