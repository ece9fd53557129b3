// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.Value.StructValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FieldNamesTest {
  private static final FieldNames NAMES = new FieldNames(List.of("zk2", "zk10", "zk1"));
  private static final Value[] VALUES = {Value.of(1), Value.of("b"), Value.of(true), Value.of(4)};

  private static StructValue plain() {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("zk2", Value.of(1));
    fields.put("zk10", Value.of("b"));
    fields.put("zk1", Value.of(true));
    return new StructValue(fields);
  }

  @Test
  void struct_isThatOfItsFields() {
    StructValue struct = NAMES.struct(VALUES);
    assertThat(struct).isEqualTo(plain()).hasSameHashCodeAs(plain());
    assertThat(plain()).isEqualTo(struct);
    assertThat(struct.compareTo(plain())).isZero();
    assertThat(struct).hasToString(plain().toString());
    assertThat(new StructValue(struct.fields())).isEqualTo(struct);
  }

  @Test
  void fields_haveTheOrderOfTheNames() {
    Map<String, Value> fields = NAMES.struct(VALUES).fields();
    Map<String, Value> visited = new LinkedHashMap<>();
    fields.forEach(visited::put);
    assertThat(fields.keySet()).containsExactly("zk2", "zk10", "zk1");
    assertThat(fields.entrySet()).containsExactlyElementsOf(plain().fields().entrySet());
    assertThat(visited.entrySet()).containsExactlyElementsOf(plain().fields().entrySet());
    assertThat(fields.get("zk10")).isEqualTo(Value.of("b"));
    assertThat(fields.get("zk3")).isNull();
    assertThat(fields.containsKey("zk1")).isTrue();
    assertThat(fields.containsKey("zk3")).isFalse();
    assertThat(fields).hasSize(3);
  }

  @Test
  void struct_doesNotChange() {
    Value[] values = VALUES.clone();
    StructValue struct = NAMES.struct(values);
    values[0] = Value.of(9);
    assertThat(struct).isEqualTo(plain());
    assertThatThrownBy(() -> struct.fields().put("zk1", Value.of(1)))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> struct.fields().entrySet().iterator().next().setValue(Value.of(1)))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> struct.fields().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void names_areDistinct_andHaveValues() {
    assertThatThrownBy(() -> new FieldNames(List.of("a", "a")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> NAMES.struct(new Value[2]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
