// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RowTextsTest {
  private static final List<Column> X = List.of(new Column("x", false));

  private final RowTexts texts = new RowTexts();
  private int written;

  @Test
  void data_equalRowsOfManyClients_isWrittenOnce() {
    byte[] first = data("json", X, row(1, "v"));
    for (int client = 0; client < 1_000; client++) {
      assertThat(data("json", X, row(1, "v"))).isSameAs(first);
    }
    assertThat(written).isEqualTo(1);
    assertThat(new String(first, StandardCharsets.UTF_8)).isEqualTo("data: 1\n\n");
  }

  @Test
  void data_anyDifference_isWrittenAgain() {
    int count = 100; // More than it keeps.
    for (int i = 0; i < count; i++) {
      data("json", X, row(i, "v"));
      data("json", X, row(count, "v" + i));
      data("row" + i, X, row(count, "v"));
      data("json", List.of(new Column("y" + i, false)), row(count, "v"));
    }

    assertThat(written).isEqualTo(4 * count);
  }

  @Test
  void data_veryLong_isNotKept() {
    String text = "x".repeat(100_000);
    RowTexts.Key key = new RowTexts.Key("json", X, row(1, "v"));

    assertThat(texts.data(key, () -> text)).isNotSameAs(texts.data(key, () -> text));
  }

  private byte[] data(String form, List<Column> columns, Row row) {
    return texts.data(new RowTexts.Key(form, columns, row), () -> Integer.toString(++written));
  }

  private static Row row(long micros, String value) {
    return new Row(HlcTimestamp.pack(micros), 0, List.of(Value.of(value)), Optional.empty());
  }
}
