// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LineInputTest {
  @Test
  void next_everyKindOfEnd_givesTheLines() throws IOException {
    assertThat(lines("a\n\r\nbü\r\n\nlast")).containsExactly("a", "", "bü", "", "last");
    assertThat(lines("")).isEmpty();
    assertThat(lines("x".repeat(5_000) + "\ny")).hasSize(2);
  }

  @Test
  void next_linesAroundTheEndsOfBuffers_areWhole() throws IOException {
    for (int length = 65_530; length < 65_540; length++) {
      String first = "a".repeat(length);
      String second = "b".repeat(2 * length);
      assertThat(lines(first + "\r\n" + second + "\n\nc")).containsExactly(first, second, "", "c");
    }
  }

  @Test
  void next_endlessLine_isRefused() {
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            return 'x';
          }

          @Override
          public int read(byte[] bytes, int from, int count) {
            java.util.Arrays.fill(bytes, from, from + count, (byte) 'x');
            return count;
          }
        };

    assertThatThrownBy(() -> new LineInput(endless).next())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("longer than");
  }

  private static List<String> lines(String text) throws IOException {
    List<String> lines = new ArrayList<>();
    try (LineInput in =
        new LineInput(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))) {
      for (Optional<String> line = in.next(); line.isPresent(); line = in.next()) {
        lines.add(line.get());
        assertThat(bytes(in)).isEqualTo(line.get());
        assertThat(in.text()).isEqualTo(line.get());
      }
    }
    return lines;
  }

  private static String bytes(LineInput in) {
    return new String(in.bytes(), in.start(), in.end() - in.start(), StandardCharsets.UTF_8);
  }
}
