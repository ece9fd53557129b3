// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.diagnostic.CharacterWidth;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jline.utils.WCWidth;
import org.junit.jupiter.api.Test;

/**
 * A test that tables are aligned as the terminal's line editor counts columns. The tables are
 * printed where no terminal library is.
 */
class CharacterWidthTest {
  @Test
  void of_eachCharacter_isAsTheTerminalLibraryHasIt() {
    int[] different =
        IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
            .filter(Character::isDefined)
            .filter(
                c -> CharacterWidth.of(Character.toString(c)) != Math.max(0, WCWidth.wcwidth(c)))
            .toArray();
    // Unicode 14 has reclassified two signs.
    assertThat(Arrays.stream(different).boxed()).isSubsetOf(0x1734, 0x1171E);
  }

  @Test
  void of_text_isTheSum() {
    assertThat(CharacterWidth.of("a\u0301\u4E2D\t\uD83D\uDE00")).isEqualTo(1 + 2 + 2);
  }
}
