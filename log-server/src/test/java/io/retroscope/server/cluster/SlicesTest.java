// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.live.PartitionException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests which slices a server walks for others. */
class SlicesTest {
  private static final InMemoryEventSource NONE =
      new InMemoryEventSource(List.of(), ClockOffsets.UNKNOWN);
  private static final QueryEngine ENGINE = new QueryEngine(NONE, QueryLimits.DEFAULT);

  private static byte[] request(String topicId, byte[] slice) {
    return ClusterJson.MAPPER.writeValueAsBytes(
        new SliceOpening(topicId, Map.of(0, new SliceOpening.Content(1, 0)), slice));
  }

  @Test
  void begin_asManyAsAQueryHasThreads_refusesMoreUntilOneEnds() throws Exception {
    Slices slices = new Slices("topic", ends -> NONE.open());
    byte[] request = request("topic", new byte[0]);
    for (int round = 0; round < 2; round++) {
      try (Slices.Walk first = slices.begin(request, ENGINE)) {
        assertThat(first).isNotNull();
        assertThatThrownBy(() -> slices.begin(request, ENGINE))
            .isInstanceOf(Readings.RefusedException.class)
            .hasMessageContaining("slices of other queries");
      }
    }
  }

  @Test
  void begin_partitionThatNobodyHas_isRefusedEachTime() {
    Slices slices =
        new Slices(
            "topic",
            ends -> {
              throw new PartitionException("no server has partition 0");
            });
    for (int round = 0; round < 2; round++) {
      assertThatThrownBy(() -> slices.begin(request("topic", new byte[0]), ENGINE))
          .isInstanceOf(Readings.RefusedException.class)
          .hasMessageContaining("no server has partition 0");
    }
  }

  @Test
  void begin_requestOfAnotherTopicOrProgram_isRefused() {
    Slices slices = new Slices("topic", ends -> NONE.open());
    assertThatThrownBy(() -> slices.begin(request("other", new byte[0]), ENGINE))
        .isInstanceOf(Readings.RefusedException.class);
    byte[] unknown = "{\"slices\":1}".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> slices.begin(unknown, ENGINE))
        .isInstanceOf(Readings.RefusedException.class);
  }

  @Test
  void run_sliceOfAnotherVersion_failsWithoutAnAnswer() throws Exception {
    Slices slices = new Slices("topic", ends -> NONE.open());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Slices.Walk walk = slices.begin(request("topic", new byte[] {99}), ENGINE)) {
      assertThatThrownBy(() -> walk.run(out)).isInstanceOf(IOException.class);
    }
    assertThat(out.size()).isZero();
  }
}
