// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The memory of entries that is used again keeps nothing of the entries before. */
class EntryFieldsTest {
  @Test
  void fields_areThoseOfAMapThatKeepsItsOrder() {
    long seed = Long.getLong("seed", 1);
    Random random = new Random(seed);
    EntryFields fields = new EntryFields();
    for (int round = 0; round < 300; round++) {
      Map<String, Value> expected = new LinkedHashMap<>();
      fields.clear();
      int names = 1 + random.nextInt(40);
      for (int i = random.nextInt(60); i > 0; i--) {
        String name = "f" + random.nextInt(names);
        Value value = Value.of(random.nextInt(9));
        assertThat(fields.put(name, value)).isEqualTo(expected.put(name, value));
        assertThat(fields.get("f" + (i % names))).isEqualTo(expected.get("f" + (i % names)));
        assertThat(fields.containsKey("f" + i)).isEqualTo(expected.containsKey("f" + i));
      }
      List<String> seen = new ArrayList<>();
      fields.forEach((name, value) -> seen.add(name + value));
      List<String> wanted = new ArrayList<>();
      expected.forEach((name, value) -> wanted.add(name + value));
      assertThat(seen).as("seed %d, round %d", seed, round).isEqualTo(wanted);
      assertThat(fields).hasSize(expected.size()).isEqualTo(expected);
      assertThat(new ArrayList<>(fields.keySet())).isEqualTo(new ArrayList<>(expected.keySet()));
    }
  }

  @Test
  void words_areTheTextsThatWereAskedFor() {
    long seed = Long.getLong("seed", 1);
    Random random = new Random(seed);
    Words words = new Words();
    for (int i = 0; i < 20_000; i++) {
      String text = Integer.toString(random.nextInt(5_000), 2 + random.nextInt(3));
      assertThat(words.of(text).value()).as("seed %d", seed).isEqualTo(text);
      String line = "[" + text + "] " + random.nextInt(5_000);
      int from = random.nextInt(line.length());
      int to = from + random.nextInt(line.length() - from + 1);
      assertThat(words.of(line, from, to).value())
          .as("seed %d", seed)
          .isEqualTo(line.substring(from, to));
    }
    assertThat(words.of("main")).isSameAs(words.of("m" + "ain".strip()));
    assertThat(words.of("[main]", 1, 5)).isSameAs(words.of("main"));
  }
}
