// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class LostBlocksTest {
  private static final long MOST = LostBlocks.MAX_EVENTS;

  private static LostBlocks lost(long first, long last, long events) {
    return new LostBlocks("zk1", "i", first, last, events, 5, 5);
  }

  @Test
  void isPlausible_largestNotice_isAndOneMoreIsNot() {
    assertThat(lost(1, LostBlocks.MAX_BLOCKS, MOST).isPlausible()).isTrue();
    assertThat(lost(1, LostBlocks.MAX_BLOCKS + 1, 0).isPlausible()).isFalse();
    assertThat(lost(MOST, MOST, 0).isPlausible()).isTrue();
    assertThat(lost(MOST + 1, MOST + 1, 0).isPlausible()).isFalse();
    assertThat(lost(1, 1, MOST + 1).isPlausible()).isFalse();
  }

  @Test
  void create_endsOfTheRanges_areAccepted() {
    assertThat(lost(1, 1, 0).lastNumber()).isEqualTo(1);
    String longest = "n".repeat(Event.MAX_NODE_LENGTH);
    assertThat(new LostBlocks(longest, "i", 1, 2, 0, 5, 5).node()).isEqualTo(longest);
  }

  @Test
  void create_outsideTheRanges_isRefusedWithTheValues() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LostBlocks("", "i", 1, 1, 0, 5, 5))
        .withMessageEndingWith("it has 0");
    String tooLong = "n".repeat(Event.MAX_NODE_LENGTH + 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LostBlocks(tooLong, "i", 1, 1, 0, 5, 5))
        .withMessageEndingWith("it has " + tooLong.length());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lost(0, 1, 0))
        .withMessageEndingWith("0..1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lost(3, 2, 0))
        .withMessageEndingWith("3..2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lost(1, 1, -1))
        .withMessageContaining("-1 events");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LostBlocks("zk1", "i", 1, 1, 0, 6, 5))
        .withMessageEndingWith("from 6 to 5");
  }
}
