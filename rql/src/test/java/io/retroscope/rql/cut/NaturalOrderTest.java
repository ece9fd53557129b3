// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NaturalOrderTest {
  @Test
  void compare_ofNumbersInNames_goesByTheirValue() {
    List<String> ordered =
        List.of("", "1", "2", "10", "a", "zk1", "zk01", "zk2", "zk2a", "zk2b1", "zk10", "zk10-3");
    List<String> shuffled = new ArrayList<>(ordered);
    Collections.shuffle(shuffled, new Random(3));
    shuffled.sort(NaturalOrder.INSTANCE);
    // zk1 and zk01 differ only in a leading zero. Their order does not matter, but both must
    // remain.
    assertThat(shuffled).containsExactlyInAnyOrderElementsOf(ordered);
    shuffled.removeIf(name -> name.equals("zk01"));
    assertThat(shuffled)
        .containsExactly("", "1", "2", "10", "a", "zk1", "zk2", "zk2a", "zk2b1", "zk10", "zk10-3");
  }

  @Test
  void compare_isConsistentWithEquals_andTransitive() {
    Random random = new Random(5);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      StringBuilder name = new StringBuilder();
      for (int c = 0; c < random.nextInt(6); c++) {
        name.append("ab019".charAt(random.nextInt(5)));
      }
      names.add(name.toString());
    }
    NaturalOrder order = NaturalOrder.INSTANCE;
    for (String a : names) {
      for (String b : names) {
        assertThat(order.compare(a, b) == 0).isEqualTo(a.equals(b));
        assertThat(Integer.signum(order.compare(a, b)))
            .isEqualTo(-Integer.signum(order.compare(b, a)));
        for (String c : names) {
          if (order.compare(a, b) < 0 && order.compare(b, c) < 0) {
            assertThat(order.compare(a, c)).as("%s %s %s", a, b, c).isNegative();
          }
        }
      }
    }
  }
}
