// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class AcceptorTest {
  /** A leader that has nothing more to propose announces its last slot once. */
  @Test
  void fetchMissing_theLastAnnouncementAsksForMoreThanOneAnswerHas_asksAgain() throws Exception {
    try (Recorder recorder = Recorder.builder().node("r01").sink(new MemorySink()).build();
        Wire wire = new Wire(0, Map.of("r00", 1))) {
      Lane lane = new Lane(recorder, new Stamps(recorder), wire);
      Acceptor acceptor = new Acceptor(lane);
      acceptor.learn(1, 3, "r00");
      assertThat(lane.sent("fetch")).isEqualTo(1);
      acceptor.chosen(1, "a");
      acceptor.fetchMissing();
      assertThat(lane.sent("fetch")).as("the answer may still come").isEqualTo(1);
      TimeUnit.MILLISECONDS.sleep(600);
      acceptor.fetchMissing();
      assertThat(lane.sent("fetch")).isEqualTo(2);
      acceptor.chosen(2, "b");
      acceptor.chosen(3, "c");
      TimeUnit.MILLISECONDS.sleep(600);
      acceptor.fetchMissing();
      assertThat(lane.sent("fetch")).as("nothing is missing").isEqualTo(2);
    }
  }
}
