package io.retroscope.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
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
  void of_repeatedNames_isRefused() {
    assertThatThrownBy(() -> NameTable.of(List.of("a", "a")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
