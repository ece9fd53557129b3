// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LaneTest {
  @Test
  void sentToReplicas_toClientsAsWell_countsThoseToReplicas() throws Exception {
    try (Recorder recorder = Recorder.builder().node("r01").sink(new MemorySink()).build();
        Wire wire = new Wire(0, Map.of("r00", 1, "c0", 1))) {
      Lane lane = new Lane(recorder, new Stamps(recorder), wire);
      lane.send("r00", Message.of("accepted", 1, 1));
      lane.send("c0", Message.of("reply", "c0-1", 1));
      assertThat(lane.sentToReplicas()).isEqualTo(1);
      assertThat(lane.sent("reply")).isEqualTo(1);
    }
  }
}
