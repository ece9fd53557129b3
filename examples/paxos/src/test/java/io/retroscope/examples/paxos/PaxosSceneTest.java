// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PaxosSceneTest {
  @Test
  void isQuiet_messagesUnderWay_isNot() {
    List<ReplicaState> idle = List.of(state(5, 3), state(2, 4));
    assertThat(PaxosScene.isQuiet(idle, idle)).isTrue();
    List<ReplicaState> underWay = List.of(state(5, 3), state(2, 3));
    assertThat(PaxosScene.isQuiet(underWay, underWay)).isFalse();
    assertThat(PaxosScene.isQuiet(underWay, idle)).as("received since").isFalse();
    List<ReplicaState> sentSince = List.of(state(6, 3), state(2, 5));
    assertThat(PaxosScene.isQuiet(idle, sentSince)).as("sent since").isFalse();
  }

  private static ReplicaState state(int sent, int received) {
    return new ReplicaState(
        "r00", Map.of(Replica.SENT, sent, Replica.RECEIVED, received), Map.of());
  }
}
