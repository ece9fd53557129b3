// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ReplicaStateTest {
  @Test
  void parse_itsOwnLine_isEqual() {
    ReplicaState state =
        new ReplicaState(
            "r03",
            Map.of("relayed", 7),
            Map.of("paxos", List.of("c0-1", "c0-2"), "wpaxos/shared", List.of()));
    assertThat(ReplicaState.parse(state.line())).isEqualTo(state);
  }
}
