// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GatheredMessageTest {
  private final MemoryBudget memory = new MemoryBudget(4_000);
  private final GatheredMessage message = new GatheredMessage(memory.charge(), 0);

  private static ByteBuffer piece(int length, int filling) {
    ByteBuffer piece = ByteBuffer.allocate(length);
    while (piece.hasRemaining()) {
      piece.put((byte) filling);
    }
    return piece.flip();
  }

  @Test
  void add_eachPiece_isChargedBeforeItIsKept() {
    message.add(piece(100, 1));
    assertThat(memory.usedBytes()).isEqualTo(200);
    message.add(piece(50, 2));
    assertThat(memory.usedBytes()).isEqualTo(300);

    byte[] bytes = message.bytes();
    assertThat(bytes).hasSize(150).startsWith(1, 1).endsWith(2, 2);
    assertThat(memory.usedBytes()).isEqualTo(150);
    message.charge().close();
    assertThat(memory.usedBytes()).isZero();
  }

  /** The message is counted to its end, and answered then. */
  @Test
  void add_withoutMemory_keepsNothingOfTheMessage() {
    try (Charge half = memory.charge(2_000);
        Charge some = memory.charge(500)) {
      long others = half.bytes() + some.bytes();
      message.add(piece(400, 1));
      message.add(piece(400, 1));
      assertThat(memory.usedBytes()).isEqualTo(others);
      ByteBuffer last = piece(10, 1);
      message.add(last);
      assertThat(last.hasRemaining()).isFalse();
      assertThat(memory.usedBytes()).isEqualTo(others);
    }
    assertThat(message.length()).isEqualTo(810);
    assertThatThrownBy(message::bytes)
        .isInstanceOfSatisfying(
            OverBudgetException.class, refusal -> assertThat(refusal.isLasting()).isFalse());
  }

  @Test
  void add_moreThanAnyRequestMayHave_isRefusedForGood() {
    message.add(piece(1_001, 1));
    assertThatThrownBy(message::bytes)
        .isInstanceOfSatisfying(
            OverBudgetException.class, refusal -> assertThat(refusal.isLasting()).isTrue());
    assertThat(memory.refusedCount()).isEqualTo(1);
  }

  @Test
  void close_unfinished_givesTheMemoryBack() {
    message.add(piece(100, 1));
    message.close();
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void isTooSlow_dripOverTheGrace_is() {
    message.add(piece(500, 1));
    assertThat(message.isTooSlow(TimeUnit.SECONDS.toNanos(9))).isFalse();
    assertThat(message.isTooSlow(TimeUnit.SECONDS.toNanos(11))).isTrue();
    assertThat(BodyReader.isTooSlow(TimeUnit.SECONDS.toNanos(11), 11_000)).isFalse();
  }
}
