// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.rql.json.JsonValues;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PageJsonTest {
  /** A name, a text and a value that is JSON already. */
  @Test
  void object_textsThatWouldEndAScript_areTheSameWithoutIt() {
    String end = "</script>\\<!--";
    String json =
        PageJson.object(
            out -> {
              out.writeStringProperty(end, end);
              out.writeName("raw").writeRawValue(JsonValues.text(Value.of(end)));
            });
    assertThat(json).doesNotContain("<");
    assertThat(JsonValues.parse(json))
        .isEqualTo(new Value.StructValue(Map.of(end, Value.of(end), "raw", Value.of(end))));
  }
}
