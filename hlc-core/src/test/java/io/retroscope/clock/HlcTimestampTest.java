// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HlcTimestampTest {
  private static final long MICROS = 1_795_200_000_123_456L;

  @Test
  void pack_endsOfTheRange_areTheLowestAndTheHighestStamp() {
    assertThat(HlcTimestamp.pack(0, 0)).isEqualTo(HlcTimestamp.MIN_PACKED);
    assertThat(HlcTimestamp.pack(HlcTimestamp.MAX_MICROS, HlcTimestamp.MAX_LOGICAL))
        .isEqualTo(HlcTimestamp.MAX_PACKED);
  }

  @ParameterizedTest
  @CsvSource({"-1,0,-1", "4503599627370496,0,4503599627370496", "5,-1,-1", "5,4096,4096"})
  void pack_partOutsideItsRange_isRefusedWithItsValue(long micros, int logical, String named) {
    assertThatThrownBy(() -> HlcTimestamp.pack(micros, logical))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("outside")
        .hasMessageEndingWith(": " + named);
  }

  @Test
  void parse_eachForm_isTheStamp() {
    long stamp = HlcTimestamp.pack(MICROS, 7);
    assertThat(HlcTimestamp.parse(MICROS + ".7")).isEqualTo(stamp);
    assertThat(HlcTimestamp.parse("hlc'" + MICROS + ".7'")).isEqualTo(stamp);
    assertThat(HlcTimestamp.parse(String.valueOf(MICROS))).isEqualTo(HlcTimestamp.pack(MICROS));
    assertThat(HlcTimestamp.parse("hlc'5'")).isEqualTo(HlcTimestamp.pack(5));
    assertThat(HlcTimestamp.parse("0000000000000005.0009")).isEqualTo(HlcTimestamp.pack(5, 9));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        ".5",
        "5.",
        "-5",
        "5.-1",
        "5/0",
        "5:0",
        "5.6.7",
        "00000000000000005",
        "5.00009",
        "hlc''",
        "hlc'5",
        "5.7'",
        "hlx'5'",
        "٥"
      })
  void parse_otherText_isRefusedWithTheText(String text) {
    assertThatThrownBy(() -> HlcTimestamp.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not an HLC timestamp <micros>.<logical>: " + text);
  }

  @Test
  void parse_longText_isAbbreviatedInTheMessage() {
    String sixty = "x".repeat(60);
    assertThatThrownBy(() -> HlcTimestamp.parse(sixty)).hasMessageEndingWith(": " + sixty);
    assertThatThrownBy(() -> HlcTimestamp.parse(sixty + "y"))
        .hasMessageEndingWith(": " + sixty + "...");
  }

  @Test
  void parts_ofAnObject_areThoseOfItsPackedForm() {
    HlcTimestamp stamp = HlcTimestamp.of(MICROS, 7);
    assertThat(stamp.packed()).isEqualTo(HlcTimestamp.pack(MICROS, 7));
    assertThat(stamp.micros()).isEqualTo(MICROS);
    assertThat(stamp.logical()).isEqualTo(7);
    assertThat(stamp.toInstant()).isEqualTo(Instant.parse("2026-11-20T18:40:00.123456Z"));
    assertThat(stamp).hasToString("hlc'1795200000123456.7'");
    assertThat(HlcTimestamp.isoMicros(MICROS)).isEqualTo("2026-11-20T18:40:00.123456Z");
  }

  @Test
  void isoMicros_anyTime_isThatOfTheFormatter() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    LongStream picked = random.longs(20_000, 0, HlcTimestamp.MAX_MICROS + 1);
    LongStream borders =
        LongStream.rangeClosed(-1_000, 1_000)
            .flatMap(n -> LongStream.of(n, n * 86_400_000_000L, HlcTimestamp.MAX_MICROS + n));
    LongStream.concat(picked, borders)
        .forEach(
            micros ->
                assertThat(HlcTimestamp.isoMicros(micros))
                    .as("%d, seed %d", micros, seed)
                    .isEqualTo(HlcTimestamp.formatted(micros)));
  }

  @Test
  void compareTo_stamps_isTheirOrderByMicrosThenLogical() {
    HlcTimestamp stamp = HlcTimestamp.of(MICROS, 7);
    assertThat(stamp).isLessThan(HlcTimestamp.of(MICROS, 8)).isEqualByComparingTo(stamp);
    assertThat(stamp).isGreaterThan(HlcTimestamp.of(MICROS - 1, HlcTimestamp.MAX_LOGICAL));
  }
}
