// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JsonBufferTest {
  private final JsonBuffer buffer = new JsonBuffer();

  @Test
  void text_severalValues_areSeparateTexts() {
    assertThat(buffer.text(out -> out.writeStartArray().writeNumber(1).writeEndArray()))
        .isEqualTo("[1]");
    assertThat(buffer.text(out -> out.writeString("a\"b"))).isEqualTo("\"a\\\"b\"");
    assertThat(buffer.text(out -> out.writeNumber(2))).isEqualTo("2");
  }

  @Test
  void text_afterAValueThatFailed_isOnlyItsOwn() {
    assertThatThrownBy(
            () ->
                buffer.text(
                    out -> {
                      out.writeStartObject().writeName("a");
                      throw new IllegalStateException("broken off");
                    }))
        .hasMessage("broken off");

    assertThat(buffer.text(out -> out.writeNumber(3))).isEqualTo("3");
  }

  @Test
  void line_severalValues_areWholeLines() {
    StringBuilder lines = new StringBuilder();
    JsonBuffer.Out to =
        (text, length) -> {
          lines.append(text, 0, length);
          return lines.length() < 8;
        };
    assertThat(buffer.line(out -> out.writeNumber(12), to)).isTrue();
    assertThatThrownBy(
            () ->
                buffer.line(
                    out -> {
                      out.writeString("x".repeat(9_000));
                      throw new IllegalStateException("broken off");
                    },
                    to))
        .hasMessage("broken off");
    assertThat(buffer.line(out -> out.writeString("a\u00e4\ud83d\ude00\ud83d"), to)).isFalse();
    assertThat(lines).hasToString("12\n\"a\u00e4\ud83d\ude00\ud83d\"\n");
    assertThat(buffer.text(out -> out.writeNumber(5))).isEqualTo("5");
  }

  @Test
  void text_afterALongText_isOnlyItsOwn() {
    String big = "x".repeat(200_000);

    assertThat(buffer.text(out -> out.writeString(big))).hasSize(big.length() + 2);
    assertThat(buffer.text(out -> out.writeNumber(4))).isEqualTo("4");
  }
}
