// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fields of a log line, few and many, are a map that cannot be changed. */
class OrderedFieldsTest {
  private static Map<String, Value> fields(int count) {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      fields.put("f" + (count - i), Value.of(i));
    }
    return fields;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 8, 9, 40})
  void copy_isEqualAndInOrder(int count) {
    Map<String, Value> original = fields(count);

    Map<String, Value> copy = new EventBody.LogLine("m", original).fields();

    List<String> seen = new ArrayList<>();
    copy.forEach((name, value) -> seen.add(name));
    assertThat(copy).isEqualTo(original).hasSameHashCodeAs(original).hasSize(count);
    assertThat(original).isEqualTo(copy);
    assertThat(seen).containsExactlyElementsOf(original.keySet());
    assertThat(copy.keySet()).containsExactlyElementsOf(original.keySet());
    original.forEach((name, value) -> assertThat(copy.get(name)).isSameAs(value));
    assertThat(copy.get("x")).isNull();
    assertThat(copy.containsKey("x")).isFalse();
    assertThatThrownBy(() -> copy.put("x", Value.of(1)))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 20})
  void copy_doesNotChangeWithTheOriginal(int count) {
    Map<String, Value> original = fields(count);
    Map<String, Value> copy = new EventBody.LogLine("m", original).fields();

    original.put("f1", Value.of(-1));
    original.put("g", Value.of(-1));

    assertThat(copy).isEqualTo(fields(count));
  }
}
