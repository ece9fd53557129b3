// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NameTableTest {
  @Test
  void idOf_names_areCountedInOrderAndKept() {
    NameTable table = new NameTable();
    assertThat(table.idOf("b")).isZero();
    assertThat(table.idOf("a")).isEqualTo(1);
    assertThat(table.idOf("b")).isZero();
    assertThat(table.find("a")).isEqualTo(1);
    assertThat(table.find("c")).isEqualTo(-1);
    assertThat(table.size()).isEqualTo(2);
    assertThat(table.name(1)).isEqualTo("a");
    assertThat(NameTable.of(table.names()).names()).containsExactly("b", "a");
  }

  @Test
  void name_whileNamesAreAdded_isThatOfTheId() throws Exception {
    for (int round = 0; round < 50; round++) {
      NameTable table = new NameTable();
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(
              () -> IntStream.range(0, 5_000).forEach(i -> table.idOf(Integer.toString(i))));
      while (table.size() < 5_000) {
        int last = table.size() - 1;
        assertThat(last < 0 ? "-1" : table.name(last)).isEqualTo(Integer.toString(last));
      }
      writing.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void name_ofUnknownId_isRefused() {
    NameTable table = NameTable.of(List.of("a"));
    assertThatThrownBy(() -> table.name(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void of_repeatedNames_isRefused() {
    assertThatThrownBy(() -> NameTable.of(List.of("a", "a")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
