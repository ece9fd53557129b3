// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class EpaxosReplicaTest {
  private static final Message REQUEST = EpaxosReplica.request("c0-1", "k");

  @Test
  void request_repeatedBeforeAndAfterItIsDecided_isExecutedOnce() throws Exception {
    try (Recorder recorder = Recorder.builder().node("r00").sink(new MemorySink()).build();
        Wire wire = new Wire(0, noPorts())) {
      Lane lane = new Lane(recorder, new Stamps(recorder), wire);
      EpaxosReplica replica = new EpaxosReplica(lane);
      replica.receive("c0", REQUEST);
      replica.receive("c0", REQUEST);
      assertThat(lane.sent("e-preaccept")).isEqualTo(EpaxosReplica.MEMBERS.size() - 1);
      Message seen = new Instance("r00.1", "c0-1", "k", 1, Set.of()).message("e-preaccepted");
      replica.receive("r01", seen);
      replica.receive("r02", seen);
      assertThat(lane.sent("reply")).isEqualTo(1);
      replica.receive("c0", REQUEST);
      assertThat(lane.sent("reply")).as("the answer is repeated").isEqualTo(2);
      assertThat(lane.sent("e-preaccept")).isEqualTo(EpaxosReplica.MEMBERS.size() - 1);
      assertThat(replica.chains()).containsExactly(Map.entry("epaxos/k", List.of("c0-1")));
      assertThat(replica.counters()).containsEntry("fast", 1);
    }
  }

  /** Ports at which nothing listens: what is sent to them waits. */
  private static Map<String, Integer> noPorts() {
    Map<String, Integer> ports = new HashMap<>();
    EpaxosReplica.MEMBERS.forEach(member -> ports.put(member, 1));
    ports.put("c0", 1);
    return ports;
  }
}
