// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScaleTest {
  @ParameterizedTest
  @CsvSource({
    "PENTATONIC, 60, 60",
    "PENTATONIC, 61, 60", // a tie goes down
    "PENTATONIC, 63, 62", // a tie goes down
    "PENTATONIC, 66, 67",
    "PENTATONIC, 71, 72", // into the next octave
    "MAJOR, 66, 65",
    "MINOR, 64, 63",
    "CHROMATIC, 61, 61",
    "PENTATONIC, 127, 127"
  })
  void nearest_isTheNearestKeyOfTheScale(Scale scale, int key, int nearest) {
    assertThat(scale.nearest(key)).isEqualTo(nearest);
  }

  @Test
  void above_countsDegrees() {
    assertThat(Scale.PENTATONIC.above(60, 6)).isEqualTo(74);
    assertThat(Scale.MAJOR.above(60, 2)).isEqualTo(64);
    assertThat(Scale.MINOR.above(60, 2)).isEqualTo(63);
    assertThat(Scale.CHROMATIC.above(60, 2)).isEqualTo(62);
    assertThat(Scale.PENTATONIC.above(61, 1)).isEqualTo(62);
  }
}
