// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.live.PartitionException;
import io.retroscope.server.store.EventStore.Doubts;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerEndpointTest {
  private final Map<String, Object> answer = new LinkedHashMap<>();

  @Test
  void doubts_known_areNumbers() {
    ServerEndpoint.putDoubts(answer, () -> new Doubts(3, 17));

    assertThat(answer).containsExactly(Map.entry("quarantined", 3L), Map.entry("lost", 17L));
  }

  @Test
  void doubts_whileAPartitionIsMissing_areUnknownInsteadOfNone() {
    ServerEndpoint.putDoubts(
        answer,
        () -> {
          throw new PartitionException("no server has partition 5");
        });

    assertThat(answer).containsEntry("quarantined", null).containsEntry("lost", null);
    assertThat(answer).containsEntry("unread", "no server has partition 5");
  }
}
