// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class AnswerPatienceTest {
  private final AnswerPatience patience = new AnswerPatience(Duration.ofMillis(10));

  @Test
  void millis_lateAnswers_doubleUpToTheBound() {
    assertThat(patience.millis()).isEqualTo(10);
    assertThat(patience.late()).isEqualTo("no answer within 10 ms");
    assertThat(patience.late()).isEqualTo("no answer within 20 ms");
    for (int i = 0; i < 40; i++) {
      assertThat(patience.late()).startsWith("no answer within ");
    }
    assertThat(patience.millis()).isEqualTo(160);
  }

  @Test
  void millis_answerInTime_beginsAgain() {
    assertThat(patience.late()).isEqualTo("no answer within 10 ms");
    patience.answered();
    assertThat(patience.millis()).isEqualTo(10);
  }
}
