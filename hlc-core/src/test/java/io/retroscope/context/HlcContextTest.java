// SPDX-License-Identifier: Apache-2.0
package io.retroscope.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HlcContextTest {
  private static final long STAMP = HlcTimestamp.pack(1_795_200_000_000_000L, 3);

  @Test
  void inject_extract_givesTheStampBack() {
    Map<String, String> headers = new HashMap<>();

    HlcContext.inject(STAMP, headers, Map::put);

    assertThat(headers).containsExactly(Map.entry("x-hlc", "1795200000000000.3"));
    assertThat(HlcContext.extract(headers, Map::get)).hasValue(STAMP);
  }

  @Test
  void extract_noHeader_isEmpty() {
    assertThat(HlcContext.extract(Map.<String, String>of(), Map::get)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1.", ".1", "-1.0", "1.4096", "1.5.5", "4503599627370496.0"})
  void extract_unreadableHeader_isEmpty(String value) {
    assertThat(HlcContext.parse(value)).isEmpty();
  }

  @Test
  void extract_hugeHeader_isEmpty() {
    assertThat(HlcContext.parse("1".repeat(1_000_000))).isEmpty();
  }

  @Test
  void toBytes_isBigEndianMicrosAndLogical() {
    assertThat(HlcContext.toBytes(HlcTimestamp.pack(1, 2)))
        .containsExactly(0, 0, 0, 0, 0, 0, 16, 2);
  }

  @Test
  void fromBytes_givesTheStampBack() {
    assertThat(HlcContext.fromBytes(HlcContext.toBytes(STAMP))).hasValue(STAMP);
  }

  @Test
  void fromBytes_wrongLength_isEmpty() {
    assertThat(HlcContext.fromBytes(new byte[7])).isEmpty();
    assertThat(HlcContext.fromBytes(null)).isEmpty();
  }
}
