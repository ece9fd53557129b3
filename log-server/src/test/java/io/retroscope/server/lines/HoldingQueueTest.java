// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HoldingQueueTest {
  private final HoldingQueue<String> queue =
      new HoldingQueue<>(4, Comparator.<String>naturalOrder());

  private List<String> poll(long horizon, long patienceNanos) {
    List<String> items = new ArrayList<>();
    for (Optional<HoldingQueue.Held<String>> held = queue.poll(horizon, patienceNanos);
        held.isPresent();
        held = queue.poll(horizon, patienceNanos)) {
      items.add(held.get().item());
    }
    return items;
  }

  @Test
  void poll_keysUpToTheHorizon_comeInOrderAndTiesAsTheyAreCompared() {
    queue.add("c", 30, 0);
    queue.add("b", 10, 0);
    queue.add("a", 10, 0);
    assertThat(poll(9, -1)).isEmpty();
    assertThat(poll(29, -1)).containsExactly("a", "b");
    assertThat(poll(30, -1)).containsExactly("c");
  }

  @Test
  void poll_itemThatHasWaitedTooLong_goesWithAllBeforeIt() {
    queue.add("early", 10, 500);
    queue.add("overdue", 20, 100);
    queue.add("later", 30, 600);
    assertThat(poll(0, 99)).isEmpty();
    queue.add("first", 5, 700);
    assertThat(poll(0, 700)).containsExactly("first", "early", "overdue", "later");
  }

  @Test
  void poll_oldestArrivalBehindYoungOnes_isNotForgotten() {
    queue.add("overdue", 20, 100);
    queue.add("young", 10, 900);
    queue.add("younger", 40, 901);
    assertThat(poll(0, 100)).containsExactly("young", "overdue");
  }

  @Test
  void add_beyondTheBound_letsTheFirstGo() {
    for (int i = 0; i < 6; i++) {
      queue.add("item " + i, 10 - i, 0);
    }
    assertThat(poll(0, -1)).contains("item 5", "item 4").hasSizeLessThanOrEqualTo(6);
    assertThat(queue.size()).isLessThanOrEqualTo(4);
  }
}
